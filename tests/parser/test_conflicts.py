from pathlib import Path

from hypothesis import given

from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import load_source
from maskc.parser.conflicts import Conflict, compute_lookaheads, find_conflicts
from tests.examples import examples
from tests.pushdown.lalr_sequences import lark_grammars

GRAMMARS = Path(__file__).parent.parent.parent / "grammars"

DANGLING_ELSE = 'start: "if" start | "if" start "else" start | "x"\n'
LOST = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'


def load(text):
    return load_lalr_grammar(load_source(text))[0]


def described(grammar):
    return [
        (grammar.bnf.terminals[c.terminal], grammar.bnf.productions[c.dropped].rhs, c.taken)
        for c in find_conflicts(grammar)
    ]


def test_a_grammar_that_is_lalr_has_no_conflict():
    assert not find_conflicts(load('start: "a" start "b" |\n'))


def test_a_dangling_else_is_a_conflict_on_else():
    grammar = load(DANGLING_ELSE)
    start, if_ = -1, grammar.bnf.terminals.index("IF")
    assert described(grammar) == [("ELSE", (if_, start), None)]


def test_a_shift_that_loses_texts_is_a_conflict():
    grammar = load(LOST)
    b = grammar.bnf.terminals.index("B")
    assert described(grammar) == [("A", (b,), None)]


def test_a_reduction_of_lower_priority_is_a_conflict():
    grammar = load("start: x | y\nx.2: A\ny.1: A\nA: /a/\n")
    (conflict,) = find_conflicts(grammar)
    assert isinstance(conflict, Conflict)
    names = [
        grammar.bnf.nonterminals[grammar.bnf.productions[p].lhs] for p in conflict_rules(conflict)
    ]
    assert names == ["y", "x"]


def conflict_rules(conflict):
    return conflict.dropped, conflict.taken


def test_python_has_ten_conflicts():
    """A call of something named ``match``, and a comma that may be the last one."""
    grammar, _ = load_lalr_grammar(load_source(GRAMMARS / "python.lark"))
    found = [
        (
            grammar.bnf.terminals[c.terminal],
            grammar.bnf.nonterminals[grammar.bnf.productions[c.dropped].lhs],
        )
        for c in find_conflicts(grammar)
    ]
    assert len(found) == 10
    assert [t for t, name in found if name == "python__name"] == [
        "LPAR",
        "LSQB",
        "MINUS",
        "NOT",
        "PLUS",
    ]
    assert {t for t, name in found if name != "python__name"} == {"COMMA"}


@examples(80)
@given(lark_grammars())
def test_each_reduction_of_the_table_has_its_lookahead(grammar):
    lookaheads = compute_lookaheads(grammar)
    for state, row in enumerate(grammar.lalr.states):
        for terminal, production in row.reduces.items():
            assert lookaheads[state, production] >> terminal & 1
