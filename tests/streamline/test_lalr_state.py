"""Rows are decided by the state on top of the stack."""

import numpy as np

from maskc.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.streamline.lalr_state import (
    condition_on_states,
)
from tests.languages import rows_of, stages_of
from tests.pushdown.table_values import decisions_of

BRACKETS = 'start: "(" start ")" | "[" start "]" | "a"\n'
TOKENS = (b"a", b"a)", b"a)))", b"a)])")


def stages():
    return stages_of(BRACKETS, TOKENS)


def test_sequences_of_one_class_have_equal_answers():
    rows = rows_of(stages(), "jointly legal")
    language = stages().language
    decisions = decisions_of(language, rows.sequences)
    verdicts = condition_on_states(rows, decisions)
    for sequence, number in zip(verdicts.sequences, verdicts.class_of.tolist(), strict=True):
        assert np.array_equal(verdicts.flags[number], decisions.answers(sequence))
    assert {MAY, FAIL, DEPENDS} >= set(verdicts.flags.reshape(-1).tolist())
    # A `)` is accepted where the innermost bracket is round, and rejected elsewhere.
    assert len(set(map(bytes, verdicts.flags))) == len(verdicts.flags)
