"""Artifacts of grammars over characters take the texts of their rules, and nothing else."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import maskc
from maskc.frontends.characters.lowering import lower_grammar
from maskc.frontends.gbnf import read_gbnf
from tests.examples import examples
from tests.frontends import random_rules as rules_

GRAMMARS = Path(__file__).parent / "grammars"


@examples(30)
@given(st.integers(0, 2**32))
def test_an_artifact_takes_the_texts_of_its_rules_and_their_beginnings(seed):
    rules = rules_.draw_rules(Random(seed))
    assume(rules_.has_texts(rules))
    inside = rules_.list_texts(rules, 4)
    text = rules_.write_gbnf(rules) + "\n"
    artifact = maskc.compile_grammar(text, tokenizer="bytes", dialect="gbnf")
    for text in rules_.every_text(4):
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
    assert "r500:" in lower_grammar(read_gbnf("g", text)).format_lark()


def test_three_thousand_words_are_one_terminal():
    words = " | ".join(f'"w{i}"' for i in range(3000))
    text = lower_grammar(read_gbnf("g", f"root ::= {words}")).format_lark()
    assert text.count("\n") == 3
