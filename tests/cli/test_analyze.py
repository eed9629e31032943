"""maskc analyze: each question."""

import json

import pytest

from tests.cli.conftest import OPERATORS

GRAMMAR = 'start: "a" start "b" |\n'
LOST = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'


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


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (GRAMMAR, "never B A", "never-legal: no text has B A\n"),
        (GRAMMAR, "never A A B B", "not never-legal: some text has A A B B\n"),
        (OPERATORS, "never NUMBER __IGNORE_0", "__IGNORE_0 is in no production"),
        (GRAMMAR, "always A B", "always-legal: wherever A is legal, B is legal after it\n"),
        (GRAMMAR, "always B B", "unknown: after B, whether B is legal"),
        (OPERATORS, "joint NUMBER + -", "PLUS and MINUS (equal up to interchangeable terminals)"),
        (GRAMMAR, "classes", "no two terminals are interchangeable\n"),
        (OPERATORS, "classes", '"+"'),
        (GRAMMAR, "follow B", "B\n$END\n"),
        # What begins with a dash comes after two.
        (OPERATORS, "follow -- -", "NUMBER\n"),
        (GRAMMAR, "pda", "start •start, Z0\n"),
        (GRAMMAR, "pda --dot", "digraph dft {\n"),
        (LOST, "", "conflicts resolved by Lark"),
        # Options choose the grammar's settings.
        (f'{GRAMMAR}other: "x" "y"\n', "follow X --start other --lexer basic", "Y\n"),
    ],
)
def test_a_question_is_answered(ask, text, question, said):
    assert said in ask(text, *question.split())


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("", ["of,number", "terminals in texts,3"]),
        ("follow NUMBER", ["terminal", "PLUS", "MINUS", "$END"]),
        ("never NUMBER +", ["x,sequence,never_legal,unused", "NUMBER,PLUS,False,"]),
        ("classes", ["class,terminal,pattern", '1,PLUS,"""+"""']),
    ],
)
def test_an_answer_is_a_table_for_other_programs(ask, question, lines):
    said = ask(OPERATORS, *question.split(), "--csv").splitlines()
    assert [line for line in lines if line not in said] == []
    assert said[0] == lines[0]


def test_joint_says_why_or_that_it_is_not_known(ask):
    said = ask(OPERATORS, "joint", "NUMBER", "+", "MINUS NUMBER")
    assert said.endswith("PLUS and MINUS NUMBER (legal on the same stacks)\n")
    assert ask(GRAMMAR, "joint", "B", "B", "B B").startswith("unknown: ")
    said = ask(LOST, "joint", "P", "B A C", "B")
    assert "jointly legal after P by the productions: B A C and B" in said
    assert "; not" in said


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        (GRAMMAR, ("never", "B", "A"), {"x": "B", "sequence": ["A"], "never_legal": True}),
        (GRAMMAR, ("never", "A"), {"never_legal": False}),
        (OPERATORS, ("never", "NUMBER", "__IGNORE_0"), {"unused": ["__IGNORE_0"]}),
        (GRAMMAR, ("always", "B", "B"), {"always_legal": None, "verdict": "depends"}),
        # A conflict would falsify it.
        (
            LOST,
            ("always", "P", "B", "A", "C"),
            {"verdict": "always", "lalr_verdict": "never", "always_legal": None, "n_conflicts": 1},
        ),
        (GRAMMAR, ("joint", "B", "B", "B B"), {"jointly_legal": None}),
        (GRAMMAR, ("joint", "A", "", "B"), {"jointly_legal": True}),
        (OPERATORS, ("classes",), {"classes": [["MINUS", "PLUS"]]}),
        (OPERATORS, ("follow", "term"), {"symbol": "term", "followers": ["MINUS", "PLUS", "$END"]}),
        (OPERATORS, ("follow", '"+"'), {"symbol": "PLUS"}),
        (GRAMMAR, (), {"pairs": {"never": 1, "always": 2, "depends": 1, "unknown": 0}}),
        (GRAMMAR, ("pda",), {"states": ["A", "B", "•start", "start•", "$END"]}),
    ],
)
def test_an_answer_is_json_too(ask_json, text, question, found):
    answer = ask_json(text, *question)
    assert {key: answer[key] for key in found} == found


def test_always_says_what_productions_and_table_find(ask):
    assert [line.split() for line in ask(GRAMMAR, "always", "A", "B").splitlines()[1:]] == [
        ["by", "the", "productions", "always"],
        ["by", "Lark's", "table", "always"],
        ["conflicts", "resolved", "by", "Lark", "0"],
    ]


def test_a_transition_of_the_automaton_is_an_object(ask_json):
    assert ask_json(GRAMMAR, "pda")["transitions"][-1] == {
        "state": "start•",
        "reads": None,
        "pops": "Z0",
        "pushes": None,
        "next": "$END",
    }


def test_a_grammar_that_comes_with_maskc_and_a_pattern_are_asked(command):
    assert command("analyze", "json", "follow", "COLON").status == 0
    outcome = command("analyze", "--regex", "ab+c")
    assert (outcome.status, outcome.err) == (0, "")
    assert "terminals in texts" in outcome.out


def test_export_writes_the_grammar_as_pyformlang_reads_it(ask, tmp_path):
    assert ask(GRAMMAR, "--export", "g.cfg") == ""
    text = (tmp_path / "g.cfg").read_text()
    assert text.splitlines() == ["start -> ", """start -> 'A' "VAR:start" 'B'"""]


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


def test_the_help_keeps_its_lines(command):
    out = command("analyze", "--help").out
    assert "\n  follow X            the terminals that come right after X" in out
    assert "\\b" not in out
