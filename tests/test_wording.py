"""Errors are told in the words of those who wrote the grammar."""

import pickle

import pytest

from maskc.bounded import run_bounded
from maskc.budget import name_grammar
from maskc.errors import GrammarError, LimitError, UnsupportedTerminalError
from maskc.wording import LARK_WORDING, Phrase, Wording

PATTERN = Wording({Phrase.SIMPLER_TERMINALS: "count less"}, whole="the pattern")


def raised(error, wording):
    def work():
        name_grammar("g", "A: /a/\n", wording)
        raise error

    with pytest.raises(type(error)) as caught:
        run_bounded(work)
    return caught.value


def test_a_phrase_is_said_in_the_words_of_the_notation():
    error = raised(LimitError("states", 3, Phrase.SIMPLER_TERMINALS, "here"), PATTERN)
    assert str(error) == "here: more than 3 states; count less"


def test_a_phrase_is_as_it_is_for_lark():
    error = LimitError("states", 3, Phrase.SIMPLER_TERMINALS, "here")
    assert raised(error, LARK_WORDING) is error
    assert str(error) == "here: more than 3 states; simplify the terminals"


def test_a_text_that_is_no_phrase_stays():
    error = GrammarError("g", "it is wrong")
    assert raised(error, PATTERN) is error


def test_a_terminal_is_called_what_the_notation_calls_it():
    error = raised(UnsupportedTerminalError("T", "x is not regular", "leave it out"), PATTERN)
    assert str(error) == "g: the pattern: x is not regular; leave it out"


def test_an_error_in_other_words_survives_pickling():
    error = raised(UnsupportedTerminalError("T", "x is not regular", "leave it out"), PATTERN)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_lark_quotes_a_terminal_with_its_line():
    assert LARK_WORDING.quote("terminal", "A", "\nA: /a/\n") == "terminal A (line 2)"
    assert LARK_WORDING.quote("terminal", "B", "\nA: /a/\n") == "terminal B"
    assert LARK_WORDING.quote("rule", "a", "?a: B\n") == "rule a (line 1)"


def test_a_notation_without_terminals_quotes_the_rule():
    wording = Wording(terminal="rule", definition=r"^NAME ::=")
    assert wording.quote("terminal", "a-b", "x ::= y\na-b ::= x") == "rule a-b (line 2)"
