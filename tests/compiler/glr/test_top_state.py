"""Verdicts by the state on top of a general parser's stack."""

import numpy as np
import pytest

from maskc.compiler.glr import top_state as general_state
from maskc.compiler.glr.lr0 import find_going_on
from maskc.compiler.glr.top_state import StackVerdicts, check_never, list_asked
from maskc.compiler.glr_path import ask_lexed
from maskc.compiler.optimise import Verdicts
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from tests.compiled import compile_text, legal_tokens
from tests.compiler.glr.general_values import values_of

NESTED = "start: A start B | C\nA: /a/\nB: /b/\nC: /c/\n"
AMBIGUOUS = 'start: start start | "a" | "b" start "c"\n'


def verdicts_of(text):
    values = values_of(text)
    goes_on = find_going_on(values.lexed.cfg, values.table)
    by_productions = ProductionVerdicts(
        ask_lexed(values.lexed, values.grammar), values.boundaries, values.sequences
    )
    return values, StackVerdicts(values.table, goes_on, by_productions)


@pytest.fixture(scope="module")
def nested():
    return verdicts_of(NESTED)


@pytest.mark.parametrize(
    ("before", "names", "answer"),
    [
        ("A", ("C",), MAY),
        ("A", ("B",), FAIL),
        ("A", ("C", "B"), MAY),
        ("A", ("C", "B", "B"), DEPENDS),
        ("A", ("C", "B", "C"), FAIL),
        ("C", ("B",), DEPENDS),
        ("C", ("$END",), DEPENDS),
        ("C", ("B", "B", "$END"), DEPENDS),
        ("C", ("C",), FAIL),
        ("C", (), MAY),
    ],
)
def test_a_state_decides_a_sequence(nested, before, names, answer):
    values, stacks = nested
    (state,) = stacks.list_states(values.terminal(before))
    assert stacks.decide(state, values.sequence(*names)) == answer


def test_a_stack_takes_what_one_of_its_readings_does():
    values, stacks = verdicts_of(AMBIGUOUS)
    for state in stacks.list_states(values.terminal("A")):
        assert stacks.decide(state, values.sequence("A")) == MAY
        assert stacks.decide(state, values.sequence("C")) == DEPENDS
        assert stacks.decide(state, values.sequence("A", "A", "B")) == MAY


def test_a_sequence_of_a_thousand_terminals_is_decided():
    values, stacks = verdicts_of(AMBIGUOUS)
    (state, *_) = stacks.list_states(values.terminal("A"))
    assert stacks.decide(state, values.sequence(*["A"] * 1000)) == MAY


def test_a_sequence_beyond_the_bound_depends(monkeypatch):
    values, stacks = verdicts_of(NESTED)
    monkeypatch.setattr(general_state, "MAX_READ_IN_ALL", 0)
    (state,) = stacks.list_states(values.terminal("A"))
    # Never, but it takes a look below the top to see it.
    assert stacks.decide(state, values.sequence("C", "B", "B", "C")) == DEPENDS
    assert stacks.is_spent


def test_what_is_left_open_changes_no_mask_and_is_said(monkeypatch):
    tokens = (b"a", b"b", b"c", b"cbb", b"acb", b"cb", b"bb")
    whole = compile_text(NESTED, tokens, parser="earley")
    monkeypatch.setattr(general_state, "MAX_READ_IN_ALL", 0)
    spent = compile_text(NESTED, tokens, parser="earley")
    assert whole.header["left_out"] is None
    assert "left to the parser" in spent.header["left_out"]
    for text in ("", "a", "aa", "aac", "aacb"):
        assert legal_tokens(spent, text) == legal_tokens(whole, text)


def test_a_contradiction_between_table_and_productions_is_found():
    values, stacks = verdicts_of(NESTED)
    rows = type(
        "Rows",
        (),
        {
            "sequences": values.sequences,
            "events": (type("E", (), {"terminal": values.terminal("A")})(),),
            "first": np.array([0]),
            "sequence": np.array([values.sequence("C")]),
        },
    )()
    sequences = (values.sequence(), values.sequence("C"))
    n = stacks.n_states
    fine = Verdicts(sequences, np.array([0, 0]), np.full((1, n), MAY, dtype=np.uint8))
    check_never(rows, list_asked(rows), fine, stacks)
    wrong = Verdicts(sequences, np.array([0, 0]), np.full((1, n), FAIL, dtype=np.uint8))
    with pytest.raises(ValueError, match="contradicts itself"):
        check_never(rows, list_asked(rows), wrong, stacks)
