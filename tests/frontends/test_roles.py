"""Lines that name a terminal's role, and what is no such line."""

import pytest

from maskc.errors import GrammarError
from maskc.frontends.roles import Role, looks_around, read_roles, split_role, write_roles

LINE = "// maskc-terminal: class_name.NAME=[A-Z]+\n"


def test_a_line_names_a_rule_a_terminal_and_a_pattern():
    assert read_roles("g", f'start: "a"\n{LINE}') == (Role(("class_name",), "NAME", "[A-Z]+"),)


def test_rules_on_the_way_are_named_before_the_terminal():
    (role,) = read_roles("g", "// maskc-terminal: classdef.name.NAME = a=b\n")
    assert role == Role(("classdef", "name"), "NAME", " a=b")
    assert role.title == "classdef.name.NAME"


def test_the_last_line_of_a_role_counts():
    text = LINE + "// maskc-terminal: class_name.NAME=x\n"
    assert [role.pattern for role in read_roles("g", text)] == ["x"]


def test_a_comment_is_no_role():
    assert read_roles("g", "// maskc: start=a\n// a maskc-terminal: x.Y=z\n") == ()


def test_what_is_written_is_read():
    text = write_roles("g", 'start: "a"', {"a.B": r"\w\ +", "c.d.E": "[ ]x"})
    assert text.startswith('start: "a"\n')
    assert [(r.title, r.pattern) for r in read_roles("g", text)] == [
        ("a.B", r"\w\ +"),
        ("c.d.E", "[ ]x"),
    ]


@pytest.mark.parametrize("line", ["NAME=a", "a.B", "a..B=c", "a.B C=d", "=x"])
def test_a_line_that_is_no_role_is_refused_with_its_place(line):
    with pytest.raises(GrammarError, match=r"g:2: .* is no role; write RULE\.TERMINAL=PATTERN"):
        read_roles("g", f"\n// maskc-terminal: {line}\n")


@pytest.mark.parametrize(
    ("pattern", "fact"),
    [
        ("(?=a)b", "has a look-around"),
        (r"a\b", r"has \^, \$ or \\b"),
        (r"(a)\1", "has a back-reference"),
        ("(?>a|ab)c", "has an atomic group"),
        ("a++", "has a possessive quantifier"),
        ("(a|(b(?!c)))", "has a look-around"),
        ("[", "is none of re"),
        ("(" * 2000 + ")" * 2000, "is none of re"),
    ],
)
def test_a_pattern_that_looks_beyond_its_lexeme_is_refused(pattern, fact):
    with pytest.raises(GrammarError, match=f"the pattern of a.B {fact}"):
        read_roles("g", f"// maskc-terminal: a.B={pattern}\n")


@pytest.mark.parametrize("pattern", [" a", "a\n", "a\nb"])
def test_a_pattern_that_no_line_could_hold_is_refused(pattern):
    with pytest.raises(GrammarError, match=r"begins or ends with a blank, or has a line break"):
        write_roles("g", "", {"a.B": pattern})


def test_a_word_of_a_command_line_has_an_equals_sign():
    assert split_role("a.B==") == ("a.B", "=")
    with pytest.raises(GrammarError, match=r"a\.B: it is no role; write RULE\.TERMINAL=PATTERN"):
        split_role("a.B")


def test_what_looks_around_is_found_at_any_depth():
    assert looks_around(r"a(?:b|(c\B))", 0)
    assert not looks_around("(?P<x>a)[^b]*?", 0)
