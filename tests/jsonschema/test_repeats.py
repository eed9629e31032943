"""Counts that need no states: a pattern is found where ``re`` finds it, whatever is left of it."""

import random
import re
from itertools import product

import pytest

from maskc.jsonschema import patterns
from maskc.jsonschema.patterns import build_pattern, flatten, shorten, split_lengths, split_pattern
from maskc.regular.ecma import parse_pattern
from tests.examples import seeds

_TEXTS = ["".join(letters) for n in range(8) for letters in product("ab", repeat=n)]


def _draw(draw, depth):
    kind = draw.randrange(7) if depth else 0
    if kind < 2:
        return draw.choice(["a", "b", "[ab]", "ab", "."])
    if kind < 4:
        return _draw(draw, depth - 1) + _draw(draw, depth - 1)
    if kind == 4:
        return f"(?:{_draw(draw, depth - 1)}|{_draw(draw, depth - 1)})"
    low = draw.randint(0, 3)
    count = draw.choice(["*", "+", "?", f"{{{low}}}", f"{{{low},{low + draw.randint(0, 3)}}}"])
    return f"(?:{_draw(draw, depth - 1)}){count}"


def _draw_whole(draw):
    pattern = _draw(draw, 3)
    if draw.random() < 0.5:
        pattern = f"{draw.choice(['^', '^', ''])}(?:{pattern}){draw.choice(['$', '$', ''])}"
    if draw.random() < 0.2:
        pattern += draw.choice([r"\b", "(?!a)", "(?=b+)"])
    if draw.random() < 0.3:
        pattern = f"^a(?:{_draw(draw, 1)}){{2,4}}b$|{pattern}"
    return pattern


@pytest.mark.parametrize("seed", seeds(25))
def test_random_patterns_are_found_where_re_finds_them(seed, monkeypatch):
    monkeypatch.setattr(patterns, "_FEW_STATES", 0)
    draw = random.Random(seed)
    for _ in range(4):
        pattern = _draw_whole(draw)
        compiled = re.compile(pattern.replace("$", r"\Z"))
        dfa, parts = build_pattern(pattern), split_pattern(pattern)
        for text in _TEXTS:
            expected = compiled.search(text) is not None
            assert (dfa.labels[dfa.read(text)] >= 0) == expected, (pattern, text)
            found = any(
                part.labels[part.read(text)] >= 0
                and low <= len(text)
                and (high is None or len(text) <= high)
                for part, low, high in parts
            )
            assert found == expected, (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "shorter"),
    [
        ("[a-z]{2,65536}", "[a-z]{2}"),
        ("^[a-z]{1,65536}", "^[a-z]"),
        ("a*b{1,9}(?:c|d+)", "b(?:c|d)"),
        ("a{3,}$|^b?", "a{3}$|^"),
        ("^a{1,9}$", "^a{1,9}$"),
        (r"a{1,9}\b", r"a\b"),
    ],
)
def test_what_may_stand_around_a_pattern_is_left_to_it(pattern, shorter):
    assert shorten(parse_pattern(pattern)) == shorten(parse_pattern(shorter))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^ab[0-9]{1,65536}$", [("^ab[0-9]*$", 3, 65_538)]),
        ("^(?:ab|cd){20,65536};?;$", [("^(?:ab|cd){20,65536};?;$", 0, None)]),
        ("^(?:[0-9]{2}:){1,999}[0-9]{2}$", [("^(?:[0-9]{2}:)*[0-9]{2}$", 5, 2_999)]),
        ("^(?:a{70}|b{90,}|c+)$", [("^a*$", 70, 70), ("^b*$", 90, None), ("^c*$", 1, None)]),
        ("^[a-z]{1,99}-[a-z]{1,99}$", [("^[a-z]{1,99}-[a-z]{1,99}$", 0, None)]),
        ("^x[a-z]{1,9}$", [("^x[a-z]{1,9}$", 0, None)]),
    ],
)
def test_the_length_of_a_string_counts_the_passes_of_a_loop(pattern, expected):
    def flat(node):
        return list(flatten(node))

    found = split_lengths(parse_pattern(pattern))
    assert [(flat(node), low, high) for node, low, high in found] == [
        (flat(parse_pattern(text)), low, high) for text, low, high in expected
    ]
