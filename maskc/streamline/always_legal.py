"""Ends of sequences that are legal on every stack are cut off: ``is_always_legal``.

If S is always legal after X, a sequence that ends in X S is jointly legal with the one that ends in
X: nothing is left to ask (appendix, 6.1). What is left may end in such an S again, since sequences
are rewritten from their ends to their beginnings.

Asked of the productions, where no text of theirs is lost (:mod:`maskc.pushdown.asked_productions`).

Example: in json.lark a value is always legal after a comma, so ``,`` and a quotation mark ask for
no more than ``,`` does.

Source: appendix, sections 4.3 (Algorithm 2) and 6.1; blog, step 3.
"""

from __future__ import annotations

from maskc.ids import SequenceId
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.store.sequences import Event
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import after_terminals, rewrite


def cut_always_legal(rows: Rows, verdicts: ProductionVerdicts, free: SequenceId) -> Rows:
    """Return the rows without the ends of sequences that are always legal."""
    if verdicts.asked.lost is not None:
        return rows

    def decide(before: Event, sequence: SequenceId) -> SequenceId:
        return free if verdicts.is_always_legal(before.terminal, sequence) else sequence

    return rewrite(rows, after_terminals(decide))
