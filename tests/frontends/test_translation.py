"""A grammar of another notation is printed so that Lark reads the same rules and patterns."""

import re

from hypothesis import example, given
from hypothesis import strategies as st
from lark import Token, load_grammar

from maskc.frontends.translation import Translation, write_literal


@given(st.text())
@example('\\"')
@example("\\\\n")
@example("\\\n\\/\\'\x00\x85\u2028\U0001f600")
def test_a_literal_is_read_by_lark_as_it_was(pattern):
    written = f"/x{write_literal(pattern)}x/"
    assert re.fullmatch(load_grammar.TERMINALS["REGEXP"], written)
    read = load_grammar._literal_to_pattern(Token("REGEXP", written))
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
