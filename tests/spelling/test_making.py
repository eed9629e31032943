"""Files of tokenizers become merges and chunks, or are refused by name; such a file is checked."""

import json
from random import Random

import numpy as np
import pytest

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, SpellingError, TokenizerError
from maskc.runtime.spelling import KIND
from maskc.vocab import load_encoder
from maskc.vocab.huggingface import decode_byte_level
from tests.compiled import legal_ids
from tests.spellings import draw_tokenizer
from tests.vocab import gguf_bytes

SPACE = "Ġ"  # as byte-level files write it
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}
# Without classes that the package is asked for, which takes a second each.
STAGES = [
    {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    for regex in ("[0-9]{1,2}", " ?[a-z]+|[ \n]+(?![^ \n])|[ \n]+")
]


def byte_pieces():
    """Return the pieces of all bytes, in GPT-2's alphabet."""
    return sorted({chr(c) for c in range(0x200) if len(decode_byte_level(chr(c))) == 1})


def write_file(folder, **changes):
    """Write a small byte-level tokenizer.json, and return its folder."""
    pieces = [*byte_pieces(), "in", f"{SPACE}a", "ing", f"{SPACE}{SPACE}", "12", "an", "and"]
    model = {
        "type": "BPE",
        "vocab": {piece: number for number, piece in enumerate(pieces)},
        "merges": ["i n", f"{SPACE} a", "in g", f"{SPACE} {SPACE}", "1 2", "a n", "an d"],
    }
    contents = {
        "model": model | changes.pop("model", {}),
        "decoder": BYTE_LEVEL,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*STAGES, BYTE_LEVEL]},
        "added_tokens": [{"id": len(pieces), "content": "</s>", "special": True}],
        **changes,
    }
    (folder / "tokenizer.json").write_text(json.dumps(contents))
    return str(folder)


def test_a_byte_level_file_is_followed_as_its_own_package_does(tmp_path):
    pytest.importorskip("tokenizers")
    folder = write_file(tmp_path)
    spelling, encoder = maskc.compile_spelling(folder), load_encoder(folder)
    artifact = maskc.compile_grammar("start: /[\\s\\S]+/", tokenizer=folder)
    canonical = maskc.canonical(artifact, spelling)
    draw = Random(1)
    for _ in range(40):
        text = "".join(draw.choices(["and", "ing", " ", "a", "1", "2", "\n", "é", "!", "'s"], k=6))
        ids = encoder.encode(text)
        matcher = canonical.matcher()
        for number, token in enumerate(ids):
            legal = legal_ids(matcher, artifact.vocab_size)
            assert token in legal, text
            # And no other token after which the text goes on so.
            rest = b"".join(encoder.tokens[i] for i in ids[number:])
            others = {i for i in legal - {token} if rest.startswith(encoder.tokens[i] or b"?")}
            for other in others:
                after = matcher.fork()
                assert after.accept_token(other)
                left = rest[len(encoder.tokens[other]) :]
                assert not (after.accept_bytes(left) and after.is_accepting)
            assert matcher.accept_token(token)
        assert matcher.is_accepting


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pre_tokenizer": {"type": "Whitespace"}}, "a step Whitespace"),
        ({"model": {"unk_token": "!"}}, "begins with characters"),
        ({"model": {"merges": ["i q"]}}, "merge 0 is not of two pieces"),
    ],
)
def test_what_is_not_followed_is_refused_by_name(tmp_path, changes, said):
    pytest.importorskip("tokenizers")
    folder = write_file(tmp_path, **changes)
    with pytest.raises(TokenizerError, match=said):
        maskc.compile_spelling(folder)


def test_a_unigram_model_is_refused_by_name(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    pieces = [("<unk>", 0.0), ("\u2581", -1.0), ("a", -2.0), ("ab", -2.5)]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 0, True))
    tokenizer.add_special_tokens(["</s>"])
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(TokenizerError, match="of type Unigram, which does not merge"):
        maskc.compile_spelling(tmp_path / "tokenizer.json")


def test_added_tokens_that_are_text_are_refused_by_name(tmp_path):
    pytest.importorskip("tokenizers")
    n_pieces = len(byte_pieces()) + 7
    added = [
        {"id": n_pieces, "content": "hello", "special": False},
        {"id": n_pieces + 1, "content": "</s>", "special": True},
    ]
    folder = write_file(tmp_path, added_tokens=added)
    with pytest.raises(TokenizerError, match="its added token b'hello' is found in texts"):
        maskc.compile_spelling(folder)


def test_gguf_files_are_refused_by_name(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf_bytes.tokenizer("gpt2", ["a", "b", "</s>"]))
    with pytest.raises(TokenizerError, match="is a GGUF file"):
        maskc.compile_spelling(str(path))


def test_another_vocabulary_is_refused(tmp_path):
    artifact = maskc.compile_grammar('start: "a"', tokenizer="bytes")
    pytest.importorskip("tokenizers")
    other = maskc.compile_spelling(write_file(tmp_path))
    with pytest.raises(maskc.MaskcError, match="another vocabulary"):
        maskc.canonical(artifact, other)


def test_padding_is_never_legal():
    artifact = maskc.compile_grammar('start: "a"', tokenizer="bytes", vocab_size=300)
    matcher = maskc.canonical(artifact, maskc.compile_spelling("bytes")).matcher()
    assert legal_ids(matcher, 300) == {ord("a")}


@pytest.fixture(scope="module")
def spelling():
    return draw_tokenizer(Random(3)).spelling()


def change(spelling, name, index, value):
    arrays = {key: array.copy() for key, array in spelling.arrays.items()}
    arrays[name][index] = value
    return arrays


def test_what_is_saved_is_loaded(spelling, tmp_path):
    path = tmp_path / "small.spelling"
    spelling.save(path)
    loaded = maskc.load_spelling(path)
    assert loaded.count() == spelling.count()
    assert all(np.array_equal(loaded.arrays[name], a) for name, a in spelling.arrays.items())


@pytest.mark.parametrize(
    ("name", "index", "value"),
    [
        ("merge_right", 0, 1 << 20),
        ("merge_first", 5, -1),
        ("token_left", 260, 260),
        ("whole_first", 0, 1),
        ("edge_symbol", 0, 1 << 20),
        ("kind", 0, 9),
        ("chunk_next", (1, 0), 1 << 20),
        ("byte_class", 0, 255),
        ("cut_first", 1, 999),
        ("cut_node", 0, 0),
        ("token_rank", 97, 3),
    ],
)
def test_a_damaged_file_is_refused(spelling, tmp_path, name, index, value):
    path = tmp_path / "bad.spelling"
    header = {**spelling.header, "format": FORMAT, "kind": KIND}
    path.write_bytes(encode(header, change(spelling, name, index, value)))
    with pytest.raises(ArtifactError, match="is damaged"):
        maskc.load_spelling(path)


def test_merges_that_come_twice_are_refused(spelling, tmp_path):
    # The pairs of a token would be as many as its merges times the tokens that they touch.
    arrays = change(spelling, "kind", 0, 1)
    n_merges = len(arrays["merge_right"])
    for name in ("merge_right", "merge_rank"):
        arrays[name] = np.repeat(arrays[name][:1], n_merges)
    arrays["merge_first"][98:] = n_merges
    path = tmp_path / "bad.spelling"
    path.write_bytes(encode({**spelling.header, "format": FORMAT, "kind": KIND}, arrays))
    with pytest.raises(ArtifactError, match="merges are not in order"):
        maskc.load_spelling(path)


def test_an_older_file_is_refused_by_its_version(spelling, tmp_path):
    path = tmp_path / "old.spelling"
    header = {**spelling.header, "format": FORMAT, "kind": KIND}
    del header["version"]
    path.write_bytes(encode(header, spelling.arrays))
    with pytest.raises(ArtifactError, match="has version 1 of the tables, and this maskc reads 2"):
        maskc.load_spelling(path)


def test_another_file_is_no_spelling(tmp_path):
    path = tmp_path / "a.maskc"
    maskc.compile_grammar('start: "a"', tokenizer="bytes").save(path)
    with pytest.raises(ArtifactError, match="does not say how a tokenizer writes"):
        maskc.load_spelling(path)


def test_a_shortest_completion_is_refused():
    artifact = maskc.compile_grammar('start: "a"', tokenizer="bytes")
    matcher = maskc.canonical(artifact, maskc.compile_spelling("bytes")).matcher()
    with pytest.raises(SpellingError, match="call it on a matcher"):
        matcher.shortest_completion()
