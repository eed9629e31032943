"""Lexemes as ``dynamic`` takes them: one match of each terminal at each place."""

import pytest

from maskc.errors import LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import IGNORED
from maskc.lexer import dynamic
from maskc.lexer.dynamic import build_dynamic_scanner
from tests.compiled import accepts, compile_text

SETTINGS = {"parser": "earley", "lexer": "dynamic"}


def scan(text):
    grammar, _ = load_grammar(load_source(text, **SETTINGS))
    return grammar, build_dynamic_scanner(grammar.lexer, grammar.bnf.used_terminals())


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


def texts_of(text, *candidates):
    """Return those of the texts that the grammar takes."""
    artifact = compile_text(text, **SETTINGS)
    return [candidate for candidate in candidates if accepts(artifact, candidate)]


def test_a_lexeme_may_be_two_terminals():
    text = 'start: IF | NAME\nIF: "if"\nNAME: /[a-z]+/\n'
    assert ends_after(text, "if") == {"IF", "NAME"}


def test_a_name_takes_all_its_letters():
    _, scanner = scan("start: NAME NAME\nNAME: /[a-z]+/\n%ignore / /\n")
    letter, blank = (int(scanner.byte_class[ord(c)]) for c in "a ")
    ((_, boundary),) = scanner.ends[scanner.next[scanner.start, letter]]
    entered = scanner.entries[scanner.enter[boundary, 0]]
    assert not entered[letter]
    assert entered[blank]


def test_a_keyword_may_be_glued_to_a_name():
    text = 'start: "if" NAME\nNAME: /[a-z]+/\n%ignore " "\n'
    assert texts_of(text, "if x", "ifx", "if", "xif") == ["if x", "ifx"]


def test_a_name_that_ends_where_letters_follow_is_none():
    text = 'start: NAME "if"\nNAME: /[a-z]+/\n%ignore " "\n'
    assert texts_of(text, "x if", "xif") == ["x if"]


def test_the_first_alternative_hides_the_longer_one():
    text = 'start: A "c" | A "b" "c"\nA: /a|ab/\n'
    assert texts_of(text, "ac", "abc") == ["ac", "abc"]
    assert ends_after("start: A\nA: /a|ab/\n", "ab") is None


def test_a_match_may_be_shorter_where_the_longer_one_fails():
    text = "start: A B?\nA: /a(bc)?/\nB: /b/\n"
    assert texts_of(text, "a", "abc", "ab", "abcb") == ["a", "abc", "ab", "abcb"]
    assert texts_of('start: A "bc"\nA: /a(bc)?/\n', "abc", "abcbc") == ["abcbc"]


@pytest.mark.parametrize(
    ("terminal", "taken"),
    [
        ("a(?=b)", ["ab"]),
        ("a(?!b)", ["ac", "a c"]),
        (r"a\b", ["a c"]),
        (r"a\B", ["ab", "ac"]),
        ("(?>a|ab)", ["ab", "ac", "a c"]),
        ("a++", ["ab", "ac", "a c"]),
    ],
)
def test_what_follows_counts(terminal, taken):
    text = f'start: A ("b" | "c" | " c")\nA: /{terminal}/\n'
    assert texts_of(text, "ab", "ac", "a c") == taken


def test_an_anchor_means_the_end_of_the_text():
    assert texts_of('start: A "b"?\nA: /a$/\n', "a", "ab") == ["a"]


@pytest.mark.parametrize(
    ("terminal", "taken"), [("(?<=a)b", ["ab"]), (r"\bb", ["a b"]), ("^b", [])]
)
def test_what_stands_in_front_counts(terminal, taken):
    text = f'start: ("a" | "a ") B | "c"\nB: /{terminal}/\n'
    assert texts_of(text, "ab", "a b", "c") == [*taken, "c"]


def test_an_ignored_lexeme_is_not_ended_where_it_goes_on():
    assert texts_of('start: "a" B\nB: / b/\n%ignore / +/\n', "a b", "a  b") == ["a b"]


def test_an_ignored_terminal_may_be_used_as_well():
    text = "start: A B A\nA: /a/\nB: / +/\n%ignore B\n"
    assert texts_of(text, "aa", "a a", "a  a ") == ["a a", "a  a "]


def test_two_conditions_that_exclude_each_other_make_no_text():
    assert texts_of('start: A B | "x"\nA: /a(?=bc)/\nB: /b(?!c)/\n', "ab", "abc", "x") == ["x"]


def test_priorities_refuse_no_text():
    text = 'start: A "b" | B\nA.2: /a/\nB.-1: /ab/\n'
    assert texts_of(text, "ab") == ["ab"]


def test_flags_for_a_whole_pattern_and_numbers_of_groups_are_the_terminals_own():
    assert texts_of("start: A B\nA: /(?i)a/\nB: /(b)?(?(1)c|d)/\n", "Abc", "ad", "abd") == [
        "Abc",
        "ad",
    ]


def test_an_unused_terminal_is_no_lexeme():
    assert ends_after('start: "a"\nB: "b"\n', "b") is None


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(dynamic, "MAX_PRODUCT_STATES", 3)
    with pytest.raises(LimitError, match="more than 3 scanner states"):
        scan('start: "abcdef"\n')
