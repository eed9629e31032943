from hypothesis import given
from hypothesis import strategies as st

from maskc.ids import END
from maskc.pushdown.debt_automaton import REFUSED, TAKEN, DebtAutomaton, Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.interchangeable import (
    find_classes,
    find_production_classes,
    map_to_representatives,
)
from maskc.pushdown.jointly_legal import Reason, are_jointly_legal
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
    representatives = map_to_representatives(find_production_classes(reduced))
    return are_jointly_legal(
        ProductionDebts(build_dft(reduced)), x, one, other, representatives=representatives
    )


def test_interchangeable_terminals_make_sequences_jointly_legal():
    reduced = grammar_of("S -> a S", "S -> b S", "S -> c")
    assert joint(reduced, A, [A, B], [B, A]) is Reason.EQUAL


def test_an_always_legal_suffix_changes_nothing():
    """In the first grammar, c comes after b only where a stands before: the stacks tell."""
    reduced = grammar_of("S -> a T", "S -> b", "T -> b c", "T -> c")
    assert joint(reduced, A, [B], [B, C]) is Reason.EQUAL_DEBTS
    reduced = grammar_of("S -> a T", "T -> b c", "T -> c a")
    assert joint(reduced, A, [B], [B, C]) is Reason.ALWAYS_SUFFIX


def test_two_always_legal_sequences_are_jointly_legal():
    assert joint(nested(), A, [A], [B]) is Reason.ALWAYS_SUFFIX


def test_two_never_legal_sequences_have_equal_debts():
    assert joint(nested(), B, [A], [A, B, B, B]) is Reason.EQUAL_DEBTS


def test_sequences_legal_on_the_same_stacks_are_jointly_legal():
    """After T, which is c, both a and b come on ``S ::= a T`` only."""
    reduced = grammar_of("S -> a T U", "S -> b T c", "T -> c", "U -> a", "U -> b c")
    assert joint(reduced, C, [A], [B]) is Reason.EQUAL_DEBTS
    assert joint(reduced, C, [A], [C]) is None


def test_b_and_bb_are_not_known_to_be_jointly_legal_after_b():
    assert joint(nested(), B, [B], [B, B]) is None


def test_minus_and_two_minuses_are_jointly_legal_after_a_name_in_python(python):
    representatives = map_to_representatives(find_classes(python.grammar))
    name, minus, plus = (python.id(n) for n in ("NAME", "MINUS", "PLUS"))
    for other, reason in (
        ([minus] * 2, Reason.ALWAYS_SUFFIX),
        ([minus] * 3, Reason.ALWAYS_SUFFIX),
        ([plus], Reason.EQUAL),
        ([plus, minus], Reason.ALWAYS_SUFFIX),
    ):
        found = are_jointly_legal(
            python.debts, name, [minus], other, representatives=representatives
        )
        assert found is reason


@examples(60)
@given(small_grammars(), SEQUENCES, SEQUENCES)
def test_no_jointly_legal_pair_is_refuted_by_a_short_prefix(reduced, one, other):
    found = prefixes(reduced, 6)
    for x in reduced.used_terminals:
        if joint(reduced, x, one, other):
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
