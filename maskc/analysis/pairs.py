"""What is legal behind several terminals?

The appendix asks what is legal behind one terminal X. More of the past says more: behind NAME much
can come, behind DEF NAME little. With Q = X1…Xm, m ≥ 1, in place of X:

- ``is_never_legal_behind(Q, S)``: no P has PQS ∈ L_p. Exact: it is never-legal(X1, X2…XmS);
- ``prove_always_legal_behind(Q, S)``: PQ ∈ L_p implies PQS ∈ L_p. Proven if on every stack behind
  X1 on which X2…Xm is legal, X2…XmS is legal too: if the two have the same debts;
- ``prove_jointly_legal_behind(Q, S1, S2)``: likewise, X2…XmS1 and X2…XmS2 have the same debts.

Example: in python.lark, LPAR is sometimes legal behind NAME; behind DEF NAME it always is.

Longer arguments only prove more: what is proven behind Xm is proven behind Q. The best summary of
the past is the LALR state: :mod:`maskc.analysis.lalr_state`.

Bound: that of the debt automata, ``maskc.analysis.debts.MAX_STATES``.

Source: blog, outlook, first item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from maskc.analysis.debts import Debts
from maskc.analysis.never_legal import NeverLegal

Proof = Literal[True] | None


def is_never_legal_behind(never: NeverLegal, past: Sequence[int], sequence: Sequence[int]) -> bool:
    """Return whether no text has the sequence right behind the terminals of ``past``."""
    x, *rest = past
    return never.is_never_legal(x, (*rest, *sequence))


def prove_always_legal_behind(debts: Debts, past: Sequence[int], sequence: Sequence[int]) -> Proof:
    """Return ``True`` if the sequence is proven legal wherever ``past`` was read, else ``None``."""
    x, *rest = past
    return True if debts.compare(x, rest, (*rest, *sequence)) else None


def prove_jointly_legal_behind(
    debts: Debts, past: Sequence[int], one: Sequence[int], other: Sequence[int]
) -> Proof:
    """Return ``True`` if both sequences are proven legal at the same times behind ``past``."""
    x, *rest = past
    return True if debts.compare(x, (*rest, *one), (*rest, *other)) else None
