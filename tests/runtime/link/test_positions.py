"""Patterns with counted loops in an artifact: written and read, and refused where damaged."""

import copy
import random

import pytest

from maskc.errors import LimitError
from maskc.regular.counted import count_loops
from maskc.runtime.fields import PlanError
from maskc.runtime.link.counts import count_written
from maskc.runtime.link.counts.pattern_counter import PatternCounter
from maskc.runtime.link.plan.records import COUNTER, Scope
from tests.examples import seeds

PATTERNS = ["[a-c]{1,1000};", "(?:[aé]{2,40}b?){20,}", "x|(?:a{17,}|b{3,90}c){1,50}(?:de){30}"]


def read_counter(entry):
    return COUNTER.read(entry, Scope({}, frozenset()))


def make(pattern):
    found = count_loops(pattern)
    assert found is not None
    return found


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_written_is_read(pattern):
    found = make(pattern)
    read = read_counter(COUNTER.write(found))
    assert read == found
    assert [type(edge) for edges in read.edges for edge in edges] == [
        type(edge) for edges in found.edges for edge in edges
    ]


@pytest.mark.parametrize(
    ("pattern", "size"), [("[ab]{1,1000};", 1001), ("(?:a{30,}b){2,20}", 620), ("a{17}|b", 18)]
)
def test_a_pattern_is_as_large_as_it_is_written_out(pattern, size):
    assert count_written(make(pattern)) == size


def damage(draw, entry):
    """Change one thing in lists of lists."""
    here = entry
    while True:
        index = draw.randrange(len(here)) if here else None
        if index is not None and isinstance(here[index], list) and draw.random() < 0.85:
            here = here[index]
            continue
        if index is None:
            here.append(draw.choice([0, [], None]))
        elif draw.random() < 0.3:
            del here[index]
        else:
            here[index] = draw.choice(
                [-2, -1, 0, 1, 2, 3, 7, 300, 1 << 50, None, True, "a", [], [[0]], 1.0]
            )
        return


@pytest.mark.parametrize("seed", seeds(60))
def test_what_is_damaged_is_refused_or_read_without_a_failure(seed):
    draw = random.Random(seed)
    n_refused = 0
    for _ in range(8):
        entry = copy.deepcopy(COUNTER.write(make(draw.choice(PATTERNS))))
        damage(draw, entry)
        try:
            pattern = read_counter(entry)
        except PlanError:
            n_refused += 1
            continue
        counter = PatternCounter(pattern, [3] * len(pattern.bounds))
        try:
            name = counter.name_of(0)
            for _ in range(12):
                counter.is_accepting(name)
                counter.is_accepting(counter.cap(name))
                after = [n for b in b"abcdex;\xc3\xa9" if (n := counter.read(name, b)) is not None]
                if not after:
                    break
                name = draw.choice(after)
            counter.moves(0)
        except LimitError:
            continue
    assert n_refused


def test_loops_inside_themselves_and_none_at_all_are_refused():
    whole = COUNTER.write(make("(?:a{20}b){20}"))
    for index, value in [(2, [[0], *whole[2][1:]]), (2, [[], [0, 0], *whole[2][2:]]), (1, [-1])]:
        entry = [*whole[:index], value, *whole[index + 1 :]]
        with pytest.raises(PlanError):
            read_counter(entry)
