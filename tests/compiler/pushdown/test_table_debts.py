"""Debt automata of Lark's table, verdicts of all its states, and where productions agree."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given

from maskc.compiler.lalr import find_conflicts
from maskc.compiler.lalr.refine import build_table_without_lexer
from maskc.compiler.pushdown.debt_automaton import Verdict, check_debt_automaton
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.compiler.pushdown.reductions import StateFacts
from maskc.compiler.pushdown.table_debts import TableDebts, check_agreement
from maskc.compiler.rows import ParserEvent
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.sets import reduce_grammar
from maskc.ids import END
from tests.compiler.lalr.test_conflicts import DANGLING_ELSE, LOST
from tests.compiler.pushdown.lalr_sequences import lark_grammars, run_table
from tests.compiler.pushdown.table_values import values_of
from tests.examples import examples
from tests.languages import language_of, terminal


class ParserQuery:
    """Asks by name."""

    def __init__(self, text):
        self.grammar = load_grammar(load_source(text))[0]
        self.stacks = stacks_of(self.grammar)

    def ids(self, names):
        return [self.grammar.bnf.terminals.index(name) for name in names.split()]

    def after(self, x, sequence):
        return self.stacks.decide_after(*self.ids(x), self.ids(sequence))

    def in_productions(self, x, sequence):
        debts = ProductionDebts(reduce_grammar(self.grammar.bnf))
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


def decide_in(query, lalr_state, name):
    table = build_table_without_lexer(query.grammar)
    tops = refined_states(query.grammar, table).get(lalr_state, ())
    return query.stacks.decide(tops, [1 << t for t in query.ids(name)])


def test_a_sequence_that_only_a_dropped_reduction_reads_is_not_always_legal():
    """The productions promise ``p b a c``; Lark shifts the ``a`` into ``x`` and wants another."""
    query = ParserQuery(LOST)
    assert query.in_productions("P", "B A C") is Verdict.ALWAYS
    assert query.after("P", "B A C") is Verdict.NEVER
    assert query.after("P", "B A A C") is Verdict.ALWAYS


def test_else_belongs_to_the_nearest_if():
    query = ParserQuery(DANGLING_ELSE)
    assert query.after("IF", "X ELSE X") is Verdict.ALWAYS
    assert query.after("X", "ELSE") is Verdict.DEPENDS
    assert query.in_productions("X", "ELSE") is Verdict.DEPENDS


def test_the_worked_example_has_the_same_answers_from_its_table():
    query = ParserQuery('start: "a" start "b" |\n')
    assert query.after("A", "A") is Verdict.ALWAYS
    assert query.after("A", "B") is Verdict.ALWAYS
    assert query.after("B", "A") is Verdict.NEVER
    assert query.after("B", "B") is Verdict.DEPENDS
    assert query.after("B", "$END") is Verdict.DEPENDS
    assert query.after("B", "$END B") is Verdict.NEVER


def test_a_refined_state_never_leaves_one_terminal_undecided():
    query = ParserQuery('start: "a" start "b" | "c"\n')
    n_states = len(build_table_without_lexer(query.grammar).live)
    for state, number in itertools.product(range(n_states), range(4)):
        assert query.stacks.decide([state], [1 << number]) is not Verdict.DEPENDS


def test_an_lalr_state_depends_where_its_refined_states_differ():
    query = ParserQuery('start: "a" start "b" | "c"\n')
    (c,) = query.ids("C")
    state = query.grammar.lalr.states[0].shifts[c]
    assert decide_in(query, state, "B") is Verdict.DEPENDS


def test_nothing_is_legal_in_a_state_that_no_text_comes_to():
    query = ParserQuery('start: "a" | "c" x\nx: x "b"\n')
    (c,) = query.ids("C")
    state = query.grammar.lalr.states[0].shifts[c]
    assert decide_in(query, state, "B") is Verdict.NEVER


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
            for i, here in enumerate(text[:-1]):
                if here != x:
                    continue
                if verdict is Verdict.ALWAYS:
                    word = (*text[: i + 1], *sequence)
                    assert run_table(grammar, word) == len(word)
                if verdict is Verdict.NEVER:
                    assert list(text[i + 1 : i + 1 + len(sequence)]) != sequence


@examples(80)
@given(lark_grammars())
def test_never_legal_carries_over_to_the_table(grammar):
    never = ProductionDebts(reduce_grammar(grammar.bnf))
    stacks, terminals = stacks_of(grammar), range(len(grammar.bnf.terminals))
    for x, y, z in itertools.product(terminals[1:], terminals, terminals):
        for sequence in ([y], [y, z]):
            if never.is_never_legal(x, sequence):
                assert stacks.decide_after(x, sequence) is Verdict.NEVER


@examples(80)
@given(lark_grammars())
def test_without_conflicts_the_table_proves_all_that_the_productions_prove(grammar):
    assume(not find_conflicts(grammar))
    debts = ProductionDebts(reduce_grammar(grammar.bnf))
    stacks, terminals = stacks_of(grammar), range(len(grammar.bnf.terminals))
    for x, y, z in itertools.product(sorted(debts.reduced.used_terminals), terminals, terminals):
        for sequence in ([y], [y, z]):
            if debts.decide(x, sequence) is Verdict.ALWAYS:
                assert stacks.decide_after(x, sequence) is Verdict.ALWAYS
            if stacks.decide_after(x, sequence) is Verdict.NEVER:
                assert debts.is_never_legal(x, sequence)


@pytest.mark.parametrize("sequence", ["B A C", "B A A C"])
def test_the_table_of_the_lost_text_reads_what_the_verdicts_say(sequence):
    query = ParserQuery(LOST)
    word = query.ids(f"P {sequence} $END")
    is_read = run_table(query.grammar, word) == len(word)
    assert is_read == (query.after("P", sequence) is Verdict.ALWAYS)


DECIDED = (
    'start: "a" start "b" | "c"\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
    'start: "(" start ")" | "[" start "]" | "a" | start "," start\n',
    'start: x*\nx: "a" y | "b"\ny: | "c" y\n',
)
VERDICTS = {MAY: Verdict.ALWAYS, FAIL: Verdict.NEVER}


def sequences_of(values):
    names = [name for name in values.language.lexed.grammar.bnf.terminals if name != "$END"]
    yield from ((one,) for one in names)
    yield from ((one, other) for one in names for other in names)
    yield from ((one, other, one) for one in names for other in names)


@pytest.mark.parametrize("text", DECIDED)
def test_what_is_decided_at_a_state_is_what_its_stacks_do(text):
    values = values_of(text)
    boundaries = values.language.lexed.boundaries
    reached = {state for t in boundaries.of_terminal for state in values.debts.list_after(t)}
    for names in sequences_of(values):
        sequence = values.sequence(*names)
        (number,) = values.decisions.classes_of([sequence])
        flags = values.decisions.flags()[number]
        lookaheads = [
            sum(1 << lookahead for lookahead in boundaries.of_terminal[values.terminal(name)])
            for name in names
        ]
        for state in sorted(reached):
            exact = values.debts.decide([state], lookaheads)
            if flags[state] != DEPENDS:
                assert exact is VERDICTS[int(flags[state])]
            automaton = values.debts.build([state], lookaheads)
            assert automaton is not None
            check_debt_automaton(automaton)
            assert automaton.verdict is exact


NESTED = 'start: "a" start "b" | "c"\n'


def check(values):
    boundaries = values.language.lexed.boundaries
    check_agreement(values.verdicts, values.decisions, boundaries, lambda: values.debts)


def test_true_answers_pass():
    values = values_of(NESTED)
    a, b, c = map(values.terminal, "ABC")
    assert values.verdicts.is_never_legal(b, values.sequence("A"))
    assert values.verdicts.is_never_legal(c, values.sequence("B", "B", "A"))
    assert values.verdicts.is_always_legal(a, values.sequence("C", "B"))
    check(values)


@pytest.mark.parametrize(("answer", "said"), [("_never", "never"), ("_always", "always")])
def test_a_wrong_answer_is_named_with_a_stack(answer, said):
    values = values_of(NESTED)
    # Both b b and no b at all may follow c.
    getattr(values.verdicts, answer).add((values.terminal("C"), values.sequence("B", "B")))
    with pytest.raises(ValueError, match=f"are {said} legal by the productions, and not by the"):
        check(values)


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('start: "a" start "b" | "c"\n', None),
        ("start: NAME NAME\nNAME: /[a-z]+/\n", "the lexer never gives NAME after NAME"),
        ("start: NAME NAME\nNAME: /[a-z]+/\n%ignore /[ ]+/\n", None),
        (LOST, "Lark resolved 1 conflict"),
    ],
)
def test_a_loss_is_named(text, lost):
    assert values_of(text).verdicts.asked.lost == lost


def test_nothing_is_always_legal_where_texts_may_be_lost():
    """The productions promise ``p b a c``; Lark shifts the ``a`` into ``x`` and wants another."""
    values = values_of(LOST)
    p, sequence = values.terminal("P"), values.sequence("B", "A", "C")
    assert not values.verdicts.is_always_legal(p, sequence)
    assert not values.verdicts.is_never_legal(p, sequence)


CLASSES = 'start: "x" ("+" | "-") "y"\n'


def facts_of(text, classes=()):
    language = language_of(text)
    return language, StateFacts(language.lexed, language.table, classes)


def states(found):
    return set(np.flatnonzero(found).tolist())


def event(language, name, contexts=-1):
    every = (1 << len(language.lexed.grammar.lexer.contexts)) - 1
    return ParserEvent(terminal(language, name), contexts & every, 0)


def test_the_states_after_a_terminal_are_those_that_its_shifts_lead_to():
    language, facts = facts_of(NESTED)
    a = event(language, "A")
    targets = {row[a.terminal] for row in language.table.shifts if a.terminal in row}
    assert states(facts.after(a)) == targets
    assert states(facts.after(a._replace(contexts=0))) == set()


def test_one_terminal_stands_for_its_class():
    language = language_of(CLASSES)
    plus, minus = terminal(language, "PLUS"), terminal(language, "MINUS")
    _, alone = facts_of(CLASSES)
    _, both = facts_of(CLASSES, ((minus, plus),))
    one = event(language, "MINUS")
    assert states(alone.after(one)) < states(both.after(one))
    assert states(both.after(one)) == states(alone.after(one)) | states(
        alone.after(event(language, "PLUS"))
    )
