"""Lexemes as ``dynamic`` and ``dynamic_complete`` take them: one match at each place, or any."""

import itertools
import re

import pytest

from maskc.errors import LimitError, UnsupportedTerminalError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import IGNORED
from maskc.lexer.contextual import build_dynamic_scanner
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner, build_lexemes
from tests.compiled import accepts, compile_text

BUILDERS = {"dynamic": build_dynamic_scanner, "dynamic_complete": build_dynamic_complete_scanner}
WORDS = "start: NAME NAME\nNAME: /[a-z]+/\n%ignore / /\n"
TWO = 'start: IF | NAME\nIF: "if"\nNAME: /[a-z]+/\n'
STRING = "start: STRING\n%import common.ESCAPED_STRING -> STRING\n"


def scan(text, lexer):
    grammar, _ = load_grammar(load_source(text, parser="earley", lexer=lexer))
    return grammar, BUILDERS[lexer](grammar.lexer, grammar.bnf.used_terminals)


def state_after(scanner, lexeme):
    state = scanner.start
    for byte in lexeme.encode():
        state = int(scanner.next[state, scanner.byte_class[byte]])
    return state


@pytest.mark.parametrize(
    ("lexer", "text", "lexeme", "names"),
    [
        *((lexer, TWO, "if", {"IF", "NAME"}) for lexer in BUILDERS),
        # An unused terminal is no lexeme, and its pattern does no harm.
        *((lexer, 'start: "a"\nB: "b"\n', "b", None) for lexer in BUILDERS),
        ("dynamic_complete", 'start: "a"\nB: /b(?=c)/\n', "a", {"A"}),
        # What the first alternative matches is never longer.
        *((lexer, "start: A\nA: /a|ab/\n", "ab", None) for lexer in BUILDERS),
        ("dynamic_complete", "start: A\nA: /a(bc)*/\n", "a", {"A"}),
        ("dynamic_complete", "start: A\nA: /a(bc)*/\n", "ab", set()),
        ("dynamic_complete", "start: A\nA: /a(bc)*/\n", "abc", {"A"}),
        ("dynamic_complete", "start: A\nA: /ab*?/\n", "a", {"A"}),
        ("dynamic_complete", "start: A\nA: /ab*?/\n", "ab", None),
        # A look-behind inside the lexeme.
        ("dynamic_complete", STRING, '"a\\""', {"STRING"}),
        ("dynamic_complete", STRING, '"a\\"', set()),
    ],
)
def test_a_lexeme_may_end_as_some_terminals(lexer, text, lexeme, names):
    """``None``: nothing can begin like it."""
    grammar, scanner = scan(text, lexer)
    state = state_after(scanner, lexeme)
    assert (state == 0) == (names is None)
    assert {grammar.bnf.terminals[t] for t, _ in scanner.ends[state]} == (names or set())


@pytest.mark.parametrize(
    ("lexer", "text", "lexeme", "on"),
    [("dynamic", WORDS, "a", " "), ("dynamic_complete", 'start: "a"\n%ignore / +/\n', " ", "a")],
)
def test_a_lexeme_is_not_ended_where_it_goes_on(lexer, text, lexeme, on):
    _, scanner = scan(text, lexer)
    ((terminal, boundary),) = scanner.ends[state_after(scanner, lexeme)]
    assert (terminal == IGNORED) == (lexeme == " ")
    entered = scanner.entries[scanner.enter[boundary, 0]]
    assert not entered[scanner.byte_class[ord(lexeme)]]
    assert entered[scanner.byte_class[ord(on)]]


NAMES = '\nNAME: /[a-z]+/\n%ignore " "\n'
AFTER_A = 'start: A ("b" | "c" | " c")\nA: '
BEFORE_B = 'start: ("a" | "a ") B | "c"\nB: '


@pytest.mark.parametrize(
    ("text", "taken", "refused"),
    [
        (f'start: "if" NAME{NAMES}', ["if x", "ifx"], ["if", "xif"]),
        (f'start: NAME "if"{NAMES}', ["x if"], ["xif"]),
        # The first alternative hides the longer one.
        ('start: A "c" | A "b" "c"\nA: /a|ab/\n', ["ac", "abc"], []),
        # A match may be shorter where the longer one fails.
        ("start: A B?\nA: /a(bc)?/\nB: /b/\n", ["a", "abc", "ab", "abcb"], []),
        ('start: A "bc"\nA: /a(bc)?/\n', ["abcbc"], ["abc"]),
        (f"{AFTER_A}/a(?=b)/\n", ["ab"], ["ac", "a c"]),
        (f"{AFTER_A}/a(?!b)/\n", ["ac", "a c"], ["ab"]),
        (f"{AFTER_A}/a\\b/\n", ["a c"], ["ab", "ac"]),
        (f"{AFTER_A}/a\\B/\n", ["ab", "ac"], ["a c"]),
        (f"{AFTER_A}/(?>a|ab)/\n", ["ab", "ac", "a c"], []),
        (f"{AFTER_A}/a++/\n", ["ab", "ac", "a c"], []),
        ('start: A "b"?\nA: /a$/\n', ["a"], ["ab"]),
        (f"{BEFORE_B}/(?<=a)b/\n", ["ab", "c"], ["a b"]),
        (f"{BEFORE_B}/\\bb/\n", ["a b", "c"], ["ab"]),
        (f"{BEFORE_B}/^b/\n", ["c"], ["ab", "a b"]),
        ('start: "a" B\nB: / b/\n%ignore / +/\n', ["a b"], ["a  b"]),
        # An ignored terminal may be used as well.
        ("start: A B A\nA: /a/\nB: / +/\n%ignore B\n", ["a a", "a  a "], ["aa"]),
        # Two conditions that exclude each other make no text.
        ('start: A B | "x"\nA: /a(?=bc)/\nB: /b(?!c)/\n', ["x"], ["ab", "abc"]),
        # Priorities refuse no text.
        ('start: A "b" | B\nA.2: /a/\nB.-1: /ab/\n', ["ab"], []),
        # Flags for a whole pattern, and numbers of groups, are the terminal's own.
        ("start: A B\nA: /(?i)a/\nB: /(b)?(?(1)c|d)/\n", ["Abc", "ad"], ["abd"]),
    ],
)
def test_dynamic_takes_the_texts_that_lark_takes(text, taken, refused):
    artifact = compile_text(text, parser="earley", lexer="dynamic")
    assert [one for one in (*taken, *refused) if accepts(artifact, one)] == taken


@pytest.mark.parametrize(
    ("terminal", "pattern"),
    [
        *(("A", p) for p in ("a(?=b)", "a(?!b)", r"a\b", "a$", "(?>ab|a)", "a++b", "a(?=b)b")),
        *(("B", p) for p in ("(?<=a)b", r"\bb", "^b")),
    ],
)
def test_what_depends_on_where_lark_cuts_is_refused(terminal, pattern):
    with pytest.raises(UnsupportedTerminalError, match=r"depends.* use lexer=dynamic") as caught:
        scan(f'start: "x"? {terminal}\n{terminal}: /{pattern}/\n', "dynamic_complete")
    assert caught.value.terminal == terminal


@pytest.mark.parametrize("lexer", BUILDERS)
def test_too_many_states_are_refused(lexer, monkeypatch):
    monkeypatch.setattr("maskc.lexer.exploration.Exploration.most_states", 3)
    with pytest.raises(LimitError, match="more than 3 scanner states"):
        scan('start: "abcdef"\n', lexer)


def lexemes_of(pattern):
    grammar, _ = load_grammar(load_source(f"start: A\nA: /{pattern}/\n", parser="earley"))
    found, threads = build_lexemes(grammar.lexer, grammar.bnf.used_terminals)
    ((_, lexemes),) = found.items()
    return lexemes, threads.byte_class


@pytest.mark.parametrize(
    "pattern",
    [
        *("a(bc)*", "a|ab", "a+?", "a*b", "(?:a|b)+c?", "[ab]{2,3}", "(?:ab|a)(?:c|bc)"),
        "a[ab]*(?<=b)c",
    ],
)
def test_a_piece_is_a_text_whose_first_match_is_all_of_it(pattern):
    lexemes, byte_class = lexemes_of(pattern)
    for length in range(1, 7):
        for text in map("".join, itertools.product("abc", repeat=length)):
            state = lexemes.start
            for byte in text.encode():
                state = lexemes.next[state][byte_class[byte]]
            match = re.match(pattern, text)
            whole = match is not None and match.end() == length
            assert lexemes.accepts[state] == whole, text
