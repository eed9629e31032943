"""How many starts are walked at once?

A walk of the token trie goes through it level by level, and its lines are as many as the widest
level has. Neighbouring starts are alike, so each portion is as many of them as would have come to
the lines aimed at, by the portion before; one that comes to too many is taken in smaller ones.
"""

from __future__ import annotations

from collections.abc import Callable


def walk_in_portions(
    run: Callable[[int, int], int | None],
    n_starts: int,
    size: int,
    lines: int,
    progress: Callable[[float], None] | None,
) -> None:
    """Walk from all starts, a portion after the other.

    Args:
        run: walks from the starts of a range, and returns the lines of the widest level; ``None``:
            they came to too many, and nothing was kept.
        n_starts: how many there are.
        size: of the first portion, at least 1.
        lines: aimed at in a portion's widest level.
        progress: called with the fraction done.
    """
    low = 0
    while low < n_starts:
        high = min(low + size, n_starts)
        widest = run(low, high)
        if widest is None:
            size = (high - low + 3) // 4
            continue
        size = max(1, min(int(size * lines / max(widest, 1)), size * 2))
        low = high
        if progress:
            progress(low / n_starts)
