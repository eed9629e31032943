"""Automata over bytes as tables."""

import numpy as np
import pytest

from maskc.frontends.notations import read_pattern
from maskc.kit.compiling import PatternAutomaton
from maskc.runtime.link.automata import TabledAutomaton, Words, tabulate


def texts_of(automaton, most=6):
    """Return the texts of up to so many bytes that an automaton reads."""
    found, open_ = set(), [(0, b"")]
    while open_:
        state, text = open_.pop()
        if automaton.accepts(state):
            found.add(text)
        if len(text) < most:
            open_ += [(t, text + bytes([b])) for b, t in automaton.moves(state).items()]
    return found


@pytest.mark.parametrize(
    "automaton",
    [
        Words([b"", b"a", b"abc"]),
        PatternAutomaton(read_pattern("[ab]+c?")),
        PatternAutomaton(read_pattern("a(?!b)[b-d]{0,3}")),
    ],
)
def test_tables_read_what_the_automaton_reads(automaton):
    tables = tabulate(automaton, 100)
    assert texts_of(TabledAutomaton(tables)) == texts_of(automaton)


def test_bytes_that_are_read_alike_are_one_column():
    tables = tabulate(PatternAutomaton(read_pattern("[a-z]+")), 100)
    assert tables["after"].shape[1] == 2


def test_an_automaton_of_too_many_states_has_no_tables():
    assert tabulate(PatternAutomaton(read_pattern("a{50}")), 50) is None
    assert tabulate(PatternAutomaton(read_pattern("a{50}")), 51) is not None


@pytest.mark.parametrize(
    "change",
    [
        {"after": np.full((3, 2), 3, dtype=np.int32)},
        {"after": np.full((3, 2), -2, dtype=np.int32)},
        {"after": np.full((2, 2), 0, dtype=np.int32)},
        {"after": np.full((3, 1), 0, dtype=np.int32)},
        {"after": np.zeros((3, 2), dtype=np.int64)},
        {"accepting": np.zeros((3, 1), dtype=np.bool_)},
        {"byte_class": np.zeros(255, dtype=np.uint8)},
        {"more": np.zeros(1, dtype=np.uint8)},
    ],
)
def test_what_is_no_table_is_refused(change):
    tables = {
        "byte_class": np.array([0] * 255 + [1], dtype=np.uint8),
        "after": np.full((3, 2), -1, dtype=np.int32),
        "accepting": np.zeros(3, dtype=np.bool_),
    }
    TabledAutomaton(tables)
    with pytest.raises(ValueError, match=r"automaton"):
        TabledAutomaton({**tables, **change})
