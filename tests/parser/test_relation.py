import random

import pytest

from maskc.parser.relation import NOTHING, Relation
from tests.examples import seeds


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (Relation(0b11, ()), Relation(0b01, ()), Relation(0b01, ())),
        (Relation(0, ((1, 2),)), Relation(2, ()), Relation(0, ((1, 2),))),
        (Relation(0, ((1, 2),)), Relation(0, ((2, 4),)), Relation(0, ((1, 4),))),
        (Relation(0, ((1, 2),)), Relation(0, ((4, 4),)), Relation(0, ())),
        (Relation(1, ()), Relation(0, ((3, 4),)), Relation(0, ((1, 4),))),
    ],
)
def test_relations_compose(first, second, joined):
    assert first.then(second) == joined


def pairs(relation, n):
    found = {(i, i) for i in range(n) if relation.same >> i & 1}
    for first, last in relation.rectangles:
        found |= {(i, j) for i in range(n) if first >> i & 1 for j in range(n) if last >> j & 1}
    return found


@pytest.mark.parametrize("seed", seeds(50))
def test_union_and_preimage_are_those_of_sets_of_pairs(seed):
    draw = random.Random(seed)
    left, right = (
        Relation(
            draw.randrange(16), tuple((draw.randrange(1, 16), draw.randrange(1, 16)) for _ in "ab")
        )
        for _ in "xy"
    )
    joined = left | right
    assert pairs(joined, 4) == pairs(left, 4) | pairs(right, 4)
    targets = draw.randrange(16)
    assert joined.preimage(targets) == sum(
        1 << i for i in range(4) if any(targets >> j & 1 for k, j in pairs(joined, 4) if k == i)
    )
    composed = left.then(right)
    assert pairs(composed, 4) == {
        (i, k) for i, j in pairs(left, 4) for j2, k in pairs(right, 4) if j == j2
    }


def test_the_image_of_a_set_is_what_its_members_are_related_to():
    relation = Relation(0b001, ((0b010, 0b100), (0b100, 0b011)))
    assert relation.image(0b001) == 0b001
    assert relation.image(0b110) == 0b111
    assert NOTHING.image(0b111) == 0


def test_overlapping_first_sides_are_split():
    joined = Relation(0, ((0b011, 0b01),)) | Relation(0, ((0b110, 0b10),))
    assert dict(joined.rectangles) == {0b001: 0b01, 0b010: 0b11, 0b100: 0b10}
