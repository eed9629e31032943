"""Automata over stacks, whatever their symbols are."""

import pytest

from maskc.pushdown.debt_automaton import (
    REFUSED,
    TAKEN,
    DebtAutomaton,
    Verdict,
    build_debt_automaton,
    check_debt_automaton,
    decide,
    find_stack,
)

# Brackets: two are to be closed, and a stack of "(" may end, "|", after any number.
CLOSE_TWO = {2: [("(", 1), ("|", REFUSED)], 1: [("(", TAKEN), ("|", REFUSED)]}
LOOP = {0: [("a", 0), ("b", 1)], 1: [("a", TAKEN)]}


def build(edges, start, **bounds):
    return build_debt_automaton(start, edges.__getitem__, **bounds)


@pytest.mark.parametrize(
    ("edges", "verdict"),
    [
        ({0: [("a", TAKEN)]}, Verdict.ALWAYS),
        ({0: [("a", REFUSED)]}, Verdict.NEVER),
        ({0: [("a", TAKEN), ("b", REFUSED)]}, Verdict.DEPENDS),
        (LOOP, Verdict.ALWAYS),
        ({0: []}, Verdict.NEVER),
    ],
)
def test_a_verdict_is_what_the_ways_end_in(edges, verdict):
    assert decide(0, edges.__getitem__) is verdict
    assert build(edges, 0).verdict is verdict


def test_beyond_the_bound_nothing_is_known():
    assert decide(2, CLOSE_TWO.__getitem__, most=0) is Verdict.UNKNOWN
    assert build(CLOSE_TWO, 2, most=1) is None


def test_the_shortest_stack_is_found():
    assert find_stack(2, CLOSE_TWO.__getitem__, TAKEN) == ("(", "(")
    assert find_stack(2, CLOSE_TWO.__getitem__, REFUSED) == ("|",)
    assert find_stack(0, LOOP.__getitem__, REFUSED) is None


def test_automata_of_the_same_stacks_have_one_smallest_form():
    unrolled = {3: [("(", 4), ("|", REFUSED)], 4: [("(", 5), ("|", 6)], 5: [("(", TAKEN)]}
    unrolled |= {6: [("(", REFUSED)]}
    assert build(unrolled, 3).minimise() == build(CLOSE_TWO, 2).minimise()
    assert build(CLOSE_TWO, 2).minimise() != build(CLOSE_TWO, 1).minimise()
    assert build(LOOP, 0).minimise() == DebtAutomaton((), TAKEN)


def test_an_automaton_is_printed_one_edge_a_line():
    assert build(CLOSE_TWO, 2).format() == (
        "start 0\n0 --(--> 1\n0 --|--> refused\n1 --(--> taken\n1 --|--> refused"
    )


@pytest.mark.parametrize(
    "broken",
    [
        DebtAutomaton(((("a", 1),),), 0),
        DebtAutomaton(((("a", TAKEN), ("a", REFUSED)),), 0),
        DebtAutomaton(((("a", TAKEN),), (("a", TAKEN),)), 0),
        DebtAutomaton(((("a", -3),),), 0),
        DebtAutomaton(((),), 0),
    ],
)
def test_a_broken_automaton_is_refused(broken):
    with pytest.raises(ValueError, match="debt automaton"):
        check_debt_automaton(broken)


def test_a_built_automaton_passes_its_check():
    check_debt_automaton(build(CLOSE_TWO, 2))
    check_debt_automaton(DebtAutomaton((), TAKEN))
