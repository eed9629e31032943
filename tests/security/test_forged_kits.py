"""Kits and spellings that load can be used, whatever their bytes; others are refused."""

import time
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.artifact.container import decode, encode
from maskc.errors import ArtifactError, SpellingError
from maskc.kit.file import load_kit
from tests.compiled import compile_text
from tests.examples import examples
from tests.security.forged_kits import (
    SMALL,
    change_array,
    forge_kit,
    load_forged_kit,
    make_examples,
    use_kit,
)
from tests.security.forging import use
from tests.spellings import draw_tokenizer

KITS = make_examples()


@pytest.mark.parametrize("number", range(300))
def test_a_forged_kit_is_refused_or_can_be_used(number, tmp_path):
    draw = Random(number)
    data, _ = forge_kit(draw.choice(KITS), draw)
    kit = load_forged_kit(data, tmp_path / "forged.kit")
    if kit is not None:
        use_kit(kit, draw)


@pytest.mark.parametrize("data", KITS)
def test_what_is_forged_was_sound(data, tmp_path):
    kit = load_forged_kit(data, tmp_path / "sound.kit")
    for seed in range(8):
        use_kit(kit, Random(seed))


def give_an_end_id_text(_arrays, tokenizer):
    tokenizer["eos_ids"] = [3]


def change_a_byte_of_the_trie(arrays, _tokenizer):
    arrays["trie_byte"][arrays["trie_byte"] == ord("a")] = ord("b") - 2


def change_a_byte_of_a_token(arrays, _tokenizer):
    arrays["token_bytes"][b"".join(SMALL).index(b"b")] = ord("c")


def exchange_the_order(arrays, _tokenizer):
    arrays["order"][[0, 1]] = arrays["order"][[1, 0]]


def move_a_quote(arrays, _tokenizer):
    arrays["quote_places"][0] += 1


def exchange_rests(arrays, _tokenizer):
    arrays["quote_rests"][:] = arrays["quote_rests"][0]


def close_a_string_by_another_character(arrays, _tokenizer):
    arrays["spelled_kinds"][arrays["spelled_kinds"] == 0] = 3
    arrays["spelled_places"][:] = np.minimum(arrays["spelled_places"], 3)


def move_items_to_another_node(arrays, _tokenizer):
    ending = arrays["spelled_ending"]
    here = int(np.flatnonzero(ending)[0])
    ending[0] += ending[here]
    ending[here] = 0


TRIE = "the trie of tokens is not that of the tokens"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (give_an_end_id_text, "end ids are tokens that write text"),
        (change_a_byte_of_the_trie, TRIE),
        (change_a_byte_of_a_token, TRIE),
        (exchange_the_order, TRIE),
        (move_a_quote, "the quotes are not those of the tokens"),
        (exchange_rests, "the suffixes after quotes are not those of the tokens"),
        (close_a_string_by_another_character, "an item closes a string of other characters"),
        (move_items_to_another_node, "the items are not those of the nodes"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(tmp_path, change, reason):
    header, arrays = decode(KITS[1], "small")
    tokenizer = dict(header["tokenizer"])
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(arrays, tokenizer)
    (tmp_path / "forged.kit").write_bytes(encode({**header, "tokenizer": tokenizer}, arrays))
    with pytest.raises(ArtifactError) as caught:
        load_kit(tmp_path / "forged.kit")
    assert reason in caught.value.reason


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


def spelling_refusal(path, data):
    path.write_bytes(data)
    with pytest.raises(ArtifactError) as refused:
        maskc.load_spelling(path)
    return refused.value.reason


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_spelling_with_a_byte_changed_or_cut_somewhere_is_refused(sound, path, is_cut):
    # Each byte is tests/artifact/test_damage.py's; a file takes milliseconds to write.
    data = sound[0]
    for index in (*range(40), *range(40, len(data), 199)):
        after = b"" if is_cut else bytes([data[index] ^ 0xFF]) + data[index + 1 :]
        assert spelling_refusal(path, data[:index] + after)


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
            assert "is damaged" in spelling_refusal(path, encode(header, changed)), name


@pytest.mark.parametrize("key", ["kind", "version", "tokenizer", "chunk_start"])
@pytest.mark.parametrize("value", ODD)
def test_an_entry_of_the_header_that_makes_no_sense_is_refused(sound, path, key, value):
    header, arrays = decode(sound[0], "sound")
    assert spelling_refusal(path, encode({**header, key: value}, arrays))


def test_a_part_that_is_below_no_part_is_refused(sound, path):
    # It led from a token back to itself, and its depth was looked for without end.
    header, arrays = decode(sound[0], "sound")
    for name, part in (("token_left", -2), ("token_right", -1), ("token_rank", -1)):
        arrays[name] = arrays[name].copy()
        arrays[name][-2] = part
    assert "token_left has a value below -1" in spelling_refusal(path, encode(header, arrays))


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
            arrays[name], what = change_array(arrays[name], draw)
            told.append(f"{name}{what}")
    return encode(header, arrays), told


@pytest.mark.parametrize("number", range(len(TOKENIZERS)))
def test_a_spelling_that_is_forged_was_sound(sound, path, number):
    path.write_bytes(sound[number])
    use(maskc.canonical(ARTIFACTS[number], path), Random(number))


@given(
    st.integers(0, len(TOKENIZERS) - 1), st.integers(0, 1 << 30), st.sampled_from([1, 1, 2, 3, 6])
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
