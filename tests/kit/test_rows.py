"""Rows from a kit's file are those that are worked out."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maskc
from maskc.kit.file import load_kit, make_kit, save_kit
from maskc.kit.kit import Kit
from maskc.vocab.vocabulary import Vocabulary

# Tokens that end inside a character, in UTF-8 and in an escape, and after a quote.
TEXTS = (
    *(bytes([byte]) for byte in range(0x20, 0x7F)),
    *(b'a"', b'",', b'": ', b'b":', b'"}', b"ab", b"  ", b' "', b'{"', b"\n", b"\n  "),
    *("é".encode(), b"\xc3", b"a\xc3", b"\xa9", b"\xa9b", b"\xf0\x9f", b"\x98\x80", b"\xe0\xa4"),
    *(
        b"\\u",
        b"a\\u",
        b"\\u00",
        b"00",
        b"e9",
        b"e9a",
        b'e9"',
        b"\\ud83d",
        b"\\ude00",
        b'\\n"',
        b'n"',
    ),
)
VOCABULARY = Vocabulary((*TEXTS, None), (len(TEXTS),), "escaped")
SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "string"},
    {"type": "string", "maxLength": 3},
    {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
    {"type": "object", "properties": {"ab": {"type": "integer"}}},
    {"enum": ["aé", "b"]},
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("kit") / "escaped.kit"
    save_kit(make_kit(VOCABULARY), target)
    return target


def _check_walk(kit: Kit, schema: dict[str, Any], draw: random.Random) -> None:
    """Walk at random; each mask must be what the machine reads, token by token."""
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    matcher = kit.json_schema(schema).matcher()
    for _ in range(12):
        matcher.fill_bitmask(bitmask, 0)
        bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: kit.vocab_size]
        legal = [t for t, text in enumerate(TEXTS) if matcher.fork().accept_bytes(text)]
        ends = [len(TEXTS)] if matcher.is_accepting else []
        assert np.flatnonzero(bits).tolist() == legal + ends
        if not legal:
            return
        assert matcher.accept_token(draw.choice(legal))


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
@pytest.mark.parametrize("mapped", [False, True])
def test_masks_of_a_loaded_kit_are_what_its_machines_read(
    path: Path, schema: dict[str, Any], *, mapped: bool
) -> None:
    for seed in range(4):
        _check_walk(load_kit(path, mapped=mapped), schema, random.Random(seed))


def test_what_lies_in_the_file_is_not_worked_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = load_kit(path)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("maskc.runtime.schema.scans.spelled._read_plain", refuse)
    monkeypatch.setattr("maskc.runtime.schema.scans.scans.scan_levels", refuse)
    monkeypatch.setattr("maskc.runtime.schema.scans.gaps._longest_run", refuse)
    kit.prepare()


def test_a_kit_that_was_used_is_saved_as_a_new_one(path: Path, tmp_path: Path) -> None:
    kit = make_kit(VOCABULARY)
    _check_walk(kit, SCHEMAS[0], random.Random(1))
    save_kit(kit, tmp_path / "used.kit")
    assert (tmp_path / "used.kit").read_bytes() == path.read_bytes()
