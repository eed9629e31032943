"""The grammar of a translation is the one that Lark makes of its text, number for number."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc import Limits
from maskc.bounded import run_bounded
from maskc.errors import LimitError, MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
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
    write = random_rules.write_gbnf if dialect == "gbnf" else random_rules.write_ebnf
    try:
        source = load_source(write(rules) + "\n", dialect=dialect)
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
    assert str(caught.value) == (
        "<text>: rule X-y (line 2): more than 1 symbols in the rules when their repetitions are "
        "written out; lower their counts, or allow more with --work-limit SYMBOLS "
        "(work= of maskc.Limits)"
    )
