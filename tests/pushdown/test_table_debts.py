import itertools

import pytest
from hypothesis import assume, given

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.reduce import reduce_grammar
from maskc.ids import END
from maskc.parser.conflicts import find_conflicts
from maskc.parser.refine import build_table_without_lexer
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.never_legal import NeverLegal
from maskc.pushdown.production_debts import ProductionDebts
from maskc.pushdown.table_debts import TableDebts
from tests.examples import examples
from tests.parser.test_conflicts import DANGLING_ELSE, LOST
from tests.pushdown.lalr_sequences import lark_grammars, run_table


class Question:
    """Asks by name."""

    def __init__(self, text):
        self.grammar = load_grammar(load_source(text))[0]
        self.stacks = stacks_of(self.grammar)

    def ids(self, names):
        return [self.grammar.bnf.terminals.index(name) for name in names.split()]

    def after(self, x, sequence):
        return self.stacks.decide_after(*self.ids(x), self.ids(sequence))

    def in_productions(self, x, sequence):
        debts = ProductionDebts(build_dft(reduce_grammar(self.grammar.bnf)))
        return debts.decide(*self.ids(x), self.ids(sequence))


def stacks_of(grammar, table=None):
    table = table or build_table_without_lexer(grammar)
    return TableDebts(grammar, table, {t: t for t in range(len(grammar.bnf.terminals))})


def refined_states(grammar, table):
    """Return state of Lark's → the refined states of it that some text comes to."""
    used = reduce_grammar(grammar.bnf)
    found, reached = {}, {0}
    for state in (pending := [0]):  # grows while we walk it
        found.setdefault(table.lalr_state[state], []).append(state)
        targets = {s for t, s in table.shifts[state].items() if t in used.used_terminals}
        targets |= {s for n, s in table.gotos[state].items() if n in used.used_nonterminals}
        pending += sorted(targets - reached)
        reached |= targets
    return found


def decide_in(question, lalr_state, name):
    table = build_table_without_lexer(question.grammar)
    tops = refined_states(question.grammar, table).get(lalr_state, ())
    return question.stacks.decide(tops, [1 << t for t in question.ids(name)])


def test_a_sequence_that_only_a_dropped_reduction_reads_is_not_always_legal():
    """The productions promise ``p b a c``; Lark shifts the ``a`` into ``x`` and wants another."""
    question = Question(LOST)
    assert question.in_productions("P", "B A C") is Verdict.ALWAYS
    assert question.after("P", "B A C") is Verdict.NEVER
    assert question.after("P", "B A A C") is Verdict.ALWAYS


def test_else_belongs_to_the_nearest_if():
    question = Question(DANGLING_ELSE)
    assert question.after("IF", "X ELSE X") is Verdict.ALWAYS
    assert question.after("X", "ELSE") is Verdict.DEPENDS
    assert question.in_productions("X", "ELSE") is Verdict.DEPENDS


def test_the_worked_example_has_the_same_answers_from_its_table():
    question = Question('start: "a" start "b" |\n')
    assert question.after("A", "A") is Verdict.ALWAYS
    assert question.after("A", "B") is Verdict.ALWAYS
    assert question.after("B", "A") is Verdict.NEVER
    assert question.after("B", "B") is Verdict.DEPENDS
    assert question.after("B", "$END") is Verdict.DEPENDS
    assert question.after("B", "$END B") is Verdict.NEVER


def test_a_refined_state_never_leaves_one_terminal_undecided():
    question = Question('start: "a" start "b" | "c"\n')
    n_states = len(build_table_without_lexer(question.grammar).live)
    for state, terminal in itertools.product(range(n_states), range(4)):
        assert question.stacks.decide([state], [1 << terminal]) is not Verdict.DEPENDS


def test_an_lalr_state_depends_where_its_refined_states_differ():
    question = Question('start: "a" start "b" | "c"\n')
    (c,) = question.ids("C")
    state = question.grammar.lalr.states[0].shifts[c]
    assert decide_in(question, state, "B") is Verdict.DEPENDS


def test_nothing_is_legal_in_a_state_that_no_text_comes_to():
    question = Question('start: "a" | "c" x\nx: x "b"\n')
    (c,) = question.ids("C")
    state = question.grammar.lalr.states[0].shifts[c]
    assert decide_in(question, state, "B") is Verdict.NEVER


@pytest.fixture(scope="module")
def python_table(python):
    return build_table_without_lexer(python.grammar)


def test_the_lalr_state_decides_what_one_terminal_leaves_open(python, python_table):
    """``f(`` can be closed at once, ``import (`` cannot."""
    stacks = stacks_of(python.grammar, python_table)
    opening, closing = python.id("LPAR"), python.id("RPAR")
    assert stacks.decide_after(opening, [closing]) is Verdict.DEPENDS
    refined = refined_states(python.grammar, python_table)
    verdicts = {
        stacks.decide(refined[state.shifts[opening]], [1 << closing])
        for state in python.grammar.lalr.states
        if opening in state.shifts
    }
    assert verdicts == {Verdict.ALWAYS, Verdict.NEVER}


def test_minus_is_always_legal_after_minus_for_larks_table_too(python, python_table):
    minus = python.id("MINUS")
    assert stacks_of(python.grammar, python_table).decide_after(minus, [minus]) is Verdict.ALWAYS


def words_of(grammar, longest):
    n = len(grammar.bnf.terminals)
    for length in range(longest + 1):
        for word in itertools.product(range(1, n), repeat=length):
            if run_table(grammar, (*word, END)) == length + 1:
                yield word


@examples(80)
@given(lark_grammars())
def test_no_verdict_is_refuted_by_a_short_text_that_the_table_accepts(grammar):
    stacks, terminals = stacks_of(grammar), range(len(grammar.bnf.terminals))
    texts = [(*word, END) for word in words_of(grammar, 5)]
    for x, *sequence in [
        (x, *s)
        for x in terminals[1:]
        for n in (1, 2)
        for s in itertools.product(terminals, repeat=n)
    ]:
        verdict = stacks.decide_after(x, sequence)
        for text in texts:
            for i, terminal in enumerate(text[:-1]):
                if terminal != x:
                    continue
                if verdict is Verdict.ALWAYS:
                    word = (*text[: i + 1], *sequence)
                    assert run_table(grammar, word) == len(word)
                if verdict is Verdict.NEVER:
                    assert list(text[i + 1 : i + 1 + len(sequence)]) != sequence


@examples(80)
@given(lark_grammars())
def test_never_legal_carries_over_to_the_table(grammar):
    never = NeverLegal(ProductionDebts(build_dft(reduce_grammar(grammar.bnf))))
    stacks, terminals = stacks_of(grammar), range(len(grammar.bnf.terminals))
    for x, y, z in itertools.product(terminals[1:], terminals, terminals):
        for sequence in ([y], [y, z]):
            if never.is_never_legal(x, sequence):
                assert stacks.decide_after(x, sequence) is Verdict.NEVER


@examples(80)
@given(lark_grammars())
def test_without_conflicts_the_table_proves_all_that_the_productions_prove(grammar):
    assume(not find_conflicts(grammar))
    debts = ProductionDebts(build_dft(reduce_grammar(grammar.bnf)))
    stacks, terminals = stacks_of(grammar), range(len(grammar.bnf.terminals))
    for x, y, z in itertools.product(sorted(debts.reduced.used_terminals), terminals, terminals):
        for sequence in ([y], [y, z]):
            if debts.decide(x, sequence) is Verdict.ALWAYS:
                assert stacks.decide_after(x, sequence) is Verdict.ALWAYS
            if stacks.decide_after(x, sequence) is Verdict.NEVER:
                assert NeverLegal(debts).is_never_legal(x, sequence)


@pytest.mark.parametrize("sequence", ["B A C", "B A A C"])
def test_the_table_of_the_lost_text_reads_what_the_verdicts_say(sequence):
    question = Question(LOST)
    word = question.ids(f"P {sequence} $END")
    is_read = run_table(question.grammar, word) == len(word)
    assert is_read == (question.after("P", sequence) is Verdict.ALWAYS)
