"""A spelling that passes ``load_spelling`` can be used: nothing raises, loops or reads outside."""

import time
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.artifact.container import decode, encode
from maskc.errors import ArtifactError, SpellingError
from tests.compiled import compile_text
from tests.examples import examples
from tests.security.forging import use
from tests.spellings import draw_tokenizer

GRAMMAR = 'start: NAME ("\\n"? NAME)*\nNAME: /[abc]+/\n%ignore " "\n'
# Of the first, no array is empty.
TOKENIZERS = [draw_tokenizer(Random(seed)) for seed in (29, 0, 2, 3)]
ARTIFACTS = [compile_text(GRAMMAR, tokenizer.texts) for tokenizer in TOKENIZERS]
SECONDS = 60  # what loops takes for ever
ODD = (None, True, -1, 1 << 40, 1.5, "", "bytes", [], [0], {}, {"name": 1}, {"name": None})


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Return the files that are forged."""
    folder, found = tmp_path_factory.mktemp("sound"), []
    for number, tokenizer in enumerate(TOKENIZERS):
        path = folder / f"{number}.spelling"
        tokenizer.spelling().save(path)
        found.append(path.read_bytes())
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("forged") / "forged.spelling"


def refusal(path, data):
    path.write_bytes(data)
    with pytest.raises(ArtifactError) as refused:
        maskc.load_spelling(path)
    return refused.value.reason


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_spelling_with_a_byte_changed_or_cut_somewhere_is_refused(sound, path, is_cut):
    # Each byte is tests/artifact/test_damage.py's; a file takes milliseconds to write.
    data = sound[0]
    for place in (*range(40), *range(40, len(data), 199)):
        after = b"" if is_cut else bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        assert refusal(path, data[:place] + after)


def test_each_array_must_be_there_and_of_its_type(sound, path):
    header, arrays = decode(sound[0], "sound")
    for name, array in arrays.items():
        others = {other: arrays[other] for other in arrays if other != name}
        wrong = [
            others,
            {**others, name: array.astype(np.int64)},
            {**others, name: array[None]},
            {**others, name: array[:-1]},
        ]
        for changed in wrong:
            assert "is damaged" in refusal(path, encode(header, changed)), name


@pytest.mark.parametrize("key", ["kind", "version", "tokenizer", "chunk_start"])
@pytest.mark.parametrize("value", ODD)
def test_an_entry_of_the_header_that_makes_no_sense_is_refused(sound, path, key, value):
    header, arrays = decode(sound[0], "sound")
    assert refusal(path, encode({**header, key: value}, arrays))


def test_a_part_that_is_below_no_part_is_refused(sound, path):
    # It led from a token back to itself, and its depth was looked for without end.
    header, arrays = decode(sound[0], "sound")
    for name, part in (("token_left", -2), ("token_right", -1), ("token_rank", -1)):
        arrays[name] = arrays[name].copy()
        arrays[name][-2] = part
    assert "token_left has a value below -1" in refusal(path, encode(header, arrays))


def forge(data, draw, n_changes):
    """Return another file with a right checksum, and what was changed."""
    header, arrays = decode(data, "sound")
    told = []
    for _ in range(n_changes):
        if draw.random() < 0.1:
            key, value = draw.choice(sorted(header.keys() - {"format"})), draw.choice(ODD)
            header[key] = value
            told.append(f"{key} = {value!r}")
        else:
            name = draw.choice(sorted(arrays))
            arrays[name] = change_array(arrays[name], draw)
            told.append(f"{name} is {arrays[name]}")
    return encode(header, arrays), told


def change_array(array, draw):
    """Return an array of another length, type or shape, or with some other numbers."""
    kind = draw.random()
    if kind < 0.05:
        return array[: draw.choice([0, len(array) // 2, max(0, len(array) - 1)])]
    if kind < 0.1:
        return array.astype(draw.choice(["bool", "int8", "uint8", "int64", "int32"]))
    if kind < 0.13 or not array.size:
        return draw.choice([array[None], array.reshape(-1)])
    changed = array.copy()
    flat, here = changed.reshape(-1), draw.randrange(array.size)
    others = [int(flat.min()), int(flat.max()), int(flat[draw.randrange(flat.size)])]
    near = [int(flat[here]) - 1, int(flat[here]) + 1]
    value = draw.choice([*others, *near, -1, draw.getrandbits(31)])
    flat[here : here + draw.choice([1, 1, 1, 2, 5])] = np.array([value]).astype(flat.dtype)
    return changed


@pytest.mark.parametrize("number", range(len(TOKENIZERS)))
def test_what_is_forged_was_sound(sound, path, number):
    path.write_bytes(sound[number])
    use(maskc.canonical(ARTIFACTS[number], path), Random(number))


@given(
    st.integers(0, len(TOKENIZERS) - 1),
    st.integers(0, 1 << 30),
    st.sampled_from([1, 1, 2, 3, 6]),
)
@examples(100)
def test_a_forged_spelling_is_refused_or_can_be_used(sound, path, number, seed, n_changes):
    draw = Random(seed)
    data, told = forge(sound[number], draw, n_changes)
    path.write_bytes(data)
    before = time.process_time()
    try:
        canonical = maskc.canonical(ARTIFACTS[number], path)
    except (ArtifactError, SpellingError):
        return
    use(canonical, draw)
    assert time.process_time() - before < SECONDS, told
