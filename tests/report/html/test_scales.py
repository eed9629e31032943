"""Axes: their ticks, and where they have a value."""

import pytest

from maskc.report.html.scales import list_log_ticks, list_ticks, place, place_log


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [
        (0, [0, 1]),
        (1, [0, 1]),
        (7, [0, 1, 2, 3, 4, 5, 6, 7]),
        (8, [0, 2, 4, 6, 8]),
        (979, [0, 200, 400, 600, 800, 1000]),
        (112_283, [0, 20_000, 40_000, 60_000, 80_000, 100_000, 120_000]),
    ],
)
def test_ticks_are_round_and_reach_the_largest(largest, ticks):
    assert list_ticks(largest) == ticks


def test_logarithmic_ticks_begin_at_nothing():
    assert list_log_ticks(1) == [0, 1]
    assert list_log_ticks(3000) == [0, 1, 3, 10, 30, 100, 300, 1000, 3000]
    assert list_log_ticks(200_000) == [0, 1, 10, 100, 1000, 10_000, 100_000]


def test_an_axis_reaches_from_its_start_to_its_end():
    assert [place(v, 10, 5, 100) for v in (0, 5, 10)] == [5, 55, 105]
    assert [place_log(v, 99, 5, 100) for v in (0, 9, 99)] == [5, 55, 105]
    assert place(0, 0, 5, 100) == 5
