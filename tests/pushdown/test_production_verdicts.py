"""Never, always and jointly legal sequences of general grammars, from their productions."""

import pytest

from maskc.glr.streamline import ask_lexed
from maskc.glr.top_state import find_states_after
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.production_verdicts import ProductionVerdicts
from tests.glr.general_values import values_of

NESTED = "start: A start B | C\nA: /a/\nB: /b/\nC: /c/\n"


@pytest.fixture(scope="module")
def nested():
    values = values_of(NESTED)
    return values, ProductionVerdicts(
        ask_lexed(values.lexed, values.grammar), values.boundaries, values.sequences
    )


@pytest.mark.parametrize(
    ("before", "names", "verdict"),
    [
        ("B", ("A",), Verdict.NEVER),
        ("A", ("A",), Verdict.ALWAYS),
        ("A", ("C",), Verdict.ALWAYS),
        ("A", ("C", "B"), Verdict.ALWAYS),
        ("A", ("C", "B", "B"), Verdict.DEPENDS),
        ("C", ("B",), Verdict.DEPENDS),
        ("C", ("$END",), Verdict.DEPENDS),
        ("A", ("$END",), Verdict.NEVER),
        ("C", ("B", "C"), Verdict.NEVER),
        ("C", (), Verdict.ALWAYS),
    ],
)
def test_a_sequence_is_decided_after_a_terminal(nested, before, names, verdict):
    values, verdicts = nested
    asked = values.terminal(before), values.sequence(*names)
    assert verdicts.is_never_legal(*asked) is (verdict is Verdict.NEVER)
    assert verdicts.is_always_legal(*asked) is (verdict is Verdict.ALWAYS)


def test_words_legal_on_the_same_stacks_have_one_signature(nested):
    values, verdicts = nested
    after = values.terminal("A")
    one = verdicts.signature(after, values.sequence("C", "B", "B"))
    assert one == verdicts.signature(after, values.sequence("A", "C", "B", "B", "B"))
    assert one != verdicts.signature(after, values.sequence("C", "B", "B", "B"))
    assert one is not None


def test_an_open_lexeme_asks_for_the_symbols_that_it_may_become(nested):
    values, verdicts = nested
    sequence = values.sequence("$END")
    assert verdicts.first_symbols(sequence) == 1
    assert not verdicts.is_free(sequence)
    assert verdicts.is_free(values.sequence())


def test_the_states_after_a_terminal_are_those_that_it_leads_to(nested):
    values, _ = nested
    states = find_states_after(values.table, values.lexed.symbols)
    shifted = [
        (values.lexed.symbols[symbol][0], state)
        for row in values.table.shifts
        for symbol, state in row.items()
    ]
    assert {(t, s) for t, some in states.items() for s in some} == set(shifted)


def test_after_many_automata_only_never_and_what_is_read_alike_is_said(nested, monkeypatch):
    values, known = nested
    fresh = ProductionVerdicts(known.asked, values.boundaries, values.sequences)
    monkeypatch.setattr("maskc.pushdown.production_verdicts.MAX_EDGES", -1)
    always = values.terminal("A"), values.sequence("C", "B")
    assert fresh.is_spent
    assert not fresh.is_always_legal(*always)
    assert fresh.signature(*always) == fresh.read_certain(always[1])
    assert fresh.is_never_legal(values.terminal("B"), values.sequence("A"))
