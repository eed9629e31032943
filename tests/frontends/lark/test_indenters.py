"""From Lark's Indenter to its attributes, and back."""

import sys
import types

import pytest
from lark.indenter import Indenter, PythonIndenter

from maskc.errors import PostlexError
from maskc.frontends.indentation import ATTRIBUTES, PYTHON
from maskc.frontends.lark.indenters import build_indenter, load_indentation
from maskc.frontends.source import load_source
from tests.indenters import TwoColumns


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
    "name",
    ["process", "_process", "handle_NL", "always_accept", "__init__", "__getattribute__"],
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
        ({"tab_len": 4.5}, "tab_len is 4.5, which is no number of columns"),
        ({"NL_type": None}, "NL_type is None, which is no terminal's name"),
        ({"OPEN_PAREN_types": "LPAR"}, "OPEN_PAREN_types is 'LPAR', which is no list"),
    ],
)
def test_attributes_of_another_kind_are_refused(named, members, message):
    """`"LP" in "LPAR"` is true, and Lark would count it."""
    with pytest.raises(PostlexError, match=message):
        load_indentation(named(**members))


@pytest.mark.parametrize("spec", [".x:y", "..:y", "x", ":", "a:b:c", "lark.indenter:", "é è:x"])
def test_a_name_that_cannot_be_imported_is_refused(spec):
    with pytest.raises(PostlexError):
        load_indentation(spec)
