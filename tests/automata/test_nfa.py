"""Patterns of ``re`` as nodes: the order of choices, and what is refused."""

import re

import pytest

from maskc.automata import nfa as automaton
from maskc.automata.nfa import Nfa
from maskc.automata.nodes import Char, LookAround
from maskc.errors import UnsupportedTerminalError
from tests.automata.test_threads import match_end


def nodes_of(pattern, flags=0):
    nfa = Nfa()
    return nfa, nfa.add_pattern("T", pattern, flags, 7)


def test_words_share_their_beginnings():
    nfa, _ = nodes_of("|".join(f"prefix{n}" for n in range(10)))
    assert sum(isinstance(node, Char) for node in nfa.nodes) < 30


def test_equal_look_behinds_are_one():
    nfa, _ = nodes_of("(?<=a)b|(?<=a)c")
    assert len(nfa.look_behinds) == 1
    assert sum(isinstance(node, LookAround) for node in nfa.nodes) == 2


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(?i:k)x", "\u212ax"),
        ("(?P<q>a)?b(?(q)c|d)", "abc"),
        ("(?P<q>a)?b(?(q)c|d)", "bd"),
        ("(?:a|ab)(?:c|bcd)", "abcd"),
        ("(?>a|ab)c", "abc"),
        ("a++b", "aab"),
        ("(?s:.)(?!a)", "\nb"),
        (r"\ba\B", "ab"),
        ("(?m:^b$)", "b"),
    ],
)
def test_a_pattern_ends_where_re_ends(pattern, text):
    found = re.match(pattern, text)
    assert match_end(pattern, text) == (found.end() if found else None)


@pytest.mark.parametrize(
    ("pattern", "fact"),
    [
        (r"(a)\1", "back-reference to group 1"),
        ("(?:(?P<q>a)?(?(q)b|c))++", "inside a possessive quantifier"),
    ],
)
def test_what_is_not_regular_is_refused_by_name(pattern, fact):
    with pytest.raises(UnsupportedTerminalError, match=fact):
        nodes_of(pattern)


def test_conditionals_are_listed_in_the_order_of_the_text():
    tree = re._parser.parse("(a)?(b)?(?(2)x|y)(?(1)x|y)")
    assert list(automaton.tested_groups(tree)) == [2, 1]
