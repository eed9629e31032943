"""How many terminals does a stack still need?"""

import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.steps import ParserSteps


def steps_of(text):
    return ParserSteps(build_lark(load_source(f"{text}\n")))


def remaining(text, terminals):
    steps = steps_of(text)
    stack = steps.start.stack
    for terminal in terminals:
        stack = steps.feed(stack, terminal)
    return steps.remaining.of(stack)


NESTED = 'start: "a" start "b" "c" | "d"'


@pytest.mark.parametrize(
    ("terminals", "needed"),
    [("", 1), ("A", 3), ("AA", 5), ("AD", 2), ("AADB", 3), ("D", 0), ("AADBCB", 1)],
)
def test_the_number_is_that_of_the_shortest_end(terminals, needed):
    assert remaining(NESTED, terminals) == needed


def test_a_list_that_could_go_on_with_as_little_is_ended():
    """Behind an item, another one costs as little as the end does, and leads nowhere."""
    assert remaining('start: "{" item* "}"\nitem: "a" | "b" "c"', ["LBRACE", "A", "A"]) == 1


def test_an_end_that_costs_more_than_a_loop_is_found():
    assert remaining('start: "a"+ "b" "c" "d"', ["A", "A"]) == 3


def test_a_stack_that_no_production_leads_on_from_is_told():
    steps = steps_of('start: "a" x | "b"\nx: "c" x')
    stack = steps.feed(steps.start.stack, "A")
    assert not steps.remaining.can_be_finished(stack)
    assert steps.remaining.can_be_finished(steps.start.stack)


def test_what_is_asked_before_changes_no_number():
    """Of three stacks in every order: what is kept of one must be true of the others."""
    orders = (["A", "AA", "AADB"], ["AADB", "AA", "A"], ["AA", "AADB", "A"])
    for order in orders:
        steps = steps_of(NESTED)
        found = {}
        for terminals in order:
            stack = steps.start.stack
            for terminal in terminals:
                stack = steps.feed(stack, terminal)
            found[terminals] = steps.remaining.of(stack)
        assert found == {"A": 3, "AA": 5, "AADB": 3}
