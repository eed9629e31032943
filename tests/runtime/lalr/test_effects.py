"""What terminals do to stacks, and how far down they read for that.

Of chains of reductions, what follows is found once for each pair, and circles are refused.
"""

from random import Random

import pytest

from maskc.native import is_compiled
from maskc.runtime.lalr.hypothesis import ReadSet
from maskc.runtime.lalr.parser import NO_NONTERMINAL, LalrTables, reduce_long


def test_what_was_read_is_noted_whether_it_is_cached_or_not(brackets, reach, terminals):
    depths = []
    for text in (b"((((a) ", b"((((a) ", b"[[((a) "):
        stack = reach(brackets, text).stack
        reads = ReadSet(stack.depth)
        assert brackets.effects.shift(stack, terminals["RPAR"], reads) is not None
        depths.append(stack.depth - reads.lowest)
    assert depths[0] == depths[1] == depths[2] > 0


REFUSED = (0, NO_NONTERMINAL, ())
X = 0  # the terminal
by_hand = pytest.mark.skipif(is_compiled(), reason="compiled tables cannot be made by hand")


def make_tables(gotos, reduces, shifts, productions):
    """Return tables whose rows are known; states are LALR states."""
    tables, states = LalrTables.__new__(LalrTables), range(100)
    tables._gotos = [gotos.get(state, {}) for state in states]
    tables._reduces = [{X: reduces[s]} if s in reduces else {} for s in states]
    tables._shifts = [{X: shifts[s]} if s in shifts else {} for s in states]
    tables.lalr_state = list(states)
    tables.production_lhs = [lhs for lhs, _ in productions]
    tables.production_length = [length for _, length in productions]
    return tables


@pytest.mark.parametrize(
    ("gotos", "reduces", "productions"),
    [
        # A becomes B becomes A.
        ({1: {0: 2, 1: 3}}, {2: 0, 3: 1}, [(1, 1), (0, 1)]),
        # An empty production that is followed by itself.
        ({1: {0: 1}}, {1: 0}, [(0, 0)]),
        # The same with a state more each time.
        ({1: {0: 2}, 2: {0: 1}}, {1: 0, 2: 0}, [(0, 0)]),
    ],
)
@by_hand
def test_a_circle_is_refused(gotos, reduces, productions):
    assert reduce_long(make_tables(gotos, reduces, {}, productions), 1, 0, X) == REFUSED


def follow_one_by_one(parser, state, nonterminal, limit=1000):
    """Return what follows by doing it, ``None`` if that takes too long."""
    states = []
    for _ in range(limit):
        if nonterminal != NO_NONTERMINAL:
            goto = parser.gotos(states[-1] if states else state).get(nonterminal)
            if goto is None:
                return REFUSED
            states.append(goto)
        top = states[-1] if states else state
        production = parser.reduces(top).get(X)
        if production is None:
            target = parser.shifts(top).get(X)
            return REFUSED if target is None else (0, NO_NONTERMINAL, (*states, target))
        nonterminal, length = (
            parser.production_lhs[production],
            parser.production_length[production],
        )
        if length > len(states):
            return (length - len(states), nonterminal, ())
        del states[len(states) - length :]
    return None


def draw_parser(draw):
    states, nonterminals = range(draw.randint(2, 6)), range(draw.randint(1, 3))
    productions = [(draw.choice(nonterminals), draw.choice([0, 0, 1, 1, 2, 3])) for _ in range(4)]
    gotos = {
        s: {n: draw.choice(states) for n in nonterminals if draw.random() < 0.8} for s in states
    }
    reduces = {s: draw.randrange(4) for s in states if draw.random() < 0.7}
    shifts = {s: 50 + s for s in states if s not in reduces and draw.random() < 0.8}
    return make_tables(gotos, reduces, shifts, productions), states, nonterminals


@by_hand
def test_what_follows_is_what_doing_it_gives():
    n_circles = 0
    for seed in range(200):
        parser, states, nonterminals = draw_parser(Random(seed))
        for state in states:
            for nonterminal in (NO_NONTERMINAL, *nonterminals):
                expected = follow_one_by_one(parser, state, nonterminal)
                n_circles += expected is None
                found = reduce_long(parser, state, nonterminal, X)
                assert found == (REFUSED if expected is None else expected)
    assert n_circles > 20
