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


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(general, "MAX_GENERAL_STATES", 2)
    with pytest.raises(LimitError, match="more than 2 parser states"):
        table_of((a, S, a), (a,))
