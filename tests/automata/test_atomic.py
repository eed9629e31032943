"""Atomic groups keep the first match of what stands inside."""

import re

import pytest

from maskc.automata.atomic import seal
from maskc.automata.nfa import Nfa
from maskc.automata.nodes import Accept, Split
from tests.automata.test_threads import match_end


@pytest.mark.parametrize("pattern", ["(?>a|ab)c", "(?>a*)b", "(?>a*)a", "(?>(?:a|ab)*)c", "a?+a"])
@pytest.mark.parametrize("text", ["", "a", "aa", "ab", "abc", "ac", "aab", "ababc"])
def test_a_group_matches_what_re_matches(pattern, text):
    found = re.match(pattern, text)
    assert match_end(pattern, text) == (found.end() if found else None)


def test_each_choice_inside_gets_rivals_in_a_copy_of_the_group():
    nfa = Nfa()
    end = nfa.add(Accept(1))
    split = nfa.add(Split([nfa.char(((97, 97),), end), nfa.char(((98, 98),), end)]))
    assert seal(nfa, split, end) == split
    rivals = nfa.nodes[split].rivals
    assert len(rivals) == 2
    assert not set(rivals) & set(nfa.nodes[split].targets)
    # The copy ends in an end of its own.
    assert {nfa.nodes[nfa.nodes[rival].next] for rival in rivals} == {Accept(0)}


def test_a_group_inside_a_group_keeps_its_rivals():
    nfa = Nfa()
    end = nfa.add(Accept(1))
    split = nfa.add(Split([nfa.char(((97, 97),), end), end]))
    seal(nfa, split, end)
    rivals = nfa.nodes[split].rivals
    seal(nfa, split, end)
    assert nfa.nodes[split].rivals == rivals
