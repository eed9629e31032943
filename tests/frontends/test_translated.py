"""A grammar of another notation is what Lark makes of its translation, and has its texts."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from lark import Token
from lark import load_grammar as larks

import maskc
from maskc import Limits
from maskc.bounded import run_bounded
from maskc.errors import LimitError, MaskcError
from maskc.frontends.characters import lower_grammar
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar
from maskc.frontends.notations import read_rules
from maskc.frontends.source import load_source
from maskc.frontends.translation import Translation, write_literal
from tests.examples import examples
from tests.frontends import random_rules
from tests.random_grammars import draw_regex

GRAMMARS = Path(__file__).parent / "grammars"


def check_same(source):
    direct, _ = load_grammar(source)
    assert source.translation is not None
    through_lark, _ = load_grammar(replace(source, translation=None))
    assert direct == through_lark


@examples(25)
@given(st.integers(0, 2**32), st.sampled_from(["gbnf", "ebnf"]))
def test_random_rules_are_what_lark_makes_of_them(seed, dialect):
    rules = random_rules.draw_rules(Random(seed))
    try:
        source = load_source(random_rules.write_rules(rules, dialect) + "\n", dialect=dialect)
    except MaskcError:
        return  # no text at all
    check_same(source)


@examples(25)
@given(st.integers(0, 2**32))
@example(0)
def test_random_patterns_are_what_lark_makes_of_them(seed):
    draw = Random(seed)
    pattern = "".join(draw_regex(draw, "abé") for _ in range(draw.randint(0, 3)))
    check_same(load_source(pattern, dialect="regex"))


@pytest.mark.parametrize("path", sorted(GRAMMARS.iterdir()), ids=lambda path: path.name)
def test_a_sample_is_what_lark_makes_of_it(path):
    check_same(load_source(path))


@pytest.mark.parametrize("pattern", ["", "a", "a*", "(?i)a|b", "(?P<PATTERN>a)", "é\n/'\"\\\\"])
def test_a_pattern_is_what_lark_makes_of_it(pattern):
    check_same(load_source(pattern, dialect="regex"))


def test_a_translation_is_not_shown_to_lark(monkeypatch):
    source = load_source("a+", dialect="regex")
    monkeypatch.setattr("lark.Lark.__init__", None)
    load_grammar(source)
    with pytest.raises(TypeError):
        build_lark(source)


def test_symbols_beyond_the_limit_are_refused_with_the_rule():
    source = load_source('root ::= "a"\nX-y ::= root\n', dialect="gbnf", start="X-y")
    with pytest.raises(LimitError) as caught:
        run_bounded(lambda: load_grammar(source), Limits(work=1))
    assert (caught.value.location, caught.value.limit) == ("<text>: rule X-y (line 2)", 1)
    assert "symbols in the rules when their repetitions are written out" in caught.value.what


@examples(30)
@given(st.integers(0, 2**32))
def test_an_artifact_takes_the_texts_of_its_rules_and_their_beginnings(seed):
    rules = random_rules.draw_rules(Random(seed))
    assume(random_rules.has_texts(rules))
    inside = random_rules.list_texts(rules, 4)
    text = random_rules.write_rules(rules, "gbnf") + "\n"
    artifact = maskc.compile_grammar(text, tokenizer="bytes", dialect="gbnf")
    for text in random_rules.every_text(4):
        matcher = artifact.matcher()
        fed = matcher.accept_bytes(text.encode())
        assert (fed and matcher.is_accepting) == (text in inside)
        assert fed or not any(longer.startswith(text) for longer in inside)


@pytest.mark.parametrize(
    ("name", "prefix", "legal"),
    [
        ("arithmetic.gbnf", "(1.", "0123456789"),
        ("chess.gbnf", "1. O", "-"),
        ("nested.gbnf", "[{a b c", "'abcdefghijklmnopqrstuvwxyz}"),
        ("list.ebnf", "[1", ",0123456789]"),
        ("names.ebnf", "<a><!-- -", "".join(map(chr, range(32, 127)))),
        ("names.ebnf", "<a><!-- --", ">"),
    ],
)
def test_a_mask_of_single_bytes_is_what_may_come_next(name, prefix, legal):
    matcher = maskc.compile_grammar(GRAMMARS / name, tokenizer="bytes").matcher()
    assert matcher.accept_bytes(prefix.encode())
    printable = map(chr, range(32, 127))
    found = [c for c in printable if matcher.fork().accept_bytes(c.encode())]
    assert "".join(found) == legal


@pytest.mark.parametrize(
    "row",
    ['"{i}" r{n}? | "(" root ")"', '"{i}" r{n}?', "r{n} r{n}"],
    ids=["recursive", "nested", "doubling"],
)
def test_a_thousand_rules_are_rules_where_they_cannot_be_one(row):
    lines = [f"r{i} ::= {row.format(i=i, n=i + 1)}" for i in range(1000)]
    text = "\n".join(["root ::= r0", *lines, 'r1000 ::= "."'])
    assert "r500:" in lower_grammar(read_rules("gbnf", "g", text)).format_lark()


def test_three_thousand_words_are_one_terminal():
    words = " | ".join(f'"w{i}"' for i in range(3000))
    text = lower_grammar(read_rules("gbnf", "g", f"root ::= {words}")).format_lark()
    assert text.count("\n") == 3


@given(st.text())
@example('\\"')
@example("\\\\n")
@example("\\\n\\/\\'\x00\x85\u2028\U0001f600")
def test_a_literal_is_read_by_lark_as_it_was(pattern):
    written = f"/x{write_literal(pattern)}x/"
    assert re.fullmatch(larks.TERMINALS["REGEXP"], written)
    read = larks._literal_to_pattern(Token("REGEXP", written))
    assert read.value == f"x{pattern}x"


def test_a_translation_is_printed_with_its_settings():
    rules = {"root": ((), ("A", "root_2")), "root_2": (("A",),)}
    made = Translation("earley", "dynamic_complete", "root", rules, {"A": "a/"}, {})
    assert made.format_lark() == (
        "// maskc: start=root parser=earley lexer=dynamic_complete\n"
        "root: | A root_2\n"
        "root_2: A\n"
        "A: /a\\x2f/\n"
    )


def test_a_long_rule_has_a_line_for_each_side():
    sides = tuple((f"T{i}" * 9,) for i in range(9))
    text = Translation("lalr", "basic", "root", {"root": sides}, {}, {}).format_lark()
    assert text.count("\n    | ") == 8
