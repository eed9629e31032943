"""Which code points one character of a pattern matches, as re says, and their bytes."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.byte_classes import DONE
from maskc.regular.charset import (
    ANY,
    any_set,
    cased_characters,
    class_set,
    complement,
    intersect_any,
    items_set,
    literal_set,
)
from maskc.regular.nodes import Utf8Nodes


def holds(ranges, character):
    return any(low <= ord(character) <= high for low, high in ranges)


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [(r"\w", 0), (r"\W", re.ASCII), ("[^a-z]", re.IGNORECASE), (".", 0), (r"[\d_]", 0)],
)
def test_a_class_matches_what_re_matches(pattern, flags):
    found = class_set(pattern, flags)
    for character in "aZ09_ \n\tàÀÿĀıK٣\U0001f600":
        assert holds(found, character) == bool(re.fullmatch(pattern, character, flags))


def test_a_literal_matches_its_other_cases_where_case_is_ignored():
    assert literal_set(ord("k"), 0) == ((107, 107),)
    # The Kelvin sign is a k.
    assert literal_set(ord("k"), re.IGNORECASE) == ((75, 75), (107, 107), (0x212A, 0x212A))


def test_surrogates_are_in_no_set():
    assert intersect_any(((0xD7FE, 0xE001),)) == ((0xD7FE, 0xD7FF), (0xE000, 0xE001))
    assert literal_set(0xD800, 0) == ()
    assert class_set("(?s:.)", 0) == ANY


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII])
@pytest.mark.parametrize(
    "pattern",
    [
        *("[a-c]", "[^a-c]", "[KkſſIı]", r"[\w.-]", r"[^\W\d_]", r"[\s\S]"),
        *("[\u0345\u03b9\u1e9eß]", "[\ud7f0-\ue010]", "[\U00010400-\U0001045f]"),
    ],
)
def test_a_parsed_bracket_matches_what_re_matches(pattern, flags):
    ((_, items),) = re._parser.parse(pattern)
    assert items_set(tuple(items), flags) == class_set(pattern, flags)


@pytest.mark.parametrize("character", "kKsſıİßẞ\u0345é.1\ud800")
def test_a_literal_matches_what_re_matches_where_case_is_ignored(character):
    for flags in (re.IGNORECASE, re.IGNORECASE | re.ASCII):
        assert literal_set(ord(character), flags) == class_set(re.escape(character), flags)


def test_a_dot_matches_line_breaks_only_where_it_is_told_to():
    assert any_set(0) == class_set(".", 0)
    assert any_set(re.DOTALL) == ANY


def test_a_character_without_cases_and_another_one_never_match_each_other():
    cased = cased_characters()
    # The blocks of alphabets; elsewhere are ideographs, symbols and what is not assigned.
    blocks = [(0, 0x3000), (0xA640, 0xAC00), (0xFB00, 0xFF60), (0x10400, 0x10D00)]
    others = [chr(n) for low, high in blocks for n in range(low, high) if chr(n) not in cased]
    either = re.compile(f"[{re.escape(cased)}]", re.IGNORECASE)
    assert not [character for character in others if either.fullmatch(character)]
    either = re.compile(f"[{re.escape(''.join(others))}]", re.IGNORECASE)
    assert not [character for character in cased if either.fullmatch(character)]


code_points = st.integers(0, 0x10FFFF)
ranges = st.lists(st.tuples(code_points, code_points), max_size=4).map(
    lambda pairs: intersect_any(disjoint(pairs))
)


def disjoint(pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for low, high in sorted((min(p), max(p)) for p in pairs):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def reads(nodes: Utf8Nodes, root: int, data: bytes) -> bool:
    node = root
    for index, byte in enumerate(data):
        targets = [t for first, last, t in nodes.edges[node] if first <= byte <= last]
        if not targets:
            return False
        node = targets[0]
        if node == DONE:
            return index == len(data) - 1
    return False


@given(ranges, code_points.filter(lambda c: not 0xD800 <= c <= 0xDFFF))
@example(((0, 0x7F),), 0x80)
@example(ANY, 0xFFFF)
@example(((0x800, 0xFFFF),), 0x800)
def test_a_character_is_read_iff_it_is_in_the_set(code_point_set, code_point):
    nodes = Utf8Nodes()
    root = nodes.root(code_point_set)
    inside = any(low <= code_point <= high for low, high in code_point_set)
    assert reads(nodes, root, chr(code_point).encode()) == inside


def test_no_overlong_and_no_surrogate_is_read():
    nodes = Utf8Nodes()
    root = nodes.root(ANY)
    assert not reads(nodes, root, b"\xc0\x80")
    assert not reads(nodes, root, b"\xe0\x80\x80")
    assert not reads(nodes, root, b"\xed\xa0\x80")
    assert not reads(nodes, root, b"\xf4\x90\x80\x80")


def test_equal_subtrees_are_one_node():
    nodes = Utf8Nodes()
    nodes.root(ANY)
    assert len(nodes.edges) == 8


@given(ranges)
def test_complement_is_an_involution(code_point_set):
    assert complement(complement(code_point_set)) == code_point_set


def test_a_negated_class_leaves_out_surrogates():
    assert class_set("[^a]", 0) == ((0, 0x60), (0x62, 0xD7FF), (0xE000, 0x10FFFF))
