"""Reductions that Lark gave up."""

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source

DANGLING = 'start: "if" "e" start | "if" "e" start "else" start | "x"\n'


def test_a_silent_shift_is_reported_with_a_text(lint):
    (finding,) = lint(DANGLING, "ML006")
    assert finding.witness == "ifexelse"
    assert finding.fact.startswith(
        "before ELSE, Lark goes on with start -> IF E start . ELSE start"
    )
    assert finding.severity.value == "warning"


def test_the_text_of_a_silent_shift_begins_one_that_lark_parses(lint):
    (finding,) = lint(DANGLING, "ML006")
    build_lark(load_source(DANGLING)).parse(finding.witness + "x")


def test_blocks_on_the_way_to_a_silent_shift_are_indented(lint):
    text = (
        "// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=2\n"
        'start: "do" _NL _INDENT s _NL _DEDENT\n'
        's: "if" s | "if" s "else" s | "x"\n'
        "_NL: /\\n */\n%declare _INDENT _DEDENT\n"
    )
    found = lint(text, "ML006")
    assert [finding.witness for finding in found] == ["do\n    ifxelse"]


def test_a_grammar_without_conflicts_has_no_silent_shift(lint):
    assert lint('start: "a" start | "b"\n', "ML006") == []
