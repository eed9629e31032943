"""What a header says, for the tests of reports."""

import numpy as np

from maskc.compiler.pipeline import PassRecord
from maskc.report.inspect import Inspection

GRAMMAR = """\
start: "[" (value ("," value)*)? "]"
value: NUMBER | start | "+=" | "-="
NUMBER: /[0-9]+/
"""


def curve(*values):
    """Return 101 percentiles that rise in equal steps."""
    return [values[min(i * len(values) // 101, len(values) - 1)] for i in range(101)]


STREAMLINING = [
    {"step": "raw", "rows": 1200, "stored": 900, "per_state": curve(0, 1, 40, 400)},
    {"step": "open lexemes", "rows": 1300, "stored": 700, "per_state": curve(0, 1, 30, 300)},
    {"step": "interchangeable", "rows": 1000, "stored": 600, "per_state": curve(0, 1, 20, 300)},
    {"step": "follow", "rows": 1000, "stored": 600, "per_state": curve(0, 1, 20, 300)},
    {"step": "pairs", "rows": 500, "stored": 300, "per_state": curve(0, 0, 10, 90)},
    {"step": "sequences", "rows": 100, "stored": 80, "per_state": curve(0, 0, 1, 20)},
]

UNDECIDED = {
    "pairs": 1210,
    "median": 4,
    "p90": 8,
    "p99": 9,
    "max": 17,
    "per_pair": curve(0, 4, 8, 17),
    "moves": {"median": 1, "p99": 2, "max": 3},
    "examples": [
        {
            "sequence": ["RSQB", "open: COMMA | __ANON_0"],
            "pairs": 33,
            "why": "RSQB ends what was begun further down, and __ANON_0 decides",
        }
    ],
}

HEADER = {
    "format": 2,
    "maskc": "0.1.0",
    "grammar": {
        "name": "g.lark",
        "text": GRAMMAR,
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
    "counts": {"lalr_states": 1234, "productions": 9, "not_lexed_apart": 2, "questions": 17},
    "streamlining": STREAMLINING,
    "classes": [["__ANON_0", "__ANON_1"]],
    "residue": UNDECIDED,
    "left_out": None,
    "not_lexed_apart": [
        {"first": "__ANON_0", "second": "NUMBER", "witness": b"a\n\xff"},
        {"first": "NUMBER", "second": "NUMBER", "witness": b"00"},
    ],
}

TIMINGS = (PassRecord("grammar", 0.5, 0.4, 88.0), PassRecord("streamline raw", 2.5, 2.1, 190.4))


def inspection(*, header=HEADER, n_sections=1, timings=(), view=None):
    """Return what was read of an artifact of a megabyte."""
    arrays = {f"s{i:02}": np.zeros(1000 * (i + 1), dtype=np.uint8) for i in range(n_sections)}
    return Inspection("folder/a.maskc", 1_000_000, header, arrays, timings, view)
