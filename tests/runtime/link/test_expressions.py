"""What may come next of an expression, and what is left after it."""

import pytest

from maskc.errors import LimitError
from maskc.runtime.link.joining.expressions import MAX_DEPTH
from tests.runtime.link.parts import make_boundaries, make_leaf


@pytest.fixture(scope="module")
def boundaries():
    return make_boundaries()


@pytest.fixture(scope="module")
def leaves(boundaries):
    return {text: make_leaf(boundaries, text.encode()) for text in "abc"}


def pieces(boundaries, expression):
    return [piece for piece, _ in boundaries.rest(expression, boundaries.end).entries]


def test_equal_expressions_and_rests_are_one_object_while_in_use(boundaries, leaves):
    one, other = (boundaries.sequence([leaves["a"], leaves["b"]]) for _ in range(2))
    assert one is other
    assert boundaries.rest(one, boundaries.end) is boundaries.rest(other, boundaries.end)
    assert boundaries.repetition(leaves["a"], 1, 1) is leaves["a"]


def nested(boundaries, leaves, levels):
    here = leaves["a"]
    for _ in range(levels):
        here = boundaries.sequence([here, leaves["b"]])
    return here


def test_levels_of_nesting_are_bounded(boundaries, leaves):
    assert nested(boundaries, leaves, MAX_DEPTH - 1).depth == MAX_DEPTH
    with pytest.raises(LimitError, match="levels of nested parts"):
        nested(boundaries, leaves, MAX_DEPTH)
