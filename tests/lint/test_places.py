from maskc.grammar.rule_names import rule_of
from maskc.lint.places import find_definitions, find_line

TEXT = """\
start: list A // not: a definition
?list{item}: item ("," item)*
A.2: "not: one" | B
%extend B: /b/
"""


def test_names_have_the_lines_that_define_them():
    found = find_definitions(TEXT)
    assert {name: d.line for name, d in found.items()} == {"start": 1, "list": 2, "A": 3, "B": 4}
    assert found["list"].is_template
    assert not found["start"].is_used
    assert found["B"].is_used


def test_a_string_has_the_line_of_its_first_occurrence():
    definitions = find_definitions(TEXT)
    assert find_line(TEXT, '","', definitions) == 2
    assert find_line(TEXT, '"none"', definitions) is None
    assert find_line(TEXT, "A", definitions) == 3


def test_what_lark_makes_of_a_rule_is_the_rules():
    names = ("__list_star_0", "__a_b_plus_12", "_sep{value,COMMA}", "value", "__x")
    assert [rule_of(name) for name in names] == ["list", "a_b", "_sep", "value", "__x"]
