"""A kit is written and read back, with rows that are worked out; a damaged file is refused."""

import json
import random
from typing import Any

import pytest

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError
from maskc.kit.file import load_kit, make_kit, save_kit
from maskc.runtime.schema.scans import character_trie
from maskc.runtime.schema.tries import ROOT
from maskc.vocab.vocabulary import Vocabulary
from tests.kit.conftest import fill, legal

TEXTS = (b"a", b"ab", b'"', b'",', b'a"}', b"b", b" ", b"  ", None, b"{", b'{"', b"}", b":", b"1")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    kit = make_kit(Vocabulary((*TEXTS, None), (len(TEXTS),), "small"))
    target = tmp_path_factory.mktemp("kit") / "small.kit"
    assert save_kit(kit, target) == target.stat().st_size
    return target


def _fill(kit):
    piece = kit.json_schema({"type": "object", "properties": {"a": {"type": "integer"}}})
    made = [piece, kit.sequence(piece, kit.choice(["a", "ab"])), kit.regex(' *"[ab]*"')]
    rows = []
    for constraint in made:
        for text in (b"", b'{"', b'{"a": 1'):
            matcher = constraint.matcher()
            if matcher.accept_bytes(text):
                rows.append(fill(matcher, kit.vocab_size).tolist())
    return rows


@pytest.mark.parametrize("mapped", [False, True])
def test_a_kit_that_is_loaded_has_the_masks_of_one_that_is_made(path, *, mapped):
    made = make_kit(Vocabulary((*TEXTS, None), (len(TEXTS),), "small"))
    loaded = maskc.load_kit(path, mapped=mapped)
    assert loaded.fingerprint == made.fingerprint
    assert _fill(loaded) == _fill(made)


def test_the_same_kit_has_the_same_bytes(path, tmp_path):
    save_kit(load_kit(path), tmp_path / "again.kit")
    assert (tmp_path / "again.kit").read_bytes() == path.read_bytes()


def test_an_artifact_is_no_kit_and_a_kit_no_artifact(path, tmp_path):
    artifact = maskc.compile_grammar('start: "a"\n', tokenizer="bytes")
    artifact.save(tmp_path / "a.maskc")
    (tmp_path / "b.kit").write_bytes(encode({"format": FORMAT, "kind": "another"}, {}))
    for name in ("a.maskc", "b.kit"):
        with pytest.raises(ArtifactError, match="not a kit"):
            load_kit(tmp_path / name)
    with pytest.raises(ArtifactError, match="is a kit, not an artifact"):
        maskc.load(path)


def test_a_kit_that_is_cut_off_is_refused(path, tmp_path):
    data = path.read_bytes()
    for length in (0, 10, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.kit").write_bytes(data[:length])
        with pytest.raises(ArtifactError):
            load_kit(tmp_path / "cut.kit")


# Tokens that end inside a character, in UTF-8 and in an escape, and after a quote.
ESCAPED = (
    *(bytes([byte]) for byte in range(0x20, 0x7F)),
    *(b'a"', b'",', b'": ', b'b":', b'"}', b"ab", b"  ", b' "', b'{"', b"\n", b"\n  "),
    *("é".encode(), b"\xc3", b"a\xc3", b"\xa9", b"\xa9b", b"\xf0\x9f", b"\x98\x80", b"\xe0\xa4"),
    *(b"\\u", b"a\\u", b"\\u00", b"00", b"e9", b"e9a", b'e9"', b"\\ud83d", b"\\ude00"),
    *(b'\\n"', b'n"'),
)
VOCABULARY = Vocabulary((*ESCAPED, None), (len(ESCAPED),), "escaped")
SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "string"},
    {"type": "string", "maxLength": 3},
    {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
    {"type": "object", "properties": {"ab": {"type": "integer"}}},
    {"enum": ["aé", "b"]},
)


@pytest.fixture(scope="module")
def escaped_path(tmp_path_factory):
    target = tmp_path_factory.mktemp("kit") / "escaped.kit"
    save_kit(make_kit(VOCABULARY), target)
    return target


def _check_walk(kit, schema, draw):
    """Walk at random; each mask must be what the machine reads, token by token."""
    matcher = kit.json_schema(schema).matcher()
    for _ in range(12):
        read = [t for t, text in enumerate(ESCAPED) if matcher.fork().accept_bytes(text)]
        ends = [len(ESCAPED)] if matcher.is_accepting else []
        assert legal(matcher, kit.vocab_size) == {*read, *ends}
        if not read:
            return
        assert matcher.accept_token(draw.choice(read))


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
@pytest.mark.parametrize("mapped", [False, True])
def test_masks_of_a_loaded_kit_are_what_its_machines_read(escaped_path, schema, *, mapped):
    for seed in range(4):
        _check_walk(load_kit(escaped_path, mapped=mapped), schema, random.Random(seed))


def test_what_lies_in_the_file_is_not_worked_out(escaped_path, monkeypatch):
    kit = load_kit(escaped_path)

    def read_few(trie, nodes, free, before):
        assert trie is not kit.tokens.index.tokens or nodes != (ROOT,) or before
        return read_items(trie, nodes, free, before)

    read_items = character_trie._read_items
    monkeypatch.setattr(character_trie, "_read_items", read_few)
    kit.prepare()


NAMES = {"properties": {"name": {"type": "null"}, "n\n": {"type": "null"}}}
PREFIXES = {"patternProperties": {"^x-": {"type": "null"}, "^\\\\": {}}}


@pytest.mark.parametrize("schema", [NAMES, PREFIXES], ids=["names", "prefixes"])
@pytest.mark.parametrize("begun", [b"\\", b"n\\", b"\\u", b"\\u00", b"\xf0", b"\\ud83d"])
def test_no_schema_reads_the_vocabulary_anew_inside_a_character_of_a_key(
    escaped_path, schema, begun, monkeypatch
):
    kit = load_kit(escaped_path)

    def refuse(*_, **__):
        raise AssertionError

    for some in ({"type": "object"}, schema):
        matcher = kit.json_schema(some).matcher()
        assert matcher.accept_bytes(b'{"' + begun)
        fill(matcher, kit.vocab_size)
        monkeypatch.setattr("maskc.runtime.schema.scans.character_trie.tabulate_items", refuse)


def test_a_kit_that_was_used_is_saved_as_a_new_one(escaped_path, tmp_path):
    kit = make_kit(VOCABULARY)
    _check_walk(kit, SCHEMAS[0], random.Random(1))
    save_kit(kit, tmp_path / "used.kit")
    assert (tmp_path / "used.kit").read_bytes() == escaped_path.read_bytes()
