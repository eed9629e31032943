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


def test_a_repetition_begins_with_its_body_and_counts_in_the_rest(joints, leaves):
    ab = joints.sequence([leaves["a"], leaves["b"]])
    whole = joints.sequence([joints.repetition(ab, 2, 3), leaves["c"]])
    ((piece, rest),) = joints.rest(whole, joints.end).entries
    assert piece is leaves["a"].piece
    ((piece, rest),) = rest.entries
    assert piece is leaves["b"].piece
    # One pass is done, and one more has to come before c.
    ((piece, rest),) = rest.entries
    assert piece is leaves["a"].piece
    ((_, rest),) = rest.entries
    assert [piece for piece, _ in rest.entries] == [leaves["a"].piece, leaves["c"].piece]


def test_what_may_be_empty_is_passed_over(joints, leaves):
    some = joints.repetition(leaves["a"], 0, None)
    whole = joints.sequence([some, leaves["b"]])
    assert pieces(joints, whole) == [leaves["a"].piece, leaves["b"].piece]
    assert not whole.may_be_empty
    assert joints.sequence([some, some]).may_be_empty


def test_a_choice_begins_with_any_of_its_parts_each_once(joints, leaves):
    choice = joints.choice([leaves["a"], leaves["b"], leaves["a"]])
    assert pieces(joints, choice) == [leaves["a"].piece, leaves["b"].piece]
    assert joints.choice([leaves["c"]]) is leaves["c"]


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
