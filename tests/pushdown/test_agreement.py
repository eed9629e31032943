"""The productions' answers are held against the table's."""

import pytest

from maskc.pushdown.agreement import check_agreement
from tests.pushdown.table_values import values_of

NESTED = 'start: "a" start "b" | "c"\n'


def check(values):
    boundaries = values.language.lexed.boundaries
    check_agreement(values.verdicts, values.decisions, boundaries, lambda: values.debts)


def test_true_answers_pass():
    values = values_of(NESTED)
    a, b, c = map(values.terminal, "ABC")
    assert values.verdicts.is_never_legal(b, values.sequence("A"))
    assert values.verdicts.is_never_legal(c, values.sequence("B", "B", "A"))
    assert values.verdicts.is_always_legal(a, values.sequence("C", "B"))
    check(values)


@pytest.mark.parametrize(("answer", "said"), [("_never", "never"), ("_always", "always")])
def test_a_wrong_answer_is_named_with_a_stack(answer, said):
    values = values_of(NESTED)
    # Both b b and no b at all may follow c.
    getattr(values.verdicts, answer).add((values.terminal("C"), values.sequence("B", "B")))
    with pytest.raises(ValueError, match=f"are {said} legal by the productions, and not by the"):
        check(values)
