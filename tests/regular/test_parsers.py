"""Patterns as one tree, whichever parser reads them: without flags, in the order of tries."""

import re

import pytest

from maskc.regular import (
    EMPTY_TEXT,
    LAZY,
    POSSESSIVE,
    Alternation,
    Anchor,
    Atomic,
    BackReference,
    CapturingGroup,
    Characters,
    Conditional,
    Look,
    Repeat,
    Sequence,
    least_width,
    literal,
    walk,
)
from maskc.regular.charset import MAX_CODE_POINT
from maskc.regular.ecma import parse_pattern
from maskc.regular.python import read_python

A, B = literal("a"), literal("b")


@pytest.mark.parametrize(
    ("pattern", "flags", "tree"),
    [
        ("ab|ac", 0, Sequence((A, Characters(((98, 99),))))),
        ("(?i:k)a", 0, Sequence((Characters(((75, 75), (107, 107), (0x212A, 0x212A))), A))),
        ("a+?", 0, Repeat(A, 1, None, LAZY)),
        ("a{2,3}+", 0, Repeat(A, 2, 3, POSSESSIVE)),
        ("(?>a)", 0, Atomic(A)),
        ("(?<!a)", 0, Look(A, positive=False, ahead=False)),
        (r"(?m:^)\b", re.ASCII, Sequence((Anchor("^", True, True), Anchor("b", False, True)))),
        (
            "(?P<q>a)?(?(q)b)",
            0,
            Sequence((Repeat(CapturingGroup(A, 1), 0, 1), Conditional(1, B, EMPTY_TEXT))),
        ),
        (r"(aa)\1", 0, Sequence((CapturingGroup(Sequence((A, A)), 1), BackReference(1, 2)))),
    ],
)
def test_a_pattern_of_re_is_a_tree(pattern, flags, tree):
    assert read_python(pattern, flags) == tree


@pytest.mark.parametrize(
    ("pattern", "tree"),
    [
        ("a|b{2}?", Alternation((A, Repeat(B, 2, 2)))),
        (r"^(?!a)\B$", Sequence((Anchor("^"), Look(A, False), Anchor("B"), Anchor("$")))),
        (r"(?<q>a)\u{62}", Sequence((A, B))),
        # No text has half of a surrogate pair alone.
        (r"[^\ud800]", Characters(((0, MAX_CODE_POINT),))),
        (r"[\ud800]", Characters(())),
    ],
)
def test_a_pattern_of_ecma_262_is_a_tree(pattern, tree):
    assert parse_pattern(pattern) == tree


def test_the_parts_of_a_tree_come_in_the_order_of_the_text():
    letters = [node for node in walk(read_python("a(?:b|cd)e+")) if isinstance(node, Characters)]
    assert letters == list(map(literal, "abcde"))


@pytest.mark.parametrize("pattern", ["", "a*b{2,}", "(?:ab|c)(?=d)", r"(a|bc)\1", "(?(1)a|b)?(c)"])
def test_the_least_width_is_that_of_re(pattern):
    assert least_width(read_python(pattern)) == re._parser.parse(pattern).getwidth()[0]
