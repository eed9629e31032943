"""Grammars in which terminals play roles."""

import pytest

from maskc.errors import GrammarError, UnknownSymbolError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source, source_from_header
from tests.compiled import accepts, compile_text
from tests.random_grammars import lark_accepts

PLAIN = """
start: (class | call)*
class: "class" name ";"
call: name "(" name ")" ";"
name: NAME | "self"
NAME: /[A-Za-z_]+/
%ignore " "
"""


def both(roles, text, grammar=PLAIN, **settings):
    """Return whether a text is accepted, by Lark and by the compiled grammar."""
    source = load_source(grammar, roles=roles, **settings)
    by_lark = lark_accepts(build_lark(source), text)
    narrowed = source.text
    assert accepts(compile_text(narrowed, **settings), text) == by_lark
    return by_lark


def test_only_lexemes_that_match_play_the_role():
    roles = {"class.name.NAME": "[A-Z][a-z]*"}
    assert both(roles, "class Shape;")
    assert not both(roles, "class shape;")
    assert not both(roles, "class ShapE;")


def test_a_terminal_is_as_before_outside_of_its_role():
    roles = {"class.name.NAME": "[A-Z][a-z]*"}
    assert both(roles, "Shape(shape); shape(Shape);")


def test_a_keyword_stays_a_keyword():
    roles = {"class.name.NAME": "[a-z]+"}
    assert both(roles, "class self;")  # as `name` has it
    assert both({"class.name.NAME": "[A-Z]+"}, "class self;")


def test_a_terminal_plays_several_roles():
    roles = {"class.name.NAME": "[A-Z][a-z]*", "call.name.NAME": "[a-z_]+"}
    assert both(roles, "class Shape; area(w);")
    assert not both(roles, "class Shape; Shape(w);")
    assert not both(roles, "class area;")


def test_equal_patterns_are_one_role():
    roles = {"class.name.NAME": "[A-Z]+", "call.name.NAME": "[A-Z]+"}
    assert both(roles, "class A; B(C);")
    assert not both(roles, "class A; b(C);")


def test_the_longer_way_wins_over_the_shorter():
    roles = {"name.NAME": "[a-z]+", "class.name.NAME": "[A-Z]+"}
    assert both(roles, "class A; b(c);")
    assert not both(roles, "class a;")
    assert not both(roles, "B(c);")


NESTED = """
start: "x" x | "y" y
x: T U
y: x | "(" y ")"
T: /[a-z]+/
U: /[0-9]+/
"""


def test_a_shorter_way_holds_in_what_a_longer_one_narrows_further():
    roles = {"x.T": "a+", "y.x.U": "1+"}
    assert both(roles, "xaa2", NESTED)
    assert both(roles, "yaa1", NESTED)
    assert not both(roles, "yaa2", NESTED)
    assert not both(roles, "yb1", NESTED)


def test_a_way_to_itself_leads_to_all_that_is_deeper():
    roles = {"y.y.x.T": "a+"}
    assert both(roles, "yb1", NESTED)
    assert both(roles, "y((aa1))", NESTED)
    assert not both(roles, "y(b1)", NESTED)
    assert not both(roles, "y((b1))", NESTED)


@pytest.mark.parametrize("written", ["/[a-z]+/", "T"])
def test_a_pattern_that_is_written_out_is_the_terminal_that_has_it(written):
    grammar = f'start: x | {written} ";"\nx: {written}\nT: /[a-z]+/\n'
    assert both({"x.T": "a+"}, "aa;", grammar)
    assert both({"x.T": "a+"}, "b;", grammar)
    assert both({"x.T": "a+"}, "aa", grammar)
    assert not both({"x.T": "a+"}, "b", grammar)


def test_of_terminals_with_one_pattern_a_pattern_is_the_last():
    grammar = 'start: x | y ";"\nx: "x" /[a-z]/\ny: "y" U\nT: /[a-z]/\nU: "a".."z"\n'
    assert not both({"x.U": "b"}, "xa", grammar)
    assert both({"x.U": "b"}, "xb", grammar)
    assert both({"x.U": "b"}, "yb;", grammar)


def test_a_role_in_a_rule_that_is_not_used_adds_nothing_to_the_lexer():
    # T would come before U, which is shorter.
    grammar = "start: U\nx: T\nT: /[ab]+/\nU: /a+/\n"
    assert both({"x.T": "b+"}, "aa", grammar, lexer="basic")


def test_a_pattern_of_a_role_may_match_nothing():
    grammar = 'start: x | T ";"\nx: T\nT: /[ab]+/\n'
    assert both({"x.T": "a*"}, "aa", grammar)
    assert not both({"x.T": "a*"}, "ab", grammar)
    assert not both({"x.T": "a*"}, "", grammar)


def test_a_lexeme_ends_where_it_did_before():
    # `ABc` is one NAME, and not AB with something after it.
    grammar = 'start: head NAME?\nhead: NAME\nNAME: /[A-Za-z]+/\n%ignore " "\n'
    roles = {"head.NAME": "[A-Z]+"}
    assert both(roles, "AB c", grammar)
    assert not both(roles, "ABc", grammar)


def test_flags_of_the_terminal_count_for_its_roles():
    grammar = "start: NAME\nNAME: /[a-z]+/i\n"
    assert both({"start.NAME": "a+"}, "Aa", grammar)


def test_the_layout_of_the_terminals_pattern_is_not_the_roles():
    grammar = "start: NAME\nNAME: /[a-z#] +/x\n"
    assert both({"start.NAME": "[#]a"}, "#a", grammar)
    assert both({"start.NAME": "#a"}, "#a", grammar)


def test_the_basic_lexer_renames_as_well():
    roles = {"class.name.NAME": "[A-Z][a-z]*"}
    assert both(roles, "class Shape;", lexer="basic")
    assert not both(roles, "class shape;", lexer="basic")


def test_a_repeated_terminal_plays_its_role_each_time():
    grammar = 'start: list NAME\nlist: (NAME ","?)~1..2 ";"\nNAME: /[a-z]+/\n'
    assert both({"list.NAME": "a+"}, "a,aa;b", grammar)
    assert not both({"list.NAME": "a+"}, "a,b;b", grammar)


def test_a_terminal_whose_lexemes_look_around_plays_roles():
    grammar = 'start: NAME "." NAME tail\ntail: NAME?\nNAME: /(?<!x)[a-z]/\n'
    assert both({"tail.NAME": "[a-f]"}, "a.bc", grammar)
    assert not both({"tail.NAME": "[a-f]"}, "a.bg", grammar)


def test_an_imported_rule_is_found_without_its_modules_name():
    grammar = "start: item\n%import .names.item\n"
    source = load_source(grammar, roles={"item.NAME": "a+"})
    files = {"names.lark": 'item: NAME | "[" NAME "]"\nNAME: /[a-z]+/\n'}
    object.__setattr__(source, "imports", files)
    lark = build_lark(source)
    assert lark_accepts(lark, "[aa]")
    assert not lark_accepts(lark, "b")


def test_an_artifact_carries_its_roles():
    artifact = compile_text(load_source(PLAIN, roles={"class.name.NAME": "[A-Z]+"}).text)
    source = source_from_header(artifact.header["grammar"])
    assert [role.title for role in source.roles] == ["class.name.NAME"]
    assert not lark_accepts(build_lark(source), "class a;")


@pytest.mark.parametrize(
    ("role", "fact"),
    [
        ("class.NAME=a", r"there is no NAME to be narrowed in the role class\.NAME; name the rule"),
        ("class.name.NAME=[0-9]", r"no NAME matches \[0-9\], and nothing can play that role"),
        ("class.name.SELF=a", "SELF is a string, and has nothing to be narrowed to"),
        ("start.WS=a", "WS is ignored, and plays no role"),
        ("start.twice.NAME=a", "twice is a template, and no way to a role"),
    ],
)
def test_what_cannot_be_played_is_refused(role, fact):
    grammar = PLAIN.replace('"self"', "SELF").replace('%ignore " "', "%ignore WS")
    grammar = grammar.replace("(class | call)*", "(class | call)* twice{call}")
    grammar += 'SELF: "self"\nWS: " "\ntwice{x}: x NAME\n'
    with pytest.raises(GrammarError, match=fact):
        build_lark(load_source(f"{grammar}// maskc-terminal: {role}\n"))


@pytest.mark.parametrize(("role", "near"), [("clas.NAME=a", "class"), ("class.NAM=a", "NAME")])
def test_a_name_that_is_none_is_told_the_nearest(role, near):
    with pytest.raises(UnknownSymbolError, match=f"nearest names are {near}"):
        build_lark(load_source(f"{PLAIN}// maskc-terminal: {role}\n"))


def test_two_roles_of_one_lexeme_are_refused_with_a_witness():
    roles = {"class.name.NAME": "[A-Z]+", "call.name.NAME": "[A-Za-z]+"}
    with pytest.raises(GrammarError, match=r"b'A' plays two roles of NAME, .*; let the patterns"):
        build_lark(load_source(PLAIN, roles=roles))


def test_a_terminal_that_a_template_is_given_plays_no_role():
    grammar = 'start: list{NAME} one\nlist{x}: x ("," x)*\none: ":" NAME\nNAME: /[a-z]+/\n'
    with pytest.raises(GrammarError, match="NAME has roles and is given to a template"):
        build_lark(load_source(grammar, roles={"one.NAME": "a"}))


def test_a_general_grammar_has_no_roles():
    with pytest.raises(GrammarError, match=r"read by Earley's parser.*; leave the roles out"):
        build_lark(load_source(PLAIN, parser="earley", roles={"name.NAME": "a"}))


def test_another_notation_has_no_roles():
    with pytest.raises(GrammarError, match=r"which has no terminals .* leave roles and style out"):
        load_source('root ::= "a"', dialect="gbnf", roles={"a.B": "a"})
