"""A grammar under inspection: names, shortest derivations and texts; those that come with maskc."""

import itertools

import pytest
from lark import Lark

from maskc.frontends.source import load_source
from maskc.frontends.texts import find_grammar
from maskc.lint.order import lint_grammar
from maskc.lint.witnesses import Witnesses, run_parser
from tests.languages import language_of, terminal

DANGLING = 'start: "if" "e" start | "if" "e" start "else" start | "x"\n'
GRAMMARS = (DANGLING, 'start: "a" start "b" | "c"\n', 'start: x "d" | "b" x\nx: | "c" x\n')


def names_of(language, terminals):
    return [language.lexed.grammar.bnf.terminals[t] for t in terminals]


def test_the_parser_stops_at_what_it_refuses():
    language = language_of('start: "a" "b"\n')
    a, b = terminal(language, "A"), terminal(language, "B")
    stacks = run_parser(language.lexed.grammar, [a, b])
    assert [len(stack) for stack in stacks] == [1, 2, 3]
    assert run_parser(language.lexed.grammar, [a, a]) is None


def test_a_state_is_reached_by_its_shortest_sequence():
    language = language_of(DANGLING)
    grammar = language.lexed.grammar
    state = 0
    for symbol in ("IF", "E"):
        state = grammar.lalr.states[state].shifts[terminal(language, symbol)]
    nested = grammar.lalr.states[state].gotos[grammar.bnf.start]
    arrival = Witnesses(grammar, language.lexed.scanner).find_arrival(
        nested, [terminal(language, "ELSE")]
    )
    assert names_of(language, arrival.terminals) == ["IF", "E", "X"]


@pytest.mark.parametrize("text", GRAMMARS)
def test_what_is_found_arrives(text):
    lexed = language_of(text).lexed
    grammar, witnesses = lexed.grammar, Witnesses(lexed.grammar, lexed.scanner)
    reached = 0
    for state in range(len(grammar.lalr.states)):
        arrival = witnesses.find_arrival(state)
        if arrival is not None:
            reached += 1
            stacks = run_parser(grammar, arrival.terminals)
            assert stacks[-1][-1] == arrival.tops[-1] == state
            assert arrival.tops == tuple(stack[-1] for stack in stacks)
    assert reached > 1


NAMES = 'start: "if" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n'
BLOCKS = """start: (_NL | stmt)*
stmt: "a" _NL | "b" block
block: _NL _INDENT stmt+ _DEDENT
_NL: /(\\n[\\t ]*)+/
%declare _INDENT _DEDENT
"""


def text_of(grammar_text, *names, **settings):
    language = language_of(grammar_text, **settings)
    witnesses = Witnesses(language.lexed.grammar, language.lexed.scanner)
    return witnesses.find_text([terminal(language, name) for name in names])


@pytest.mark.parametrize(
    ("grammar", "names", "text"),
    [
        # Blanks stand only where they are needed.
        (NAMES, ("IF", "NAME"), "if a"),
        ('start: "(" NAME ")"\nNAME: /[a-z]+/\n%ignore " "\n', ("LPAR", "NAME"), "(a"),
        # A name is no keyword.
        ('start: NAME | IF\nNAME: /i[a-z]/\nIF: "if"\n', ("NAME",), "ia"),
        (NAMES, (), ""),
        # Refused by the parser, or not lexed apart.
        (NAMES, ("NAME", "NAME"), None),
        ("start: NAME NAME\nNAME: /[a-z]+/\n", ("NAME", "NAME"), None),
    ],
)
def test_the_text_is_the_shortest_that_is_lexed_so(grammar, names, text):
    assert text_of(grammar, *names) == text


def test_an_indent_is_four_columns():
    found = text_of(BLOCKS, "B", "_NL", "_INDENT", "A", "_NL", postlex="tests.indenters:TwoColumns")
    assert found == "b\n    a\n    "


@pytest.mark.parametrize(
    "grammar",
    [
        'start: (A | AB | B)+\nA: "a"\nAB: "ab"\nB: "b"\n%ignore " "\n',
        "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n",
    ],
)
def test_lark_lexes_what_is_found_as_it_was_asked(grammar):
    lark = Lark(grammar, parser="lalr")
    language = language_of(grammar)
    names = [n for n in language.lexed.grammar.bnf.terminals if n not in ("$END", "__IGNORE_0")]
    n_found = 0
    for sequence in itertools.product(names, repeat=2):
        text = text_of(grammar, *sequence)
        if text is not None:
            n_found += 1
            assert [token.type for token in lark.lex(text)] == list(sequence)
    assert n_found > 3


def codes(name):
    findings = lint_grammar(load_source(find_grammar(name)))
    return [(finding.code, finding.severity.value) for finding in findings]


def test_json_without_its_bound_has_one_warning_for_its_blanks():
    text = find_grammar("json_unbounded").read_text().replace("allow=", "allowed=")
    text = text.replace("// maskc: allowed=", "// allowed=")
    findings = lint_grammar(load_source(text))
    assert [(f.code, f.severity.value) for f in findings] == [("ML007", "warning")]


def test_what_the_grammars_that_come_with_maskc_have_is_allowed_in_them():
    for name in ("json", "json_unbounded", "toml", "csv", "graphql"):
        assert codes(name) == []


@pytest.mark.costly
def test_python_has_no_errors():
    allowed = find_grammar("python").read_text().replace("allow=", "allowed=", 1)
    text = allowed.replace("// maskc: allowed=", "// allowed=", 1)
    found = {(f.code, f.severity.value) for f in lint_grammar(load_source(text))}
    assert {severity for _, severity in found} == {"warning", "note"}
    assert {code for code, _ in found} == {"ML001", "ML003", "ML006", "ML007", "ML013"}
    assert codes("python") == []


def test_progress_says_what_is_looked_for():
    said = []
    lint_grammar(load_source('start: "a"\n'), progress=lambda *step: said.append(step))
    assert said[0] == ("collisions", 0.0)
    assert [fraction for _, fraction in said] == sorted({fraction for _, fraction in said})
