from hypothesis import example, given
from hypothesis import strategies as st

from maskc.ids import END
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.production_debts import ProductionDebts
from tests.examples import examples
from tests.pushdown.small_grammars import (
    LETTERS,
    grammar_of,
    nested,
    prefixes,
    rules_of,
    sequences,
    small_grammars,
    words,
)
from tests.pushdown.unlimited_credit import explore_credit, is_always_legal

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


def figure_4(x, y):
    return explore_credit(build_dft(nested()), x, [y])


def test_the_debt_nfa_of_a_after_a_is_that_of_figure_4a():
    assert figure_4(A, A).format() == FIGURE_4[A, A]


def test_the_debt_nfa_of_b_after_a_is_that_of_figure_4b():
    assert figure_4(A, B).format() == FIGURE_4[A, B]


def test_the_debt_nfa_of_a_after_b_is_that_of_figure_4c_without_a_final_node():
    assert figure_4(B, A).format() == FIGURE_4[B, A]
    assert figure_4(B, A).finals == ()


def test_the_debt_nfa_of_b_after_b_is_that_of_figure_4d():
    assert figure_4(B, B).format() == FIGURE_4[B, B]


def test_a_and_b_are_always_legal_after_a():
    dft = build_dft(nested())
    assert is_always_legal(dft, A, [A]) is True
    assert is_always_legal(dft, A, [B]) is True


def test_nothing_is_known_to_be_always_legal_after_b():
    dft = build_dft(nested())
    assert is_always_legal(dft, B, [A]) is None
    assert is_always_legal(dft, B, [B]) is None


def test_a_longer_sequence_is_read_to_its_end():
    dft = build_dft(nested())
    assert is_always_legal(dft, A, [A, A, B, B]) is True
    assert is_always_legal(dft, A, [A, B, B]) is True
    assert is_always_legal(dft, A, [A, B, B, B]) is None


def test_a_right_recursive_end_is_beyond_the_recursive_definition():
    """Behind b comes only the end, through as many S• as there are a."""
    reduced = grammar_of("S -> a S", "S -> b")
    assert is_always_legal(build_dft(reduced), B, [END]) is None
    assert ProductionDebts(build_dft(reduced)).decide(B, [END]) is Verdict.ALWAYS


def test_a_stack_that_grows_with_each_step_is_cut_and_said_so():
    dft = build_dft(grammar_of("S -> a T b", "T -> T c", "T -> c"))
    nfa = explore_credit(dft, A, [C, C, C], max_stack=2)
    assert not nfa.is_complete
    assert nfa.start not in nfa.find_coaccessible()
    assert is_always_legal(dft, A, [C, C, C], max_stack=5) is True


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
    debts, found = ProductionDebts(build_dft(reduced)), prefixes(reduced, 6)
    for x in reduced.used_terminals:
        for sequence in sequences(2)[1:]:
            if debts.decide(x, sequence) is Verdict.ALWAYS:
                assert holds(found, x, sequence)


@examples(60)
@given(small_grammars())
def test_the_end_is_always_legal_only_where_each_prefix_is_a_text(reduced):
    debts, found = ProductionDebts(build_dft(reduced)), prefixes(reduced, 6)
    texts = words(rules_of(reduced), -1 - reduced.start, 6)
    for x in reduced.used_terminals:
        if debts.decide(x, [END]) is Verdict.ALWAYS:
            assert {p for p in found if p[-1:] == (x,)} <= texts


@examples(60)
@given(small_grammars(longest=2), st.lists(st.sampled_from([*LETTERS, END]), max_size=3))
@example(grammar_of("S -> a S", "S -> b"), [END])
def test_what_unlimited_credit_proves_the_debt_automaton_proves(reduced, sequence):
    debts, dft = ProductionDebts(build_dft(reduced)), build_dft(reduced)
    for x in reduced.used_terminals:
        if is_always_legal(dft, x, sequence, max_stack=4):
            assert debts.decide(x, sequence) is Verdict.ALWAYS
