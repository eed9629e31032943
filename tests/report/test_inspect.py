"""Where an artifact's bytes go."""

import json

import numpy as np

from maskc.report.inspect import N_LARGEST, Inspection, print_inspection

HEADER = {
    "format": 1,
    "maskc": "0.1.0",
    "grammar": {
        "name": "g.lark",
        "text": "",
        "imports": {"words.lark": ""},
        "start": "start",
        "lexer": "basic",
        "postlex": None,
        "sha256": "ab" * 32,
    },
    "tokenizer": {
        "name": "t",
        "fingerprint": "cd" * 32,
        "vocab_size": 1024,
        "eos_ids": [1000, 1001],
        "n_tokens": 1000,
    },
    "counts": {"lalr_states": 1234},
}


def inspection(n_sections):
    arrays = {f"s{i:02}": np.zeros(1000 * (i + 1), dtype=np.uint8) for i in range(n_sections)}
    return Inspection("a.maskc", 1_000_000, HEADER, arrays)


def test_the_facts_are_printed(capsys):
    print_inspection(inspection(1))
    out = capsys.readouterr().out
    for fact in (
        "a.maskc",
        "1.00 MB (1,000,000 bytes)",
        "maskc 0.1.0, format 1",
        "g.lark",
        "basic",
        "words.lark",
        "1,024 ids: 1,000 with text, 24 special or padding",
        "1000, 1001",
        "lalr states",
        "1,234",
    ):
        assert fact in out


def test_small_sections_are_one_line(capsys):
    print_inspection(inspection(N_LARGEST + 2))
    out = capsys.readouterr().out
    assert "s13" in out
    assert "s01" not in out
    assert "2 smaller ones" in out
    assert "3.00 kB" in out


def test_few_sections_are_all_named(capsys):
    print_inspection(inspection(N_LARGEST))
    out = capsys.readouterr().out
    assert "s00" in out
    assert "smaller ones" not in out


def test_the_dictionary_is_json_and_has_every_section():
    found = json.loads(json.dumps(inspection(20).to_dict()))
    assert len(found["sections"]) == 20
    assert found["sections"]["s00"] == {"dtype": "uint8", "shape": [1000], "nbytes": 1000}
    assert found["header"] == HEADER
