"""Of how many texts is an automaton, and how many of each length?"""

import pytest

from maskc.jsonschema.patterns import build_pattern

ALL = 0x110000 - 0x800  # Unicode scalar values


@pytest.mark.parametrize(
    ("pattern", "n_texts"),
    [
        ("^[a-c]$", [0, 3]),
        ("^(ab|c[0-9]?)$", [0, 1, 11]),
        ("^[^a]$", [0, ALL - 1]),
        ("^[^a-z][0-9]$", [0, 0, (ALL - 26) * 10]),
    ],
)
def test_texts_of_each_length_are_counted(pattern, n_texts):
    dfa = build_pattern(pattern)
    here, found = {dfa.start: 1}, []
    for _ in n_texts:
        found.append(sum(n for state, n in here.items() if dfa.labels[state] >= 0))
        here = dfa.advance(here)
    assert found == n_texts
    assert dfa.count(dfa.start, 0, 10**12) == sum(n_texts)
    assert dfa.n_strings(dfa.start) == sum(n_texts)


def test_where_texts_go_on_for_ever_they_are_not_counted():
    dfa = build_pattern("^(a|bc*)$")
    assert dfa.n_strings(dfa.start) is None
    assert dfa.n_strings(dfa.read("a")) == 1
