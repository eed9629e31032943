import pytest
from lark import Lark

from maskc.verify.oracle import Oracle

LIST = 'start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-z]{2,4}/\n%ignore " "\n'


@pytest.fixture(scope="module")
def oracle():
    return Oracle(Lark(LIST, parser="lalr"))


@pytest.mark.parametrize("text", ["", "[", "[a", "[ab", "[ab,", "[ab, c", "[ab]"])
def test_some_guess_completes_a_beginning(oracle, text):
    readings = oracle.reader.readings(oracle.steps.start, text, 0)
    guesses = [text + g for r in readings for g in oracle.completer.guesses(text, r)]
    assert any(oracle.steps.parses(oracle.steps.start, guess, 0) for guess in guesses)


def test_a_sample_of_a_terminal_is_one_of_its_lexemes(oracle):
    probe = oracle.reader.probes["WORD"].plain
    assert oracle.completer.samples("WORD")
    assert all(probe.fullmatch(sample) for sample in oracle.completer.samples("WORD"))


def test_what_worked_is_forgotten(oracle):
    list(oracle.completer.complete(oracle.steps.start))
    assert oracle.completer._worked
    oracle.completer.forget()
    assert not oracle.completer._worked
