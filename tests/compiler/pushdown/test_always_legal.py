"""Sequences that every stack takes, and those that the same stacks take, by the productions."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.compiler.glr.top_state import find_states_after
from maskc.compiler.glr_path import ask_lexed
from maskc.compiler.pushdown.debt_automaton import REFUSED, TAKEN, DebtAutomaton, Verdict
from maskc.compiler.pushdown.dft import build_dft
from maskc.compiler.pushdown.interchangeable import find_production_classes, map_to_representatives
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.compiler.pushdown.production_verdicts import MAX_LENGTH, ProductionVerdicts
from maskc.ids import END
from tests.compiler.glr.general_values import values_of
from tests.compiler.pushdown.small_grammars import (
    LETTERS,
    grammar_of,
    nested,
    prefixes,
    rules_of,
    sequences,
    small_grammars,
    words,
)
from tests.compiler.pushdown.unlimited_credit import explore_credit, is_always_legal
from tests.examples import examples

A, B, C = LETTERS
# Figure 4; ``*`` final, ``+`` ε-coaccessible.
FIGURE_4 = {
    (A, A): """\
start A, ε+
A, ε+ --start ::= A--> •start, (start ::= A start)+
•start, (start ::= A start)+ --ε--> start•, (start ::= A start)
•start, (start ::= A start)+ --ε--> A, (start ::= A)(start ::= A start)*""",
    (A, B): """\
start A, ε+
A, ε+ --start ::= A--> •start, (start ::= A start)+
•start, (start ::= A start)+ --ε--> start•, (start ::= A start)+
start•, (start ::= A start)+ --ε--> B, (start ::= A start B)*""",
    (B, A): """\
start B, ε
B, ε --start ::= A start B--> start•, ε
start•, ε --Z0--> $END, ε""",
    (B, B): """\
start B, ε
B, ε --start ::= A start B--> start•, ε
start•, ε --start ::= A start--> B, (start ::= A start B)*
start•, ε --Z0--> $END, ε""",
}


@pytest.mark.parametrize("pair", FIGURE_4)
def test_the_debt_nfa_is_that_of_figure_4(pair):
    """That of a after b, 4c, has no final node."""
    found = explore_credit(build_dft(nested()), pair[0], [pair[1]])
    assert found.format() == FIGURE_4[pair]
    assert (found.finals == ()) == (pair == (B, A))


@pytest.mark.parametrize(
    ("x", "sequence", "proof"),
    [
        (A, [A], True),
        (A, [B], True),
        (B, [A], None),
        (B, [B], None),
        (A, [A, A, B, B], True),
        (A, [A, B, B], True),
        (A, [A, B, B, B], None),
    ],
)
def test_what_unlimited_credit_proves_of_the_worked_example(x, sequence, proof):
    assert is_always_legal(build_dft(nested()), x, sequence) is proof


def test_a_right_recursive_end_is_beyond_the_recursive_definition():
    """Behind b comes only the end, through as many S• as there are a."""
    reduced = grammar_of("S -> a S", "S -> b")
    assert is_always_legal(build_dft(reduced), B, [END]) is None
    assert ProductionDebts(reduced).decide(B, [END]) is Verdict.ALWAYS


def test_minus_is_always_legal_after_minus_in_python(python):
    minus = python.id("MINUS")
    assert is_always_legal(build_dft(python.reduced), minus, [minus]) is True
    assert python.debts.decide(minus, [minus]) is Verdict.ALWAYS
    assert python.debts.decide(minus, [minus] * 6) is Verdict.ALWAYS


def test_a_name_is_always_legal_after_def_in_python(python):
    def_, name, paren = (python.id(n) for n in ("DEF", "NAME", "LPAR"))
    assert is_always_legal(build_dft(python.reduced), def_, [name, paren]) is True


def holds(found, x, sequence):
    """Return whether no prefix in ``found`` refutes that the sequence is always-legal."""
    return all((*p, *sequence) in found for p in found if p[-1:] == (x,) and len(p) <= 4)


@examples(60)
@given(small_grammars())
def test_no_always_legal_sequence_is_refuted_by_a_short_prefix(reduced):
    debts, found = ProductionDebts(reduced), prefixes(reduced, 6)
    for x in reduced.used_terminals:
        for sequence in sequences(2)[1:]:
            if debts.decide(x, sequence) is Verdict.ALWAYS:
                assert holds(found, x, sequence)


@examples(60)
@given(small_grammars())
def test_the_end_is_always_legal_only_where_each_prefix_is_a_text(reduced):
    debts, found = ProductionDebts(reduced), prefixes(reduced, 6)
    texts = words(rules_of(reduced), -1 - reduced.start, 6)
    for x in reduced.used_terminals:
        if debts.decide(x, [END]) is Verdict.ALWAYS:
            assert {p for p in found if p[-1:] == (x,)} <= texts


@examples(60)
@given(small_grammars(longest=2), st.lists(st.sampled_from([*LETTERS, END]), max_size=3))
@example(grammar_of("S -> a S", "S -> b"), [END])
def test_what_unlimited_credit_proves_the_debt_automaton_proves(reduced, sequence):
    debts, dft = ProductionDebts(reduced), build_dft(reduced)
    for x in reduced.used_terminals:
        if is_always_legal(dft, x, sequence, max_stack=4):
            assert debts.decide(x, sequence) is Verdict.ALWAYS


NESTED_SIDES = ("S -> a S b", "S ->")
ON_ONE_STACK = ("S -> a T U", "S -> b T c", "T -> c", "U -> a", "U -> b c")
SEQUENCES = st.lists(st.sampled_from(LETTERS), max_size=3)


def joint(reduced, x, one, other):
    return ProductionDebts(reduced).compare(x, one, other)


def add_only_what_is_always_legal(debts, x, one, other):
    """The appendix's 6.1: apart from a common beginning, each only adds an always-legal suffix."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    n_common = next((n for n, (left, right) in pairs if left != right), shorter)
    before = one[n_common - 1] if n_common else x
    return all(debts.decide(before, s[n_common:]) is Verdict.ALWAYS for s in (one, other))


@pytest.mark.parametrize(
    ("productions", "x", "one", "other", "jointly"),
    [
        # An always-legal suffix changes nothing.
        (("S -> a T", "T -> b c", "T -> c a"), A, [B], [B, C], True),
        # c comes after b only where a stands before, but after a it always does.
        (("S -> a T", "S -> b", "T -> b c", "T -> c"), A, [B], [B, C], True),
        # Two that are always legal, and two that are never.
        (NESTED_SIDES, A, [A], [B], True),
        (NESTED_SIDES, B, [A], [A, B, B, B], True),
        # After T, which is c, both a and b come on `S ::= a T` only.
        (ON_ONE_STACK, C, [A], [B], True),
        (ON_ONE_STACK, C, [A], [C], False),
        (NESTED_SIDES, B, [B], [B, B], False),
    ],
)
def test_sequences_that_are_legal_on_the_same_stacks(productions, x, one, other, jointly):
    assert joint(grammar_of(*productions), x, one, other) == jointly


def test_minus_and_two_minuses_are_jointly_legal_after_a_name_in_python(python):
    name, minus, plus = (python.id(n) for n in ("NAME", "MINUS", "PLUS"))
    for other in ([minus] * 2, [minus] * 3, [plus], [plus, minus]):
        assert python.debts.compare(name, [minus], other)


@examples(60)
@given(small_grammars(), SEQUENCES, SEQUENCES)
def test_what_always_legal_suffixes_prove_the_debt_automata_prove(reduced, one, other):
    debts = ProductionDebts(reduced)
    for x in reduced.used_terminals:
        if add_only_what_is_always_legal(debts, x, one, other):
            assert debts.compare(x, one, other)


@examples(60)
@given(small_grammars(), SEQUENCES, SEQUENCES)
def test_no_jointly_legal_pair_is_refuted_by_a_short_prefix(reduced, one, other):
    first_of = map_to_representatives(find_production_classes(reduced.productions))
    left, right = ([first_of.get(t, t) for t in s] for s in (one, other))
    found = prefixes(reduced, 6)
    for x in reduced.used_terminals:
        if left == right or joint(reduced, x, left, right):
            for prefix in found:
                if prefix[-1:] == (x,) and len(prefix) <= 3:
                    assert ((*prefix, *one) in found) == ((*prefix, *other) in found)


@examples(60)
@given(small_grammars(), st.sampled_from(LETTERS))
def test_smallest_automata_are_equal_exactly_for_equal_debts(reduced, x):
    debts = ProductionDebts(reduced)
    drawn = [*sequences(2), *((*s, END) for s in sequences(1)), (A, B, C), (B, B, B)]
    automata = [debts.build(x, s) for s in drawn]
    for one, left in zip(drawn, automata, strict=True):
        for other, right in zip(drawn, automata, strict=True):
            assert debts.compare(x, one, other) == (left == right)


@given(small_grammars(), SEQUENCES)
def test_the_smallest_automata_are_the_verdicts(reduced, sequence):
    debts = ProductionDebts(reduced)
    for x in reduced.used_terminals:
        automaton = debts.build(x, sequence)
        verdict = debts.decide(x, sequence)
        assert (verdict is Verdict.ALWAYS) == (automaton == DebtAutomaton((), TAKEN))
        assert (verdict is Verdict.NEVER) == (automaton == DebtAutomaton((), REFUSED))


NESTED_TEXT = "start: A start B | C\nA: /a/\nB: /b/\nC: /c/\n"


@pytest.fixture(scope="module")
def nested_verdicts():
    values = values_of(NESTED_TEXT)
    return values, ProductionVerdicts(
        ask_lexed(values.lexed, values.grammar), values.boundaries, values.sequences
    )


@pytest.mark.parametrize(
    ("before", "names", "verdict"),
    [
        ("B", ("A",), Verdict.NEVER),
        ("A", ("A",), Verdict.ALWAYS),
        ("A", ("C",), Verdict.ALWAYS),
        ("A", ("C", "B"), Verdict.ALWAYS),
        ("A", ("C", "B", "B"), Verdict.DEPENDS),
        ("C", ("B",), Verdict.DEPENDS),
        ("C", ("$END",), Verdict.DEPENDS),
        ("A", ("$END",), Verdict.NEVER),
        ("C", ("B", "C"), Verdict.NEVER),
        ("C", (), Verdict.ALWAYS),
    ],
)
def test_a_sequence_is_decided_after_a_terminal(nested_verdicts, before, names, verdict):
    values, verdicts = nested_verdicts
    asked = values.terminal(before), values.sequence(*names)
    assert verdicts.is_never_legal(*asked) is (verdict is Verdict.NEVER)
    assert verdicts.is_always_legal(*asked) is (verdict is Verdict.ALWAYS)


def test_words_legal_on_the_same_stacks_have_one_signature(nested_verdicts):
    values, verdicts = nested_verdicts
    after = values.terminal("A")
    one = verdicts.signature(after, values.sequence("C", "B", "B"))
    assert one == verdicts.signature(after, values.sequence("A", "C", "B", "B", "B"))
    assert one != verdicts.signature(after, values.sequence("C", "B", "B", "B"))
    assert one is not None


def test_an_open_lexeme_asks_for_the_symbols_that_it_may_become(nested_verdicts):
    values, verdicts = nested_verdicts
    sequence = values.sequence("$END")
    assert verdicts.first_symbols(sequence) == 1
    assert not verdicts.is_free(sequence)
    assert verdicts.is_free(values.sequence())


def test_the_states_after_a_terminal_are_those_that_it_leads_to(nested_verdicts):
    values, _ = nested_verdicts
    states = find_states_after(values.table, values.lexed.symbols)
    shifted = [
        (values.lexed.symbols[symbol][0], state)
        for row in values.table.shifts
        for symbol, state in row.items()
    ]
    assert {(t, s) for t, some in states.items() for s in some} == set(shifted)


def test_after_many_automata_only_never_and_what_is_read_alike_is_said(
    nested_verdicts, monkeypatch
):
    values, known = nested_verdicts
    fresh = ProductionVerdicts(known.asked, values.boundaries, values.sequences)
    monkeypatch.setattr("maskc.compiler.pushdown.production_verdicts.MAX_EDGES", -1)
    always = values.terminal("A"), values.sequence("C", "B")
    assert fresh.is_spent
    assert not fresh.is_always_legal(*always)
    assert fresh.signature(*always) == fresh.read_certain(always[1])
    assert fresh.is_never_legal(values.terminal("B"), values.sequence("A"))


def test_what_is_certain_is_read_to_its_end_or_not_at_all(nested_verdicts):
    values, verdicts = nested_verdicts
    longest = verdicts.read_certain(values.sequence(*"A" * MAX_LENGTH, "$END"))
    assert len(longest) == MAX_LENGTH + 1
    assert verdicts.read_certain(values.sequence(*"A" * (MAX_LENGTH + 1), "$END")) is None
