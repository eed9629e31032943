"""The LR(0) automaton with every action."""

import pytest

from maskc.errors import LimitError
from maskc.glr import lr0 as general
from maskc.glr.cfg import make_cfg
from maskc.glr.lr0 import build_general_table
from maskc.grammar.model import Production

S = -1
a = 1


def table_of(*sides, has_empty=False):
    rules = [Production(0, side) for side in sides]
    return build_general_table(make_cfg(0, 1, rules, has_empty=has_empty))


def test_a_state_that_shifts_and_reduces_does_both():
    table = table_of((a, S, a), (a,))
    middle = table.shifts[0][a]
    assert table.shifts[middle] == {a: middle}
    assert table.reduces[middle] == ((0, 1),)


def test_a_state_keeps_all_reductions():
    rules = [Production(0, (-2,)), Production(0, (-3,)), Production(1, (a,)), Production(2, (a,))]
    table = build_general_table(make_cfg(0, 3, rules, has_empty=False))
    assert table.reduces[table.shifts[0][a]] == ((1, 1), (2, 1))


def test_only_the_start_symbol_over_the_bottom_accepts():
    table = table_of((S, a), (a,))
    assert [state for state, accepts in enumerate(table.accepts) if accepts] == [table.gotos[0][0]]


def test_the_start_accepts_if_the_empty_text_is_one():
    assert table_of((a,), has_empty=True).accepts[0]


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(general, "MAX_GENERAL_STATES", 2)
    with pytest.raises(LimitError, match="more than 2 parser states"):
        table_of((a, S, a), (a,))
