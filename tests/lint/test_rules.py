"""ML004, ML006, ML009, ML010: what Lark's table makes of the rules."""

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source

ALWAYS_SHIFTS = 'start: x "a" "c" | "d"\nx: "a" x | "a"\n'
DANGLING = 'start: "if" "e" start | "if" "e" start "else" start | "x"\n'


def test_a_state_that_no_text_leaves_is_a_dead_end(lint):
    (finding,) = lint(ALWAYS_SHIFTS, "ML004")
    assert finding.severity.value == "error"
    assert finding.witness == "a"
    assert (finding.place.kind, finding.place.name, finding.place.line) == ("rule", "x", 2)
    assert "resolved a conflict by shifting" in finding.fact


def test_a_grammar_without_a_text_is_a_dead_end(lint):
    (finding,) = lint('start: x "a"\nx: "a" x | "a"\n', "ML004")
    assert finding.place.kind == "grammar"
    assert finding.fact.startswith("no text at all can be parsed")


def test_a_dead_end_of_the_lexer_is_told_from_one_of_the_parser(lint):
    text = 'start: NAME | "#" WORD "!"\nWORD: /if|in/\nNAME.1: /[a-z]+/\n'
    (finding,) = lint(f"// maskc: lexer=basic\n{text}", "ML004")
    assert "cannot be lexed there" in finding.fact


def test_a_left_recursive_list_has_no_dead_end(lint):
    assert lint('start: x "a" "c" | "d"\nx: x "a" | "a"\n', "ML004") == []


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


def test_a_production_that_needs_itself_is_unproductive(lint):
    found = lint('start: "a" | x\nx: x "b"\n', "ML009")
    assert [(f.place.name, f.place.line, f.severity.value) for f in found] == [
        ("start", 1, "error"),
        ("x", 2, "error"),
    ]


def test_a_production_that_conflicts_took_is_never_completed(lint):
    (finding,) = lint('start: "p" x "a" "c"\nx: "b" "a" | "b"\n', "ML009")
    assert finding.fact.startswith("x -> B is never completed")


def test_a_production_that_some_conflict_spares_is_fine(lint):
    assert lint(DANGLING, "ML009") == []


def test_rules_and_terminals_that_lark_leaves_out_are_unused(lint):
    found = lint('start: "a"\nother: "c"\nDIGIT: "0".."9"\n', "ML010")
    assert [(f.place.kind, f.place.name, f.place.line) for f in found] == [
        ("rule", "other", 2),
        ("terminal", "DIGIT", 3),
    ]


def test_what_templates_terminals_and_ignored_ones_use_is_used(lint):
    text = (
        'start: list{"a", ","}\nlist{x, y}: x (y x)*\n'
        "NAME: LETTER+\nLETTER: /[a-z]/\n%ignore NAME\n"
    )
    assert lint(text, "ML010") == []


def test_a_name_in_a_comment_or_a_string_is_no_use(lint):
    (finding,) = lint('start: "DIGIT" // DIGIT\nDIGIT: "0".."9"\n', "ML010")
    assert finding.place.name == "DIGIT"
