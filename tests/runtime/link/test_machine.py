"""The machine of linked pieces: masks are shared by what they allow, moves are remembered."""

import pytest

from maskc.runtime.link.joining import LinkMachine, LinkResults
from maskc.runtime.link.joining.pieces import StopPiece
from maskc.runtime.pool import MaskPool
from tests.runtime.link.parts import TOKENS, make_boundaries, make_leaf

END, OTHER_END = len(TOKENS), len(TOKENS) + 1


@pytest.fixture
def results():
    boundaries = make_boundaries()
    pool = MaskPool(len(TOKENS), (), 1 << 20)
    return LinkResults(boundaries, pool, lambda token: TOKENS[token])


def machine_of(results, expression):
    return LinkMachine(results.boundaries.rest(expression, results.boundaries.end), results)


def test_configurations_that_leave_the_same_tokens_have_one_mask(results):
    boundaries = results.boundaries
    one = machine_of(
        results, boundaries.sequence([make_leaf(boundaries, b"a!"), make_leaf(boundaries, b"b")])
    )
    other = machine_of(results, make_leaf(boundaries, b"c!"))
    (here,) = one.step(one.start(), b"a")
    (there,) = other.step(other.start(), b"c")
    assert one.mask(here) is other.mask(there)
    assert one.mask(here).words[0] == 1 << TOKENS.index(b"!")


def test_a_text_that_may_end_has_another_mask_than_one_that_goes_on():
    boundaries = make_boundaries()
    pool = MaskPool(len(TOKENS) + 2, (END, OTHER_END), 1 << 20)
    results = LinkResults(boundaries, pool, lambda token: TOKENS[token])
    machine = machine_of(results, make_leaf(boundaries, b"a", b"a!"))
    (here,) = machine.step(machine.start(), b"a")
    bang = 1 << TOKENS.index(b"!")
    assert machine.mask(here).words[0] == bang | 1 << END | 1 << OTHER_END
    longer = machine_of(results, make_leaf(boundaries, b"a!"))
    (here,) = longer.step(longer.start(), b"a")
    assert longer.mask(here).words[0] == bang
    # An end that is written as a part of the text is that one alone.
    named = machine_of(results, boundaries.as_expression(StopPiece(OTHER_END)))
    (here,) = named.start()
    assert named.mask(here).words[0] == 1 << OTHER_END


def test_a_token_from_the_same_configuration_is_read_once(results):
    machine = machine_of(results, make_leaf(results.boundaries, b"abc"))
    start = machine.start()
    assert machine.take(start, TOKENS.index(b"ab")) is machine.take(start, TOKENS.index(b"ab"))
    assert machine.take(start, TOKENS.index(b"b")) == ()
