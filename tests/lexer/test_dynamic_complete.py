"""Lexemes as ``dynamic_complete`` takes them: any piece that matches, and ignored ones whole."""

import pytest

from maskc.errors import LimitError, UnsupportedTerminalError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import IGNORED
from maskc.lexer import dynamic_complete
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner


def scan(text):
    grammar, _ = load_grammar(load_source(text, parser="earley", lexer="dynamic_complete"))
    return grammar, build_dynamic_complete_scanner(grammar.lexer, grammar.bnf.used_terminals())


def ends_after(text, lexeme):
    """Return the names of what a lexeme may end as, ``None`` if nothing can begin like it."""
    grammar, scanner = scan(text)
    state = scanner.start
    for byte in lexeme.encode():
        state = int(scanner.next[state, scanner.byte_class[byte]])
    if state == 0:
        return None
    names = {
        t: "ignored" if t == IGNORED else grammar.bnf.terminals[t] for t, _ in scanner.ends[state]
    }
    return set(names.values())


def test_a_lexeme_may_be_two_terminals():
    text = 'start: IF | NAME\nIF: "if"\nNAME: /[a-z]+/\n'
    assert ends_after(text, "if") == {"IF", "NAME"}


def test_a_lexeme_may_end_wherever_its_pattern_matches():
    text = "start: A\nA: /a(bc)*/\n"
    assert [ends_after(text, piece) for piece in ("a", "ab", "abc")] == [{"A"}, set(), {"A"}]


def test_an_unused_terminal_is_no_lexeme():
    assert ends_after('start: "a"\nB: "b"\n', "b") is None


def test_an_ignored_lexeme_is_not_ended_where_it_goes_on():
    _, scanner = scan('start: "a"\n%ignore / +/\n')
    blank = int(scanner.byte_class[32])
    inside = int(scanner.next[scanner.start, blank])
    ((_, boundary),) = scanner.ends[inside]
    entered = scanner.entries[scanner.enter[boundary, 0]]
    assert not entered[blank]
    assert entered[int(scanner.byte_class[ord("a")])]


@pytest.mark.parametrize(
    "pattern",
    ["a(?=b)", "a(?!b)", r"a\b", "a$", "(?>ab|a)", "a++b", "a(?=b)b"],
)
def test_what_depends_on_where_lark_cuts_is_refused(pattern):
    with pytest.raises(UnsupportedTerminalError, match="use lexer=dynamic") as caught:
        scan(f"start: A\nA: /{pattern}/\n")
    assert caught.value.terminal == "A"


@pytest.mark.parametrize("pattern", ["(?<=a)b", r"\bb", "^b"])
def test_what_sees_in_front_of_its_lexeme_is_refused(pattern):
    with pytest.raises(UnsupportedTerminalError, match="depends"):
        scan(f'start: "a" B\nB: /{pattern}/\n')


def test_a_look_behind_inside_the_lexeme_is_taken():
    text = "start: STRING\n%import common.ESCAPED_STRING -> STRING\n"
    assert ends_after(text, '"a\\""') == {"STRING"}
    assert ends_after(text, '"a\\"') == set()


def test_a_refused_pattern_that_nobody_uses_does_no_harm():
    assert ends_after('start: "a"\nB: /b(?=c)/\n', "a") == {"A"}


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(dynamic_complete, "MAX_PRODUCT_STATES", 3)
    with pytest.raises(LimitError, match="more than 3 scanner states"):
        scan('start: "abcdef"\n')
