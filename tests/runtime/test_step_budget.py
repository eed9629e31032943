"""What is looked at for one mask is counted, and ends in a sentence."""

import threading

import pytest

from maskc.errors import LimitError
from maskc.runtime.step_budget import (
    AT_ONCE,
    charge_steps,
    charge_vector_steps,
    count_taken,
    one_mask,
)


def test_as_many_steps_as_are_allowed_are_taken() -> None:
    with one_mask(3):
        charge_steps(3)


def test_one_step_more_is_refused_with_the_limit() -> None:
    said = "more than 3 steps to find one mask; let fewer"
    with pytest.raises(LimitError, match=said) as caught, one_mask(3):
        charge_steps(4)
    assert caught.value.limit == 3


def test_outside_of_a_mask_nothing_is_counted() -> None:
    with one_mask(1):
        pass
    charge_steps(10**9)


def test_without_a_limit_nothing_is_counted() -> None:
    with one_mask(None):
        charge_steps(10**9)


def test_a_mask_inside_of_another_takes_its_steps() -> None:
    with one_mask(3):
        with one_mask(100):
            charge_steps(2)
        with pytest.raises(LimitError):
            charge_steps(2)


def test_after_a_refusal_the_next_mask_has_all_steps() -> None:
    with pytest.raises(LimitError), one_mask(1):
        charge_steps(2)
    with one_mask(2):
        charge_steps(2)


def test_what_numpy_looks_at_is_counted_in_part() -> None:
    with one_mask(3):
        charge_vector_steps(2 * AT_ONCE)
    with pytest.raises(LimitError), one_mask(2):
        charge_vector_steps(2 * AT_ONCE)


def test_threads_count_for_themselves() -> None:
    refused: list[LimitError] = []

    def other() -> None:
        try:
            charge_steps(10**9)
        except LimitError as error:
            refused.append(error)

    with one_mask(1):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert not refused


def test_what_was_taken_for_masks_is_added_up() -> None:
    before = count_taken()
    for n in (2, 3):
        with one_mask(10):
            charge_steps(n)
    charge_steps(7)
    assert count_taken() - before == 5
