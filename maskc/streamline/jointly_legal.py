"""One sequence stands for all that are legal on the same stacks: ``are_jointly_legal``.

Their debt automata are equal, so whatever the stack is, both are legal or neither is. The sequence
that was met first stands for the others, and sequences are met shortest first.

Asked of the productions, where no text of theirs is lost.

Example: with ``S -> a S b | c``, after a, the sequences c b b and a c b b b are legal on the same
stacks: those that hold one more a.

Source: appendix, section 6, and its future work (equal debt automata).
"""

from __future__ import annotations

from collections.abc import Hashable

from maskc.ids import SequenceId
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.store.sequences import Event
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import after_terminals, rewrite


def merge_jointly_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    """Return the rows with one sequence in the place of all that are jointly legal with it."""
    known: dict[tuple[int, Hashable], SequenceId] = {}

    def decide(before: Event, sequence: SequenceId) -> SequenceId:
        signature = verdicts.signature(before.terminal, sequence)
        return (
            sequence
            if signature is None
            else known.setdefault((before.terminal, signature), sequence)
        )

    return rewrite(rows, after_terminals(decide))
