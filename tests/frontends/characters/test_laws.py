"""A grammar over characters keeps its language on the way to Lark, however much is folded."""

import itertools
import re
from random import Random

import pytest
from hypothesis import assume, example, given, reject
from hypothesis import strategies as st
from lark import Lark

from maskc.errors import GrammarError
from maskc.frontends.characters import lower_grammar
from maskc.frontends.characters.automaton import (
    ExpressionTooLargeError,
    build_dfa,
    drop_empty,
    subtract,
)
from maskc.frontends.characters.regular import mirror
from maskc.frontends.characters.terminals import (
    write_class,
    write_longest,
    write_pattern,
    write_terminal,
)
from maskc.frontends.notations import read_rules
from maskc.frontends.translation import write_literal
from maskc.regular import choice, is_nullable, literal, repeat, sequence
from tests.frontends import random_rules as rules_

LONGEST = 4
seeds = st.integers(0, 2**32)


def texts_of_lark(text, start):
    lark = Lark(text, parser="earley", lexer="dynamic_complete", start=start)
    return rules_.accepted_by(lark, LONGEST)


@given(seeds)
@example(5)
def test_folded_gbnf_has_the_texts_of_its_rules(seed):
    rules = rules_.draw_rules(Random(seed))
    expected = rules_.list_texts(rules, LONGEST)
    grammar = read_rules("gbnf", "g", rules_.write_rules(rules, "gbnf"))
    if rules_.has_texts(rules):
        assert texts_of_lark(lower_grammar(grammar).format_lark(), "root") == expected
    else:
        with pytest.raises(GrammarError, match="no text at all"):
            lower_grammar(grammar)


@given(seeds)
def test_folded_ebnf_has_the_texts_of_its_rules(seed):
    draw = Random(seed)
    rules = rules_.draw_rules(draw)
    if draw.random() < 0.5:
        left, right = (rules_.draw_expression(draw, (), 1) for _ in range(2))
        rules["root"] = ("or", rules["root"], ("row", ("text", "a"), ("but", left, right)))
    expected = rules_.list_texts(rules, LONGEST)
    assume(expected)  # an exception may leave nothing
    text = lower_grammar(read_rules("ebnf", "g", rules_.write_rules(rules, "ebnf"))).format_lark()
    assert texts_of_lark(text, "document") == expected


def draw_regular(draw, depth=0):
    """Return an expression of :mod:`tests.frontends.random_rules` and the same one of maskc."""
    expression = rules_.draw_expression(draw, (), depth)
    return expression, convert(expression)


def convert(expression):
    kind, *rest = expression
    match kind:
        case "text":
            return literal(rest[0])
        case "class":
            return choice(*map(literal, rest[0]))
        case "not" | "any":
            return choice(*(literal(c) for c in rules_.ALPHABET if kind == "any" or c != rest[0]))
        case "row":
            return sequence(*map(convert, rest))
        case "or":
            return choice(*map(convert, rest))
    return repeat(convert(rest[0]), *rest[1:])


def texts(expression, longest=6):
    return rules_.texts_of(expression, {}, longest)


SHORT = ["".join(t) for n in range(7) for t in itertools.product("abc", repeat=n)]


def write_if_small(dfa):
    try:
        return write_longest(dfa)
    except ExpressionTooLargeError:
        reject()


@given(seeds)
def test_a_terminal_finds_each_of_its_texts_in_full(seed):
    expression, converted = draw_regular(Random(seed))
    pattern = write_terminal(converted)
    assume(pattern is not None)  # there is none of reasonable size
    assert is_nullable(converted) == ("" in texts(expression))
    if not pattern:
        assert texts(expression) <= {""}
        return
    compiled = re.compile(pattern)
    found = {t for t in SHORT if (m := compiled.match(t)) and m[0] == t}
    assert found == texts(expression) - {""}


@given(seeds)
def test_an_automaton_is_written_so_that_the_longest_text_is_the_first_match(seed):
    expression, converted = draw_regular(Random(seed), 1)
    compiled = re.compile(write_pattern(write_if_small(build_dfa(converted))))
    inside = texts(expression)
    for text in SHORT if inside else ():
        prefixes = [text[:n] for n in range(len(text) + 1) if text[:n] in inside]
        match = compiled.match(text)
        assert (match[0] if match else None) == (prefixes[-1] if prefixes else None)


def check_texts(expression, expected):
    """Check that an expression's pattern matches some texts, and no other short ones."""
    compiled = re.compile(write_pattern(expression)) if expected else re.compile("(?!)")
    assert {t for t in SHORT if compiled.fullmatch(t)} == expected


@given(seeds)
def test_a_difference_has_the_texts_of_one_side_alone(seed):
    draw = Random(seed)
    (left, one), (right, other) = draw_regular(draw, 1), draw_regular(draw, 1)
    check_texts(write_if_small(subtract(one, other)), texts(left) - texts(right))


@given(seeds)
def test_dropping_the_empty_text_drops_nothing_else(seed):
    expression, converted = draw_regular(Random(seed))
    rest = drop_empty(converted)
    assert not is_nullable(rest)
    check_texts(rest, texts(expression) - {""})


@given(seeds)
def test_a_mirrored_expression_reads_texts_backwards(seed):
    expression, converted = draw_regular(Random(seed))
    check_texts(mirror(converted), {t[::-1] for t in texts(expression)})


def test_two_and_three_times_is_written_by_rounds_of_six():
    a = literal("a")
    either = choice(repeat(sequence(a, a), 1, None), repeat(sequence(a, a, a), 1, None))
    compiled = re.compile(write_terminal(either))
    matched = [(m := compiled.match("a" * n)) and len(m[0]) for n in range(8)]
    assert matched == [None, None, 2, 3, 4, 4, 6, 6]


@pytest.mark.parametrize("code_point", [*range(0x180), 0x2028, 0xD7FF, 0xE000, 0x1F600, 0x10FFFF])
def test_a_character_comes_through_lark_as_it_is(code_point):
    alone = write_literal(write_class(((code_point, code_point),)))
    both = write_literal(write_class(((0x41, 0x41), (code_point, code_point))))
    lark = Lark(f"start: A B\nA: /{alone}/\nB: /{both}/\n", parser="earley", lexer="dynamic")
    lark.parse(chr(code_point) * 2)
    lark.parse(chr(code_point) + "A")
    assert not rules_.accepts(lark, "~x")


@pytest.mark.parametrize(
    ("grammar", "terminals"),
    [
        ('root ::= "[" ws root ws "]" | ws\nws ::= ([ \\t] ws)?', 3),
        ("root ::= " + " | ".join(f'"{c}"' for c in "abcdef") + ' | "(" root ")"', 3),
        ('root ::= x* "(" root ")" | "."\nx ::= x [ab] | "c"', 3),
    ],
)
def test_what_is_regular_becomes_one_terminal(grammar, terminals):
    text = lower_grammar(read_rules("gbnf", "g", grammar)).format_lark()
    assert len(re.findall(r"^[A-Z]", text, re.MULTILINE)) == terminals


def test_what_has_no_pattern_of_reasonable_size_is_taken_apart():
    grammar = 'root ::= [ab]* "a" [ab]{14} | [ab]* "b"'
    lark = Lark(
        lower_grammar(read_rules("gbnf", "g", grammar)).format_lark(),
        parser="earley",
        lexer="dynamic_complete",
        start="root",
    )
    assert rules_.accepts(lark, "a" * 15)
    assert rules_.accepts(lark, "aab")
    assert not rules_.accepts(lark, "ba")
