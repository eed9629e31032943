"""A token that does not shrink what its lexeme may become asks nothing."""

from tests.languages import describe, stages_of

NAMES = 'start: "if" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n'
TOKENS = (b"i", b"f", b"x", b" ", b"fx")


def opened(step, first="(nothing ends)"):
    found = describe(stages_of(NAMES, TOKENS), step, TOKENS)
    return {(sequence, tokens) for event, sequence, tokens in found if event == first}


def test_inside_a_name_letters_ask_nothing():
    # In the state of a name that is no keyword, and in that of `i` before `f`.
    assert ("open(anything)", "i f x fx") in opened("closings")
    assert ("open(anything)", "f") in opened("closings")


def test_what_could_be_a_keyword_no_more_is_asked_about():
    assert ("open(NAME)", "i x fx") in opened("closings")


def test_at_the_start_of_the_text_nothing_is_concluded():
    start = ("open(NAME)", "f x fx")
    assert start in opened("raw")
    assert start in opened("closings")


def test_rows_after_an_end_are_left_alone():
    assert opened("closings", "IF") == opened("raw", "IF")
