"""Terminals that a grammar marks as holes."""

import pytest

import maskc
from maskc.errors import GrammarError
from maskc.frontends.holes import read_holes
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source, source_from_header
from maskc.report.author import view_artifact

TEXT = """start: "a" TABLE _NL
TABLE: /[b-z]+/
BLANK: " "
_NL: /\\n[ \\t]*/
%ignore BLANK
"""


def test_holes_are_names_after_commas():
    assert read_holes({"hole": "A,B,A"}) == ("A", "B")
    assert read_holes({}) == ()


def test_a_marked_terminal_is_shown_by_inspect_and_can_be_narrowed():
    artifact = maskc.compile_grammar(f"// maskc: hole=TABLE\n{TEXT}", tokenizer="bytes")
    assert source_from_header(artifact.header["grammar"]).holes == ("TABLE",)
    view = view_artifact(artifact, b"")
    assert view is not None
    assert {row.name: row.note for row in view.terminals if row.note} == {
        "TABLE": "a hole",
        "BLANK": "ignored",
    }
    matcher = artifact.matcher(TABLE=["users"])
    assert matcher.accept_text("a u")
    assert not matcher.accept_text("x")


@pytest.mark.parametrize(
    ("mark", "fact"),
    [
        ("hole=TABEL", "hole=TABEL is no terminal that the rules use"),
        ("hole=start", "hole=start is no terminal"),
        ("hole=BLANK", "hole=BLANK is ignored"),
        ("hole=TABLE parser=earley", "hole= goes with parser=lalr"),
    ],
)
def test_what_cannot_be_narrowed_is_no_hole(mark, fact):
    with pytest.raises(GrammarError, match=f"<text>: {fact}"):
        load_grammar(load_source(f"// maskc: {mark}\n{TEXT}"))


def test_what_the_indenter_makes_is_no_hole():
    with pytest.raises(GrammarError, match="hole=_NEWLINE is the Indenter's"):
        load_grammar(
            load_source(f"// maskc: hole=_NEWLINE postlex=lark.indenter:PythonIndenter\n{PYTHON}")
        )


PYTHON = """start: (WORD _NEWLINE | WORD _NEWLINE _INDENT start _DEDENT)+
WORD: /[a-z]+/
_NEWLINE: /\\n[ \\t]*/
LPAR: "("
RPAR: ")"
LSQB: "["
RSQB: "]"
LBRACE: "{"
RBRACE: "}"
%declare _INDENT _DEDENT
"""
