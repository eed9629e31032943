from hypothesis import given
from hypothesis import strategies as st

from maskc.ids import END
from maskc.pushdown.debt_automaton import REFUSED, TAKEN, DebtAutomaton, Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.interchangeable import find_production_classes, map_to_representatives
from maskc.pushdown.production_debts import ProductionDebts
from tests.examples import examples
from tests.pushdown.small_grammars import (
    LETTERS,
    grammar_of,
    nested,
    prefixes,
    sequences,
    small_grammars,
)

A, B, C = LETTERS
SEQUENCES = st.lists(st.sampled_from(LETTERS), max_size=3)


def joint(reduced, x, one, other):
    return ProductionDebts(build_dft(reduced)).compare(x, one, other)


def add_only_what_is_always_legal(debts, x, one, other):
    """The appendix's 6.1: apart from a common beginning, each only adds an always-legal suffix."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    n_common = next((n for n, (left, right) in pairs if left != right), shorter)
    before = one[n_common - 1] if n_common else x
    return all(debts.decide(before, s[n_common:]) is Verdict.ALWAYS for s in (one, other))


def test_an_always_legal_suffix_changes_nothing():
    reduced = grammar_of("S -> a T", "T -> b c", "T -> c a")
    assert joint(reduced, A, [B], [B, C])


def test_a_suffix_that_only_the_stack_makes_legal_changes_nothing():
    """c comes after b only where a stands before, but after a it always does."""
    reduced = grammar_of("S -> a T", "S -> b", "T -> b c", "T -> c")
    assert joint(reduced, A, [B], [B, C])


def test_two_always_legal_sequences_are_jointly_legal():
    assert joint(nested(), A, [A], [B])


def test_two_never_legal_sequences_are_jointly_legal():
    assert joint(nested(), B, [A], [A, B, B, B])


def test_sequences_legal_on_the_same_stacks_are_jointly_legal():
    """After T, which is c, both a and b come on ``S ::= a T`` only."""
    reduced = grammar_of("S -> a T U", "S -> b T c", "T -> c", "U -> a", "U -> b c")
    assert joint(reduced, C, [A], [B])
    assert not joint(reduced, C, [A], [C])


def test_b_and_bb_are_not_jointly_legal_after_b():
    assert not joint(nested(), B, [B], [B, B])


def test_minus_and_two_minuses_are_jointly_legal_after_a_name_in_python(python):
    name, minus, plus = (python.id(n) for n in ("NAME", "MINUS", "PLUS"))
    for other in ([minus] * 2, [minus] * 3, [plus], [plus, minus]):
        assert python.debts.compare(name, [minus], other)


@examples(60)
@given(small_grammars(), SEQUENCES, SEQUENCES)
def test_what_always_legal_suffixes_prove_the_debt_automata_prove(reduced, one, other):
    debts = ProductionDebts(build_dft(reduced))
    for x in reduced.used_terminals:
        if add_only_what_is_always_legal(debts, x, one, other):
            assert debts.compare(x, one, other)


@examples(60)
@given(small_grammars(), SEQUENCES, SEQUENCES)
def test_no_jointly_legal_pair_is_refuted_by_a_short_prefix(reduced, one, other):
    first_of = map_to_representatives(find_production_classes(reduced))
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
    debts = ProductionDebts(build_dft(reduced))
    drawn = [*sequences(2), *((*s, END) for s in sequences(1)), (A, B, C), (B, B, B)]
    automata = [debts.build(x, s) for s in drawn]
    for one, left in zip(drawn, automata, strict=True):
        for other, right in zip(drawn, automata, strict=True):
            assert debts.compare(x, one, other) == (left == right)


@given(small_grammars(), SEQUENCES)
def test_the_smallest_automata_are_the_verdicts(reduced, sequence):
    debts = ProductionDebts(build_dft(reduced))
    for x in reduced.used_terminals:
        automaton = debts.build(x, sequence)
        verdict = debts.decide(x, sequence)
        assert (verdict is Verdict.ALWAYS) == (automaton == DebtAutomaton((), TAKEN))
        assert (verdict is Verdict.NEVER) == (automaton == DebtAutomaton((), REFUSED))
