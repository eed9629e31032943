"""What may come next of an expression, and what is left after it."""

import pytest

from maskc.errors import LimitError
from maskc.runtime.link.joining.expressions import MAX_DEPTH
from tests.runtime.link.parts import make_joints, make_leaf


@pytest.fixture(scope="module")
def joints():
    return make_joints()


@pytest.fixture(scope="module")
def leaves(joints):
    return {text: make_leaf(joints, text.encode()) for text in "abc"}


def pieces(joints, expression):
    return [piece for piece, _ in joints.rest(expression, joints.end).entries]


def test_equal_expressions_and_rests_are_one_object_while_in_use(joints, leaves):
    one, other = (joints.sequence([leaves["a"], leaves["b"]]) for _ in range(2))
    assert one is other
    assert joints.rest(one, joints.end) is joints.rest(other, joints.end)
    assert joints.repetition(leaves["a"], 1, 1) is leaves["a"]


def nested(joints, leaves, levels):
    here = leaves["a"]
    for _ in range(levels):
        here = joints.sequence([here, leaves["b"]])
    return here


def test_levels_of_nesting_are_bounded(joints, leaves):
    assert nested(joints, leaves, MAX_DEPTH - 1).depth == MAX_DEPTH
    with pytest.raises(LimitError, match="levels of nested pieces"):
        nested(joints, leaves, MAX_DEPTH)
