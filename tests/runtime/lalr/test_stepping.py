"""Bytes move hypotheses: one goes on, ends, or forks."""

import pytest

from tests.compiled import compile_text


@pytest.fixture(scope="module")
def operators():
    return compile_text('start: (EQ | EQEQ NAME | NAME)+\nEQ: "="\nEQEQ: "=="\nNAME: "n"\n').machine


def test_the_bytes_of_one_lexeme_move_the_scanner_only(brackets, reach):
    short, long_ = reach(brackets, b"(a"), reach(brackets, b"(abc")
    assert short.stack.depth == long_.stack.depth
    assert short.state == long_.state


def test_a_byte_that_ends_a_lexeme_gives_it_to_the_parser(brackets, reach):
    assert reach(brackets, b"((").stack.depth == reach(brackets, b"(").stack.depth + 1


@pytest.mark.parametrize("text", [b"]", b"(]", b"a a", b"(A", b"()"])
def test_an_illegal_byte_leaves_no_hypothesis(brackets, text):
    assert brackets.step(brackets.start(), text) == ()


def test_a_lexeme_that_may_end_and_go_on_is_followed_both_ways():
    machine = compile_text('start: (X | Y | Z)+\nX: /a*b/\nY: /a/\nZ: "c"\n').machine
    after = machine.step(machine.start(), b"aa")
    assert len(after) > 1
    assert len(machine.step(after, b"b")) == 1


def test_bytes_one_by_one_lead_where_they_lead_together(operators):
    here = operators.start()
    for byte in b"=n==n":
        here = operators.step(here, bytes([byte]))
    together = operators.step(operators.start(), b"=n==n")
    assert [operators.describe(h) for h in here] == [operators.describe(h) for h in together]
