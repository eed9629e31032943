"""Grammars without recursion whose loops are counted, and those that are left to the parser."""

from itertools import pairwise

import pytest

from maskc.frontends.characters.counted import count_grammar

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
