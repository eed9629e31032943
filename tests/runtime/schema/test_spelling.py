import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.strings import ESCAPES, Body, ranges_after

BEGINNINGS = (
    *(b"\\", b"\\u", b"\\u0", b"\\u00e", b"\\uD", b"\\ud83", b"\\ud83d", b"\\ud83d\\u", b"\xc3"),
    *(b"\\ud83d\\ud", b"\\ud83d\\udE", b"\\ud83d\\ude0", b"\xe0", b"\xe2\x82", b"\xed", b"\xf0"),
    *(b"\xf0\x9f", b"\xf0\x9f\x98", b"\xf4"),
)
PATTERNS = [
    "^[a-z]",
    "^[^/]",
    "^\\s",
    "^[\\u00e0-\\u00ef]$",
    "^.$",
    "^\\uD83D",
    "^[\\u20a0-\\u20ff]",
]


@pytest.mark.parametrize("raw", BEGINNINGS)
@pytest.mark.parametrize("escapes", ESCAPES)
def test_a_beginning_leads_where_the_body_says(raw, escapes):
    for pattern in PATTERNS:
        dfa = build_pattern(pattern)
        body = Body(dfa, escapes=escapes)
        at = body.start
        for byte in raw:
            at = body.step(at, byte) if at else 0
        expected = body.targets[at] if at else frozenset()
        ranges = ranges_after(raw, escapes=escapes)
        if escapes == "minimal" and len(raw) >= 6 and raw[:1] == b"\\":
            continue  # no character is written as a pair
        if escapes == "ascii" and raw[0] > 0x7F:
            ranges = ()
        assert dfa.targets_of(dfa.start, ranges) == expected, pattern
