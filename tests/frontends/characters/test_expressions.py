"""Expressions over characters: built, solved, and written as automata, patterns and counters."""

import re
from itertools import pairwise, product
from random import Random

import pytest
from lark import Lark, UnexpectedInput

from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters import automaton, terminals
from maskc.frontends.characters.automaton import ExpressionTooLargeError, build_dfa, subtract
from maskc.frontends.characters.regular import Regular
from maskc.frontends.characters.terminals import (
    write_class,
    write_longest,
    write_pattern,
    write_terminal,
)
from maskc.frontends.notations import count_grammar
from maskc.frontends.source import load_source
from maskc.regular import (
    EMPTY_TEXT,
    MAX_SIZE,
    NOTHING,
    Alternation,
    Characters,
    Except,
    Reference,
    Repeat,
    check_size,
    choice,
    literal,
    measure,
    repeat,
    sequence,
)
from maskc.regular.charset import ANY
from maskc.runtime.schema.strings.characters import NO_LABEL

A, B, X, Y = literal("a"), literal("b"), Reference("x"), Reference("y")


@pytest.mark.parametrize(
    ("built", "found"),
    [
        (sequence(A, NOTHING, B), NOTHING),
        (choice(A, NOTHING), A),
        (sequence(A, repeat(A, 0, None)), Repeat(A, 1, None)),
        # Characters among alternatives are one set, and an empty one makes the rest optional.
        (choice(literal("b"), literal("a")), Characters(((97, 98),))),
        (choice(A, literal("xy"), B), Alternation((choice(A, B), literal("xy")))),
        (choice(EMPTY_TEXT, literal("ab")), Repeat(literal("ab"), 0, 1)),
        (repeat(A, 0, 0), EMPTY_TEXT),
        (repeat(NOTHING, 0, 3), EMPTY_TEXT),
        (repeat(NOTHING, 1, 3), NOTHING),
        (repeat(Repeat(A, 0, 1), 0, None), Repeat(A, 0, None)),
        (repeat(Repeat(A, 1, None), 0, 1), Repeat(A, 0, None)),
        (repeat(Repeat(A, 0, 3), 0, 1), Repeat(Repeat(A, 0, 3), 0, 1)),
    ],
)
def test_an_expression_is_simple_when_it_is_built(built, found):
    assert built == found


def test_bounded_repetitions_count_as_they_are_written_out():
    large = repeat(repeat(literal("ab"), 200, 200), 1, 100)
    assert measure(large) == 40_000
    with pytest.raises(LimitError, match=r"in one expression at g:3") as caught:
        check_size("g:3", large)
    assert f"{MAX_SIZE:,}" in str(caught.value)


def test_the_empty_text_and_nothing_have_automata():
    assert write_longest(build_dfa(EMPTY_TEXT)) == EMPTY_TEXT
    assert write_longest(build_dfa(NOTHING)) == NOTHING
    assert write_longest(subtract(A, choice(A, B))) == NOTHING
    assert write_terminal(EMPTY_TEXT) == write_terminal(NOTHING) == ""


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(automaton, "MAX_STATES", 5)
    with pytest.raises(ExpressionTooLargeError):
        build_dfa(literal("abcdefgh"))


ODD = r'.^$*+?{}[]\|()/"&~#- '


def test_every_character_stands_for_itself():
    assert re.fullmatch(write_pattern(literal(ODD)), ODD)
    for character in ODD:
        ranges = tuple(sorted({(ord(character),) * 2, (0x4E00, 0x4E01)}))
        assert re.fullmatch(write_class(ranges), character)
        assert not re.fullmatch(write_class(ranges), "x")


def test_a_set_is_written_by_what_it_lacks_if_that_is_shorter():
    assert write_class(((0, 96), (98, 0xD7FF), (0xE000, 0x10FFFF))) == "[^a]"
    assert write_class(ANY) == r"[\s\S]"


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [
        (0, 1, "?"),
        (0, None, "*"),
        (1, None, "+"),
        (3, 3, "{3}"),
        (2, None, "{2,}"),
        (2, 5, "{2,5}"),
    ],
)
def test_counts_are_those_of_re(low, high, count):
    assert write_pattern(repeat(literal("a"), low, high)) == f"a{count}"
    assert write_pattern(repeat(literal("ab"), low, high)) == f"(?:ab){count}"


def test_a_run_of_one_set_is_counted():
    digit = Characters(((48, 57),))
    assert write_pattern(sequence(digit, digit, digit)) == "[0-9]{3}"
    assert write_pattern(choice(literal("ab"), literal("cd"))) == "(?:ab|cd)"


def test_too_long_a_pattern_is_refused(monkeypatch):
    monkeypatch.setattr(terminals, "MAX_LENGTH", 5)
    with pytest.raises(ExpressionTooLargeError):
        write_pattern(literal("abcdef"))


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (choice(sequence(A, X), B), sequence(repeat(A, 0, None), B)),
        (choice(sequence(X, A), B), sequence(B, repeat(A, 0, None))),
        (Except(choice(A, B), B, "g:7"), A),
    ],
)
def test_recursion_at_an_end_is_a_loop_and_an_exception_what_is_left(rule, found):
    assert Regular({"x": rule}, "x").expressions["x"] == found


def _accepts(rules, state, text):
    """Follow rules of (character, rule) pairs, and of ends, as the automaton that they are."""
    here = {state}
    for character in text:
        here = {to for at in here for c, to in rules[at] if c == character}
    return any(("", "") in rules[at] for at in here)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_rules_that_come_back_to_each_other_at_an_end_are_an_automaton(seed, mirrored):
    draw = Random(seed)
    names = [f"r{n}" for n in range(draw.randint(1, 6))]
    pairs = [("", ""), *product("ab", names)]
    rules = {name: set(draw.choices(pairs, k=draw.randint(1, 4))) for name in names}
    bodies = {
        name: choice(
            *(
                sequence(*(literal(c), Reference(to))[:: -1 if mirrored else 1])
                if c
                else EMPTY_TEXT
                for c, to in sorted(found)
            )
        )
        for name, found in rules.items()
    }
    entries = draw.sample(names, draw.randint(1, len(names)))
    whole = choice(*map(Reference, entries))
    solved = Regular(bodies | {"start": whole}, "start").expressions
    for name in {*entries} & solved.keys():
        dfa = build_dfa(solved[name])
        for n in range(6):
            for text in map("".join, product("ab", repeat=n)):
                read = text[::-1] if mirrored else text
                assert (dfa.labels[dfa.read(text)] != NO_LABEL) == _accepts(rules, name, read)
    assert {*entries} <= solved.keys()


def _write_without(words):
    """Return rules of the texts in which no word stands, a rule for each beginning of one."""
    begun = sorted({word[:n] for word in words for n in range(len(word))})
    characters = sorted({*"".join(words)})
    rules = []
    for number, text in enumerate(begun):
        parts = [f"[^{''.join(characters)}] t0"]
        for character in characters:
            found = text + character
            if not any(found.endswith(word) for word in words):
                longest = next(n for n in range(len(found) + 1) if found[n:] in begun)
                parts.append(f'"{character}" t{begun.index(found[longest:])}')
        rules.append(f't{number} ::= {" | ".join(parts)} | ""\n')
    return "".join(rules)


def test_text_without_words_that_is_written_as_rules_is_one_terminal():
    """As SGLang writes the answers of GLM 4.7: with a terminal a character, none was compiled."""
    words = ["</think>", "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>"]
    source = load_source(
        f'root ::= t0 "<tool_call>" value*\nvalue ::= "a" t0 "</think>" | "[" value "]"\n'
        f"{_write_without(words)}",
        dialect="ebnf",
    )
    assert len(source.text) < 3_000
    assert len(re.findall(r"^[A-Z0-9_]+:", source.text, re.MULTILINE)) == 6
    lark = Lark(source.text, parser="earley", lexer="dynamic_complete", start="root")
    for text in ("<tool_call>", "a<b<tool_call>a</think>", "<too<tool_call>[[a</thin</think>]]"):
        assert lark.parse(text)
    for text in ("<tool_call><tool_call>", "</think><tool_call>", "<tool_call>a<arg_key></think>"):
        with pytest.raises(UnexpectedInput):
            lark.parse(text)


def test_recursion_in_the_middle_is_not_regular():
    rules = Regular({"x": choice(sequence(A, X, B), A), "y": sequence(A, B)}, "y")
    assert "x" not in rules.expressions
    assert rules.resolve(sequence(Y, X)) is None
    assert rules.resolve(sequence(Y, Y)) == literal("abab")


def test_an_exception_of_what_is_recursive_is_refused_at_its_place():
    rules = {"x": choice(sequence(A, X, B), A), "y": Except(A, X, "g:7")}
    with pytest.raises(GrammarError, match="g:7: both sides of an exception"):
        Regular(rules, "y").put_in_exceptions(rules["y"])


def test_a_longer_word_comes_before_its_beginning():
    assert write_terminal(choice(literal("do"), literal("double"))) in (
        "(?:double|do)",
        "do(?:uble)?",
    )


_DOUBLING = "".join(f"{c} ::= {d} {d}\n" for c, d in pairwise("abcdefghijklmnopq"))


@pytest.mark.parametrize(
    ("dialect", "text", "bounds"),
    [
        ("gbnf", 'root ::= [a-z]{1,65536} ";"', ((1, 65_536),)),
        ("ebnf", 'root ::= word{20,} "."\nword ::= [a-z]{1,63} " "', ((20, None), (1, 63))),
        ("gbnf", 'root ::= ("a" | "b"?){100}', ((1, 100),)),
        ("gbnf", 'root ::= x x\nx ::= "ab"{9,90}', ((9, 90), (9, 90))),
    ],
)
def test_counts_of_grammars_become_counters(dialect, text, bounds):
    found = count_grammar(dialect, text)
    assert found is not None
    assert found.bounds == bounds


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("lark", "start: A\nA: /a{100}/"),
        ("gbnf", 'root ::= "(" root ")" | [a-z]{1,65536}'),
        ("gbnf", 'root ::= x{100}\nx ::= "a" x?'),
        ("gbnf", "root ::= [a-z]{2} [a-z]*"),
        ("gbnf", "root ::= [a-z]{100"),
        ("gbnf", "root ::= nothing{100}"),
        ("gbnf", 'root ::= "a"{9999999999}'),
        ("ebnf", "A ::= ([a-z] - 'x'){100}"),
        ("gbnf", f'root ::= a{{100}}\n{_DOUBLING}q ::= "q"'),
    ],
)
def test_other_grammars_are_left_to_the_parser(dialect, text):
    assert count_grammar(dialect, text) is None
