"""Tokens that were taken before, and are taken again to go back."""

from maskc.runtime.machine import take_again
from maskc.runtime.step_budget import charge_steps, one_mask


class CostlyMachine:
    """Takes a token or bytes in 20 steps, of which it allows itself 10."""

    def take(self, here, token):
        with one_mask(10):
            charge_steps(20)
        return (*here, token)

    step = take


def test_what_was_taken_is_taken_again_however_many_steps_that_needs():
    again = take_again(CostlyMachine(), (), [3, b"", b"ab"])
    assert again == [(), (3,), (3,), (3, b"ab")]
