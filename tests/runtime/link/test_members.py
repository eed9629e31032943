"""Parameters, each once: which may come after which, held against all orders written out."""

import itertools

import pytest

from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.runtime.link.plan.composing import Constant, Counts, Parameters
from maskc.vocab import load_vocabulary

N = 3


@pytest.fixture(scope="module")
def kit() -> Kit:
    return make_kit(load_vocabulary("bytes"))


@pytest.mark.parametrize("is_ordered", [False, True])
@pytest.mark.parametrize("required", [0b000, 0b010, 0b101])
@pytest.mark.parametrize(("low", "high"), [(0, None), (2, None), (0, 2), (2, 2)])
def test_what_may_come_is_what_some_order_goes_on_with(
    kit: Kit, is_ordered: bool, required: int, low: int, high: int | None
) -> None:
    counts = Counts(N, required, 0b111, low, high, is_ordered=is_ordered, has_others=False)
    composer = kit._maker.composer
    parameters = Parameters(
        counts,
        lambda number: [[Constant(((97 + int(number or 0),),))]],
        composer.boundaries.nothing,
        composer,
    )
    whole = set()
    for n in range(N + 1):
        for order in itertools.permutations(range(N), n):
            bits = sum(1 << number for number in order)
            is_enough = not required & ~bits and n >= low and (high is None or n <= high)
            if is_enough and (not is_ordered or list(order) == sorted(order)):
                whole.add("".join(chr(97 + number) for number in order))
    begun = {text[:n] for text in whole for n in range(len(text) + 1)}
    expression = parameters.expression()
    for n in range(N + 2):
        for letters in itertools.product("abc", repeat=n):
            text = "".join(letters)
            matcher = kit._maker.link(expression).matcher()
            is_taken = matcher.accept_bytes(text.encode())
            assert is_taken == (text in begun), text
            assert (is_taken and matcher.is_accepting) == (text in whole), text
