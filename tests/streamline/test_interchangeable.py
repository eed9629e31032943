"""Terminals that can stand for each other are asked about as one."""

from maskc.pushdown.interchangeable import find_classes
from maskc.streamline.interchangeable import safe_for_lookaheads
from tests.languages import describe, language_of, stages_of

SUM = 'start: "a" (("+" | "-") "a")*\n'
TOKENS = (b"a", b"+", b"-", b"+a", b"-a", b"a+", b"a-")


def test_rows_that_differ_in_the_terminal_only_are_one():
    found = describe(stages_of(SUM, TOKENS), "interchangeable", TOKENS)
    # After an A that ended before the token, and after one that the token's `a` is.
    assert {tokens for _, opened, tokens in found if opened == "open(MINUS)"} == {"+ -", "a+ a-"}


def test_sources_after_them_become_one():
    before = describe(stages_of(SUM, TOKENS), "closings", TOKENS)
    after = describe(stages_of(SUM, TOKENS), "interchangeable", TOKENS)
    assert {event for event, _, _ in before} - {event for event, _, _ in after} == {"PLUS"}


def test_what_asks_for_nothing_goes_on_to_ask_for_nothing():
    found = describe(stages_of(SUM, TOKENS), "always legal", TOKENS)
    assert any(sequence.endswith("open(anything)") for _, sequence, _ in found)
    assert not any("$END A MINUS)" in sequence for _, sequence, _ in found)


def test_terminals_that_are_told_apart_stay():
    found = describe(stages_of(f'{SUM}sign: "-"\n', TOKENS), "interchangeable", TOKENS)
    assert found == describe(stages_of(SUM, TOKENS), "interchangeable", TOKENS)
    one_sign = 'start: "a" (("+" | "-") "a")* "-"?\n'
    found = describe(stages_of(one_sign, TOKENS), "interchangeable", TOKENS)
    assert {"PLUS", "MINUS"} <= {event for event, _, _ in found}


def test_a_terminal_that_nothing_can_follow_stands_for_no_other():
    # After DIGIT no DIGIT can be lexed, so `x DIGIT DIGIT` is never read, as `x LETTER` is.
    text = 'start: "x" (D D | L)\nD: /[0-9]+/\nL: /[a-z]/\n'
    language = language_of(text)
    grammar, boundaries = language.lexed.grammar, language.lexed.boundaries
    safe = safe_for_lookaheads(find_classes(grammar), boundaries, language.table.live)
    assert safe == ()
