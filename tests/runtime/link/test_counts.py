"""Boxes of counts are what they stand for: vectors, one by one, and what can be done with each."""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.link.counts import Boxes, cap, join, leave, repeat

Vector = tuple[int, ...]
_MOST = 7

intervals = st.tuples(st.integers(1, _MOST), st.integers(0, 3)).map(lambda p: (p[0], p[0] + p[1]))
bounds = st.tuples(st.integers(1, 6), st.none() | st.integers(0, 5)).map(
    lambda p: (p[0], None if p[1] is None else p[0] + p[1])
)


@st.composite
def counted(draw: st.DrawFn) -> tuple[Boxes, list[tuple[int, int | None]]]:
    loops = draw(st.lists(bounds, min_size=1, max_size=2))
    boxes = draw(st.lists(st.tuples(*[intervals for _ in loops]), min_size=1, max_size=4))
    inside = [
        box
        for box in boxes
        if all(m is None or high <= m for (_, high), (_, m) in zip(box, loops, strict=True))
    ]
    return tuple(inside), loops


def _vectors(boxes: Boxes) -> set[Vector]:
    return {v for box in boxes for v in product(*(range(low, high + 1) for low, high in box))}


def _futures(vectors: set[Vector], loops: list[tuple[int, int | None]], n: int) -> set[str]:
    """Return what can be done with up to n passes: r repeats the innermost loop, l leaves it."""
    found = {""} if vectors else set()
    if not vectors or not loops:
        return found
    least, most = loops[-1]
    again = {(*v[:-1], v[-1] + 1) for v in vectors if most is None or v[-1] < most}
    left = {v[:-1] for v in vectors if v[-1] >= least}
    if n:
        found |= {f"r{word}" for word in _futures(again, loops, n - 1)}
    return found | {f"l{word}" for word in _futures(left, loops[:-1], n)}


@given(counted())
def test_joined_boxes_have_the_same_futures(given_: tuple) -> None:
    boxes, loops = given_
    assert _futures(_vectors(join(boxes, loops)), loops, 7) == _futures(_vectors(boxes), loops, 7)


def test_boxes_with_a_count_between_them_stay_apart():
    boxes = (((1, 1),), ((3, 3),), ((4, 5),))
    assert join(boxes, [(9, 9)]) == (((1, 1),), ((3, 5),))


@given(counted(), st.integers(1, 5))
@example(((((2, 2),),), [(3, None)]), 1)  # the last pass reaches the least
def test_capped_boxes_have_the_same_futures_of_so_many_passes(given_: tuple, passes: int) -> None:
    boxes, loops = given_
    capped = cap(boxes, loops, [passes] * len(loops))
    expected = _futures(_vectors(boxes), loops, passes)
    assert _futures(_vectors(capped), loops, passes) == expected


@given(counted())
def test_one_more_pass_is_one_more_pass_of_each_vector(given_: tuple) -> None:
    boxes, loops = given_
    most = loops[-1][1]
    expected = {(*v[:-1], v[-1] + 1) for v in _vectors(boxes) if most is None or v[-1] < most}
    assert _vectors(repeat(boxes, most)) == expected


@given(counted(), st.integers(0, 2))
def test_loops_are_left_by_vectors_that_have_passed_often_enough(given_: tuple, n: int) -> None:
    boxes, loops = given_
    kept = max(len(loops) - n, 0)
    expected = {
        v[:kept]
        for v in _vectors(boxes)
        if all(c >= least for c, (least, _) in zip(v[kept:], loops[kept:], strict=True))
    }
    assert _vectors(leave(boxes, loops[kept:])) == expected


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ((((1, 1),), ((2, 4),)), (((1, 4),),)),
        ((((1, 3),), ((3, 8),)), (((1, 5),),)),
        ((((6, 6),), ((9, 9),)), (((6, 6),),)),
    ],
)
def test_of_counts_from_the_least_on_the_smallest_is_kept(boxes: Boxes, expected: Boxes) -> None:
    assert join(boxes, [(5, 20)]) == expected


def test_nested_counts_that_another_vector_covers_are_left_out() -> None:
    boxes = (((2, 2), (1, 1)), ((3, 3), (1, 1)), ((3, 3), (2, 2)))
    assert join(boxes, [(1, 9), (1, 9)]) == (((2, 2), (1, 1)),)


def test_a_count_between_far_from_the_least_and_from_the_greatest_is_one() -> None:
    loops, passes = [(100, 60_000)], [10]
    assert cap((((50, 50),),), loops, passes) == cap((((3, 3),),), loops, passes)
    assert cap((((200, 200),),), loops, passes) == cap((((59_990, 59_990),),), loops, passes)
    assert cap((((59_991, 59_991),),), loops, passes) == (((59_991, 59_991),),)
