from hypothesis import given
from hypothesis import strategies as st

from maskc.analysis.debts import Debts
from maskc.analysis.never_legal import NeverLegal
from maskc.analysis.pairs import (
    is_never_legal_behind,
    prove_always_legal_behind,
    prove_jointly_legal_behind,
)
from tests.analysis.small_grammars import LETTERS, prefixes, small_grammars
from tests.examples import examples

PASTS = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=2).map(tuple)
SEQUENCES = st.lists(st.sampled_from(LETTERS), max_size=2).map(tuple)


def test_def_and_a_name_are_always_followed_by_a_parenthesis(python):
    def_, name, paren = (python.id(n) for n in ("DEF", "NAME", "LPAR"))
    assert prove_always_legal_behind(python.debts, [name], [paren]) is None
    assert prove_always_legal_behind(python.debts, [def_, name], [paren]) is True


def test_nothing_but_a_parenthesis_follows_def_and_a_name(python):
    def_, name, dot = (python.id(n) for n in ("DEF", "NAME", "DOT"))
    assert not is_never_legal_behind(python.never, [name], [dot])
    assert is_never_legal_behind(python.never, [def_, name], [dot])


def test_more_of_the_past_makes_more_jointly_legal(python):
    import_, name, dot, as_ = (python.id(n) for n in ("IMPORT", "NAME", "DOT", "AS"))
    behind = prove_jointly_legal_behind
    assert behind(python.debts, [name], [dot], [dot, name]) is True
    assert behind(python.debts, [name], [as_], [dot]) is None
    assert behind(python.debts, [import_, name], [as_], [as_, name]) is True


@examples(60)
@given(small_grammars(), PASTS, SEQUENCES, SEQUENCES)
def test_no_answer_behind_two_terminals_is_refuted_by_a_short_prefix(reduced, past, one, other):
    debts, found = Debts(reduced), prefixes(reduced, 6)
    here = [p for p in found if p[-len(past) :] == past and len(p) <= 4]
    if is_never_legal_behind(NeverLegal(debts), past, one):
        assert not any((*p, *one) in found for p in here)
    if prove_always_legal_behind(debts, past, one):
        assert all((*p, *one) in found for p in here)
    if prove_jointly_legal_behind(debts, past, one, other):
        assert all(((*p, *one) in found) == ((*p, *other) in found) for p in here)
