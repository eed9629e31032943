"""Whole sequences are decided by the table, whatever their length."""

from maskc.pushdown.debt_automaton import Verdict
from tests.languages import describe, stages_of
from tests.pushdown.table_values import values_of

BRACKETS = 'start: "(" start ")" | "[" start "]" | "a"\n'
TOKENS = (b"a", b"a)", b"a)))", b"a)])", b"((", b"[(", b"(a)", b"[a]")


def left_after(text, tokens, x):
    """Return the sequences that are left after a terminal."""
    stages = stages_of(text, tokens)
    return {row[1] for row in describe(stages, "jointly legal", tokens) if row[0] == x}


def test_what_comes_back_to_its_stack_asks_nothing():
    text = 'start: "f" "(" start ")" | "f" "(" ")" | "a"\n'
    assert left_after(text, (b"f()", b"f(a)", b"f", b"a", b"("), "F") == {"open(anything)"}


def test_what_closes_more_than_it_opened_stays_a_question():
    left = left_after(BRACKETS, TOKENS, "LPAR")
    assert "A · RPAR · RPAR · open(RPAR)" in left
    assert "A · open(RPAR)" not in left


def test_a_sequence_that_no_stack_takes_is_gone():
    text = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'
    tokens = (b"p", b"pb", b"bac", b"ba")
    assert values_of(text).debts.decide_after(2, [1, 3]) is not Verdict.ALWAYS
    assert not any("C" in sequence for sequence in left_after(text, tokens, "B") if "A" in sequence)


def test_each_sequence_that_is_left_is_neither_never_nor_always_legal():
    values = values_of(BRACKETS)
    boundaries = values.language.lexed.boundaries
    for x in ("A", "LPAR", "RPAR"):
        for sequence in left_after(BRACKETS, TOKENS, x) - {"open(anything)"}:
            names = [part.removeprefix("open(").removesuffix(")") for part in sequence.split(" · ")]
            elements = [
                sum(
                    1 << lookahead
                    for name in part.split()
                    for lookahead in boundaries.of_terminal[values.terminal(name)]
                )
                for part in names
            ]
            tops = values.debts.list_after(values.terminal(x))
            verdict = values.debts.decide(tops, elements)
            assert verdict is Verdict.DEPENDS, sequence
