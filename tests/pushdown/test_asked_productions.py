"""What may lose texts of the productions on the way to what is compiled."""

import pytest

from tests.parser.test_conflicts import LOST
from tests.pushdown.table_values import values_of


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('start: "a" start "b" | "c"\n', None),
        ("start: NAME NAME\nNAME: /[a-z]+/\n", "the lexer never gives NAME after NAME"),
        ("start: NAME NAME\nNAME: /[a-z]+/\n%ignore /[ ]+/\n", None),
        (LOST, "Lark resolved 1 conflict"),
    ],
)
def test_a_loss_is_named(text, lost):
    assert values_of(text).verdicts.asked.lost == lost


def test_nothing_is_always_legal_where_texts_may_be_lost():
    """The productions promise ``p b a c``; Lark shifts the ``a`` into ``x`` and wants another."""
    values = values_of(LOST)
    p, sequence = values.terminal("P"), values.sequence("B", "A", "C")
    assert not values.verdicts.is_always_legal(p, sequence)
    assert not values.verdicts.is_never_legal(p, sequence)
