"""Grammars in which terminals play roles, and Lark's Indenter as attributes and back."""

import sys
import types

import pytest
from lark.indenter import Indenter, PythonIndenter

from maskc.errors import GrammarError, PostlexError, UnknownSymbolError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.rule_postlex import build_indenter, load_indentation
from maskc.frontends.postlex import ATTRIBUTES, PYTHON
from maskc.frontends.source import load_source, source_from_header
from tests.compiled import accepts, compile_text
from tests.indenters import TwoColumns
from tests.random_grammars import lark_accepts

PLAIN = """
start: (class | call)*
class: "class" name ";"
call: name "(" name ")" ";"
name: NAME | "self"
NAME: /[A-Za-z_]+/
%ignore " "
"""
NESTED = """
start: "x" x | "y" y
x: T U
y: x | "(" y ")"
T: /[a-z]+/
U: /[0-9]+/
"""
CLASS = {"class.name.NAME": "[A-Z][a-z]*"}
ONE_ROLE = {"class.name.NAME": "[A-Z]+", "call.name.NAME": "[A-Z]+"}
LONGER_WAY = {"name.NAME": "[a-z]+", "class.name.NAME": "[A-Z]+"}
WRITTEN_OUT = 'start: x | {0} ";"\nx: {0}\nT: /[a-z]+/\n'
ALIKE = 'start: x | y ";"\nx: "x" /[a-z]/\ny: "y" U\nT: /[a-z]/\nU: "a".."z"\n'
BASIC = {"lexer": "basic"}


@pytest.mark.parametrize(
    ("grammar", "roles", "settings", "taken", "refused"),
    [
        # Only lexemes that match play the role; elsewhere a terminal is as before.
        (PLAIN, CLASS, {}, ["class Shape;"], ["class shape;", "class ShapE;"]),
        (PLAIN, CLASS, {}, ["Shape(shape); shape(Shape);"], []),
        (PLAIN, CLASS, BASIC, ["class Shape;"], ["class shape;"]),
        # A keyword stays a keyword: `name` has it.
        (PLAIN, {"class.name.NAME": "[a-z]+"}, {}, ["class self;"], []),
        (PLAIN, {"class.name.NAME": "[A-Z]+"}, {}, ["class self;"], []),
        (
            *(PLAIN, {**CLASS, "call.name.NAME": "[a-z_]+"}, {}, ["class Shape; area(w);"]),
            ["class Shape; Shape(w);", "class area;"],
        ),
        # Equal patterns are one role, and the longer way wins over the shorter.
        (PLAIN, ONE_ROLE, {}, ["class A; B(C);"], ["class A; b(C);"]),
        (PLAIN, LONGER_WAY, {}, ["class A; b(c);"], ["class a;", "B(c);"]),
        # A shorter way holds in what a longer one narrows further.
        (NESTED, {"x.T": "a+", "y.x.U": "1+"}, {}, ["xaa2", "yaa1"], ["yaa2", "yb1"]),
        # A way to itself leads to all that is deeper.
        (NESTED, {"y.y.x.T": "a+"}, {}, ["yb1", "y((aa1))"], ["y(b1)", "y((b1))"]),
        # A pattern that is written out is the terminal that has it, the last of several.
        (WRITTEN_OUT.format("/[a-z]+/"), {"x.T": "a+"}, {}, ["aa;", "b;", "aa"], ["b"]),
        (WRITTEN_OUT.format("T"), {"x.T": "a+"}, {}, ["aa;", "b;", "aa"], ["b"]),
        (ALIKE, {"x.U": "b"}, {}, ["xb", "yb;"], ["xa"]),
        # A role in a rule that is not used adds nothing to the lexer: T would come before U.
        ("start: U\nx: T\nT: /[ab]+/\nU: /a+/\n", {"x.T": "b+"}, BASIC, ["aa"], []),
        # A role's pattern may match nothing.
        ('start: x | T ";"\nx: T\nT: /[ab]+/\n', {"x.T": "a*"}, {}, ["aa"], ["ab", ""]),
        # A lexeme ends where it did before: `ABc` is one NAME, and not AB with something after it.
        (
            'start: head NAME?\nhead: NAME\nNAME: /[A-Za-z]+/\n%ignore " "\n',
            *({"head.NAME": "[A-Z]+"}, {}, ["AB c"], ["ABc"]),
        ),
        # Flags of the terminal count for its roles, and its layout does not.
        ("start: NAME\nNAME: /[a-z]+/i\n", {"start.NAME": "a+"}, {}, ["Aa"], []),
        ("start: NAME\nNAME: /[a-z#] +/x\n", {"start.NAME": "[#]a"}, {}, ["#a"], []),
        ("start: NAME\nNAME: /[a-z#] +/x\n", {"start.NAME": "#a"}, {}, ["#a"], []),
        # A repeated terminal plays its role each time.
        (
            'start: list NAME\nlist: (NAME ","?)~1..2 ";"\nNAME: /[a-z]+/\n',
            *({"list.NAME": "a+"}, {}, ["a,aa;b"], ["a,b;b"]),
        ),
        # So does one whose lexemes look around.
        (
            'start: NAME "." NAME tail\ntail: NAME?\nNAME: /(?<!x)[a-z]/\n',
            *({"tail.NAME": "[a-f]"}, {}, ["a.bc"], ["a.bg"]),
        ),
    ],
)
def test_a_terminal_is_narrowed_in_its_role(grammar, roles, settings, taken, refused):
    """By Lark, and by the compiled grammar."""
    source = load_source(grammar, roles=roles, **settings)
    lark, artifact = build_lark(source), compile_text(source.text, **settings)
    texts = [*taken, *refused]
    assert [text for text in texts if lark_accepts(lark, text)] == taken
    assert [text for text in texts if accepts(artifact, text)] == taken


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
        ("class.NAME=a", r"there is no NAME to restrict in the role class\.NAME; name the rule"),
        ("class.name.NAME=[0-9]", r"no NAME matches \[0-9\], so nothing can have this role"),
        ("class.name.SELF=a", "SELF is a string, and cannot be restricted"),
        ("start.WS=a", "WS is ignored and can have no role"),
        ("start.twice.NAME=a", "twice is a template, which a role cannot pass through"),
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
    with pytest.raises(GrammarError, match=r"b'A' has two roles of NAME, .*; make the patterns"):
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


@pytest.fixture
def named(monkeypatch):
    """Return a function that gives a class a name to be imported by."""
    module = types.ModuleType("named_postlexes")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def make(**members):
        module.Made = type("Made", (members.pop("base", TwoColumns),), members)
        return "named_postlexes:Made"

    return make


def test_a_class_is_read_into_its_attributes():
    found = load_indentation("tests.indenters:TwoColumns")
    assert (found.newline, found.indent, found.dedent) == ("_NL", "_INDENT", "_DEDENT")
    assert (found.opens, found.closes, found.tab_len) == (("LP",), ("RP",), 2)
    assert load_indentation("lark.indenter:PythonIndenter") == PYTHON


def test_what_is_built_from_attributes_has_these_and_larks_methods():
    made, larks = build_indenter(PYTHON), PythonIndenter()
    for name in ATTRIBUTES:
        assert type(getattr(made, name)) is type(getattr(larks, name))
    assert sorted(made.OPEN_PAREN_types) == sorted(larks.OPEN_PAREN_types)
    assert (made.NL_type, made.tab_len) == ("_NEWLINE", 8)
    assert type(made).process is Indenter.process


@pytest.mark.parametrize(
    "name", ["process", "_process", "handle_NL", "always_accept", "__init__", "__getattribute__"]
)
def test_a_class_that_overrides_more_than_attributes_is_refused(named, name):
    with pytest.raises(PostlexError, match=f"overrides {name}; only an Indenter's attributes"):
        load_indentation(named(**{name: lambda *_: None}))


def test_what_only_raises_other_errors_can_be_written_as_attributes(named):
    with pytest.raises(PostlexError) as caught:
        load_indentation(named(handle_NL=lambda *_: None, tab_len=3))
    _, _, line = str(caught.value).partition("at the top of the grammar ")
    rules = 'start: A _NL _INDENT A _NL _DEDENT LP RP\nLP: "("\nRP: ")"\nA: "a"\n'
    source = load_source(f"{line}\n{rules}_NL: /\\n */\n%declare _INDENT _DEDENT\n")
    assert source.postlex == load_indentation(named(tab_len=3))


def test_attributes_that_vary_are_not_offered(named):
    with pytest.raises(PostlexError) as caught:
        load_indentation(named(handle_NL=lambda *_: None, tab_len=property(lambda _: 2)))
    assert str(caught.value).endswith("only an Indenter's attributes can change")


def test_a_mixin_that_overrides_is_found(named):
    base = type("Both", (type("Mixin", (), {"process": None}), TwoColumns), {})
    with pytest.raises(PostlexError, match="overrides process"):
        load_indentation(named(base=base))


def test_what_a_class_adds_is_its_own_business(named):
    assert load_indentation(named(helper=lambda _: 1, tab_len=3)).tab_len == 3


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"tab_len": 4.5}, "tab_len is 4.5, which is not a number of columns"),
        ({"NL_type": None}, "NL_type is None, which is not a terminal's name"),
        ({"OPEN_PAREN_types": "LPAR"}, "OPEN_PAREN_types is 'LPAR', which is not a list"),
    ],
)
def test_attributes_of_another_kind_are_refused(named, members, message):
    """`"LP" in "LPAR"` is true, and Lark would count it."""
    with pytest.raises(PostlexError, match=message):
        load_indentation(named(**members))


@pytest.mark.parametrize(
    ("spec", "fact"),
    [
        *((spec, None) for spec in (".x:y", "..:y", "x", ":", "a:b:c", "lark.indenter:", "é è:x")),
        ("lark.indenter", "is not of the form module:Class"),
        ("lark.nothing:X", "cannot be imported"),
        ("lark.indenter:Nothing", "cannot be imported"),
        ("lark.lexer:Token", "is not a lark.indenter.Indenter"),
        ("lark.indenter:Indenter", "cannot be constructed"),
    ],
)
def test_a_name_of_no_indenter_is_refused(spec, fact):
    with pytest.raises(PostlexError, match=fact):
        load_indentation(spec)
