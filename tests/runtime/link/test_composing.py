"""Items become expressions; what begins alike is read once, and late parts are made when needed."""

import pytest

from maskc.runtime.link.plan.composing import Composer, Constant
from tests.runtime.link.parts import legal, make_boundaries


def word(text):
    return Constant((tuple(text),))


@pytest.fixture
def composer():
    kept = {}

    def keep(kind, key, make):
        if (kind, key) not in kept:
            kept[kind, key] = make()
        return kept[kind, key]

    return Composer(make_boundaries(), keep)


def starts(composer, expression):
    return composer.boundaries.rest(expression, composer.boundaries.end).starts


def test_alternatives_that_begin_with_constants_are_one_hypothesis(composer):
    made = []

    def make(text):
        made.append(text)
        return composer.words([text])

    options = [[word(b"ab"), lambda: make(b"c")], [word(b"ac"), lambda: make(b"!")]]
    whole = composer.either(options)
    start = starts(composer, whole)
    assert len(start) == 1
    here = composer.boundaries.step(start, b"a")
    assert (len(here), made) == (1, [])
    here = composer.boundaries.step(here, b"b")
    assert made == [b"c"]
    assert legal(composer.boundaries, here) == {b"c"}
