r"""Which lexer states can tokens of so many bytes not tell apart?

A state of ``/[a-z]{1,1000}/`` says how many letters may still come, and a token of at most k more
bytes does not notice whether that is k or 900. States are *alike for k bytes* if both may become
and end as the same, and each further byte leads both to states that are alike for one byte less:
these are Moore's classes in round k. The walk starts from one state of each class only; it records
what a token completes and what stays open, never the state itself.

Example: the 1,000 states of that terminal are two starts for tokens of two letters: one for the
last letter, and one for all others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.automata.partition import number_by_occurrence, refine_in_rounds
from maskc.ids import DEAD
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner

Ints = NDArray[np.int32]


def replace_alike(scanner: Scanner, boundaries: Boundaries, states: Ints, n_bytes: Ints) -> Ints:
    """Return int32[n]: the first of the states that are alike for so many bytes, for each state.

    Args:
        scanner: the scanner.
        boundaries: its boundaries, for what a state may become.
        states: int32[n].
        n_bytes: int32[n], how many bytes may follow.
    """
    # The dead state is like no other.
    kind = number_by_occurrence(
        (state != DEAD, open_lexeme, ends)
        for state, (open_lexeme, ends) in enumerate(
            zip(boundaries.open_lexeme_of, scanner.ends, strict=True)
        )
    )
    found = states.copy()
    waiting = np.ones(len(states), dtype=np.bool_)
    classes = kind
    for n_rounds, classes in enumerate(refine_in_rounds(kind.tolist(), scanner.next)):
        now = n_bytes == n_rounds
        if now.any():
            found[now] = _first_of_class(classes)[states[now]]
            waiting &= ~now
        if not waiting.any():
            return found
    # More bytes tell no more states apart.
    found[waiting] = _first_of_class(classes)[states[waiting]]
    return found


def _first_of_class(classes: NDArray[np.int64]) -> Ints:
    """Return int32[n_states], the first state of each one's class."""
    _, first, number = np.unique(classes, return_index=True, return_inverse=True)
    return first[number.reshape(-1)].astype(np.int32)
