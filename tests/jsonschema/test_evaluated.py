"""What has been evaluated where a schema holds in one way or another."""

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.scenarios import Evaluated, Scenario, join

A, B = Evaluated(names=frozenset("a"), n_items=1), Evaluated(names=frozenset("b"), n_items=3)


def test_ways_that_contradict_each_other_are_no_way():
    space = Space()
    null, text = space.types(1), space.types(8)
    assert join(space, [Scenario(null, A)], [Scenario(text, B)]) == []


def test_ways_that_have_evaluated_the_same_are_one():
    space = Space()
    short, long_ = space.make("length", 0, 3), space.make("length", 2, None)
    left = [Scenario(short, A), Scenario(long_, A)]
    (found,) = join(space, left, [Scenario(space.true, Evaluated())])
    assert found == Scenario(space.either([short, long_]), A)
