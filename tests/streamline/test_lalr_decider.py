"""Lark's table is asked what the productions left, and held against what they decided."""

import pytest

from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.streamline.model import Rows
from tests.languages import rows_of, stages_of

NESTED = 'start: "a" start "b" | "c"\n'
TOKENS = (b"a", b"b", b"bb", b"c", b"cbb", b"ac")


def decider_after(step):
    """Return the rows after a step, what the productions say, and the table's decider."""
    stages = stages_of(NESTED, TOKENS)
    rows: Rows = rows_of(stages, step)
    verdicts = ProductionVerdicts(
        stages.decider.asked, stages.language.lexed.boundaries, rows.sequences
    )
    return stages, rows, verdicts, stages.decider.decide(verdicts)


def test_the_table_decides_all_that_is_left():
    stages, rows, _, decider = decider_after("interchangeable")
    after = decider.merge_jointly_legal(rows)
    assert len(after) == len(rows_of(stages, "jointly legal"))
    assert decider.decide_by_state(after).flags.shape[1] == len(stages.language.table.live)


def test_what_the_productions_said_wrongly_is_noticed(monkeypatch):
    _, rows, verdicts, decider = decider_after("interchangeable")
    b, c = 2, 3
    (legal,) = {
        s
        for first, s in zip(rows.first.tolist(), rows.sequence.tolist(), strict=True)
        if rows.events[first].terminal == c and rows.sequences.length[s] == 1
    }
    monkeypatch.setattr(verdicts, "_never", {*verdicts._never, (c, legal)})
    with pytest.raises(ValueError, match="the compiler contradicts itself: after terminal 3"):
        decider.merge_jointly_legal(rows)
    assert b in {rows.sequences.event[legal].terminal}
