"""maskc analyze: each question, and each way in which it refuses."""

import json

import pytest

GRAMMAR = 'start: "a" start "b" |\n'
LOST = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'
OPERATORS = 'start: term (("+" | "-") term)*\nterm: NUMBER\nNUMBER: /[0-9]+/\n%ignore " "\n'


@pytest.fixture
def ask(command, tmp_path):
    """Return a function that asks about a grammar's text and returns what was printed."""

    def call(text, *arguments):
        (tmp_path / "g.lark").write_text(text)
        outcome = command("analyze", "g.lark", *arguments)
        assert (outcome.status, outcome.err) == (0, "")
        return outcome.out

    return call


@pytest.fixture
def ask_json(ask):
    return lambda text, *arguments: json.loads(ask(text, *arguments, "--json"))


def test_never_says_that_no_text_has_it(ask):
    assert ask(GRAMMAR, "never", "B", "A") == "never-legal: no text has B A\n"


def test_never_says_that_some_text_has_it(ask):
    assert ask(GRAMMAR, "never", "A", "A", "B", "B") == ("not never-legal: some text has A A B B\n")


def test_never_names_a_terminal_of_no_text(ask, ask_json):
    assert "__IGNORE_0 is in no production" in ask(OPERATORS, "never", "NUMBER", "__IGNORE_0")
    assert ask_json(OPERATORS, "never", "NUMBER", "__IGNORE_0")["unused"] == ["__IGNORE_0"]


def test_never_answers_in_json(ask_json):
    assert ask_json(GRAMMAR, "never", "B", "A") == {
        "x": "B",
        "sequence": ["A"],
        "never_legal": True,
        "unused": [],
    }


def test_always_says_what_productions_and_table_find(ask):
    lines = ask(GRAMMAR, "always", "A", "B").splitlines()
    assert [line.rstrip() for line in lines] == [
        "always-legal: wherever A is legal, B is legal after it",
        "by the productions          always",
        "by Lark's table             always",
        "conflicts resolved by Lark  0",
    ]


def test_always_is_unknown_where_the_stack_decides(ask, ask_json):
    assert ask(GRAMMAR, "always", "B", "B").startswith("unknown: after B, whether B is legal")
    answer = ask_json(GRAMMAR, "always", "B", "B")
    assert (answer["always_legal"], answer["verdict"]) == (None, "depends")


def test_always_is_not_said_where_a_conflict_would_falsify_it(ask_json):
    answer = ask_json(LOST, "always", "P", "B", "A", "C")
    assert (answer["verdict"], answer["lalr_verdict"]) == ("always", "never")
    assert answer["always_legal"] is None
    assert answer["n_conflicts"] == 1


def test_joint_gives_its_reason(ask):
    assert ask(OPERATORS, "joint", "NUMBER", "+", "-") == (
        "jointly legal after NUMBER: PLUS and MINUS (equal up to interchangeable terminals)\n"
    )
    assert ask(OPERATORS, "joint", "NUMBER", "+", "MINUS NUMBER") == (
        "jointly legal after NUMBER: PLUS and MINUS NUMBER (legal on the same stacks)\n"
    )


def test_joint_is_unknown_where_the_stacks_differ(ask, ask_json):
    assert ask(GRAMMAR, "joint", "B", "B", "B B").startswith("unknown: ")
    assert ask_json(GRAMMAR, "joint", "B", "B", "B B")["jointly_legal"] is None


def test_joint_by_productions_alone_is_said_to_be_that(ask):
    assert "by the productions" in ask(LOST, "joint", "P", "B A C", "B")


def test_a_sequence_may_be_empty(ask_json):
    assert ask_json(GRAMMAR, "joint", "A", "", "B")["jointly_legal"] is True
    assert ask_json(GRAMMAR, "never", "A")["never_legal"] is False


def test_classes_are_lists_of_names(ask, ask_json):
    assert ask_json(OPERATORS, "classes")["classes"] == [["MINUS", "PLUS"]]
    out = ask(OPERATORS, "classes")
    assert '"+"' in out
    assert '"-"' in out


def test_no_classes_are_said_to_be_none(ask):
    assert ask(GRAMMAR, "classes") == "no two terminals are interchangeable\n"


def test_follow_lists_terminals_and_the_end(ask):
    assert ask(GRAMMAR, "follow", "B") == "B\n$END\n"


def test_follow_takes_a_rule_too(ask_json):
    assert ask_json(OPERATORS, "follow", "term") == {
        "symbol": "term",
        "followers": ["MINUS", "PLUS", "$END"],
    }


def test_a_string_terminal_can_be_given_by_its_text(ask_json):
    assert ask_json(OPERATORS, "follow", '"+"')["symbol"] == "PLUS"


def test_a_text_that_begins_with_a_dash_comes_after_two_dashes(command, tmp_path):
    (tmp_path / "g.lark").write_text(OPERATORS)
    assert command("analyze", "g.lark", "follow", "--", "-").out == "NUMBER\n"


def test_pda_prints_the_automaton(ask, ask_json):
    assert ask(GRAMMAR, "pda").startswith("start •start, Z0\n")
    assert ask(GRAMMAR, "pda", "--dot").startswith("digraph dft {\n")
    answer = ask_json(GRAMMAR, "pda")
    assert answer["states"] == ["A", "B", "•start", "start•", "$END"]
    assert answer["transitions"][-1] == {
        "state": "start•",
        "reads": None,
        "pops": "Z0",
        "pushes": None,
        "next": "$END",
    }


def test_without_a_question_there_is_an_overview(ask, ask_json):
    assert "conflicts resolved by Lark" in ask(LOST)
    answer = ask_json(GRAMMAR)
    assert answer["pairs"] == {"never": 1, "always": 2, "depends": 1, "unknown": 0}


def test_options_choose_the_grammars_settings(ask):
    text = GRAMMAR + 'other: "x" "y"\n'
    assert ask(text, "follow", "X", "--start", "other", "--lexer", "basic") == "Y\n"


def test_a_grammar_that_comes_with_maskc_is_known_by_name(command):
    assert command("analyze", "json", "follow", "COLON").status == 0


# Refusals.


@pytest.fixture
def refuse(refusal, tmp_path):
    def call(text, *arguments):
        (tmp_path / "g.lark").write_text(text)
        return refusal("analyze", "g.lark", *arguments)

    return call


def test_an_unknown_terminal_gets_the_nearest_names(refuse):
    assert refuse(OPERATORS, "never", "NUBMER", "PLUS") == (
        "g.lark: there is no terminal 'NUBMER'; the nearest names are NUMBER"
    )


def test_an_unknown_rule_gets_the_nearest_names(refuse):
    assert refuse(OPERATORS, "follow", "trem") == (
        "g.lark: there is no symbol 'trem'; the nearest names are term, start"
    )


def test_case_does_not_hide_the_nearest_name(refuse):
    assert refuse(OPERATORS, "never", "plus", "NUMBER").endswith("names are PLUS, MINUS")


def test_a_name_that_is_near_to_none_is_refused(refuse):
    assert refuse(GRAMMAR, "follow", "zzzzzz").endswith("the nearest names are none")


@pytest.mark.parametrize(
    "arguments",
    [
        ("never",),
        ("always",),
        ("joint", "A", "B"),
        ("joint", "A", "B", "A", "B"),
        ("follow",),
        ("follow", "A", "B"),
        ("classes", "A"),
        ("pda", "A"),
        ("pda", "--dot", "--json"),
        ("classes", "--dot"),
        ("sometimes", "A"),
    ],
)
def test_a_question_with_too_little_or_too_much_is_refused(refuse, arguments):
    assert refuse(GRAMMAR, *arguments).endswith("See `maskc analyze --help`.")


def test_a_missing_grammar_is_refused(refusal):
    assert refusal("analyze", "no.lark", "classes").startswith("no.lark: cannot be read")


def test_export_writes_the_grammar_as_pyformlang_reads_it(ask, tmp_path):
    assert ask(GRAMMAR, "--export", "g.cfg") == ""
    text = (tmp_path / "g.cfg").read_text()
    assert text.splitlines() == ["start -> ", """start -> 'A' "VAR:start" 'B'"""]


def test_export_to_another_kind_of_file_is_refused(refusal, tmp_path):
    (tmp_path / "g.lark").write_text(GRAMMAR)
    assert ".cfg or .json" in refusal("analyze", "g.lark", "--export", "g.txt")


def test_general_grammars_are_asked(command, tmp_path):
    (tmp_path / "g.gbnf").write_text('root ::= "(" root ")" | "x" root | "y"\n')
    overview = command("analyze", "g.gbnf")
    assert overview.status == 0
    assert "terminals in texts" in overview.out
    assert "LALR" not in overview.out
    (tmp_path / "e.lark").write_text(
        '// maskc: parser=earley\nstart: start "+" start | "x" | "y"\n'
    )
    assert "always-legal" in command("analyze", "e.lark", "always", "+", "x").out
    assert "Lark's table" not in command("analyze", "e.lark", "always", "+", "x").out
    assert command("analyze", "e.lark", "follow", "start").out == "PLUS\n$END\n"
    assert "X" in command("analyze", "e.lark", "classes").out


def test_what_has_no_terminals_is_refused(refusal):
    assert "is none" in refusal("analyze", "a.schema.json")


def test_the_help_keeps_its_lines(command):
    out = command("analyze", "--help").out
    assert "\n  follow X            which terminals come right after X" in out
    assert "\\b" not in out


def test_a_pattern_has_an_overview(command, refusal):
    outcome = command("analyze", "--regex", "ab+c")
    assert (outcome.status, outcome.err) == (0, "")
    assert "terminals in texts" in outcome.out
    assert "Give one of GRAMMAR and --regex" in refusal("analyze")
    assert "re refuses the pattern" in refusal("analyze", "--regex", "(")
