"""Portions cover all starts, and grow and shrink with the lines that they come to."""

from __future__ import annotations

import pytest

from maskc.store.portions import walk_in_portions


@pytest.mark.parametrize(
    ("of_each", "sizes"),
    [
        (1, [2, 4, 8, 10, 6]),  # at most twice as many as before, and no more than ten lines
        (5, [2, 2, 2]),
        (30, [1, 1, 1]),
    ],
)
def test_portions_aim_at_so_many_lines(of_each: int, sizes: list[int]) -> None:
    walked: list[int] = []
    done: list[float] = []
    n_starts = sum(sizes)

    def run(low: int, high: int) -> int | None:
        if (high - low) * of_each > 40:
            return None
        walked.extend(range(low, high))
        taken.append(high - low)
        return (high - low) * of_each

    taken: list[int] = []
    walk_in_portions(run, n_starts, 2, 10, done.append)
    assert taken == sizes
    assert walked == list(range(n_starts))
    assert done[-1] == 1.0
