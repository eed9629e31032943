"""How much of a sequence is read."""

import pytest

from maskc.grammar.model import Production
from maskc.grammar.reduce import reduce_productions
from maskc.grammar.sets import compute_sets
from maskc.pushdown.reads import MET, Reads

S, T = -1, -2
a, b, c = 1, 2, 3


def reads_of(*productions):
    reduced = reduce_productions(("$END", "a", "b", "c"), ("S", "T"), 0, productions)
    return Reads(reduced, compute_sets(reduced), lambda t: [t], lambda t: 1 << t)


def read(reads, rest, sequence):
    return reads.advance(reads.number_rest(rest), 1, reads.suffix(sequence))


NESTED = (Production(0, (a, S, b)), Production(0, (c,)))


def test_what_lacks_nothing_reads_nothing():
    assert read(reads_of(*NESTED), (), (a, b)) == 1


def test_a_nonterminal_reads_all_of_its_words_that_the_sequence_begins_with():
    listed = reads_of(Production(0, (S, a)), Production(0, (a,)))
    assert read(listed, (S,), (a, a, b)) == 1 << 1 | 1 << 2


def test_what_reads_all_is_met_though_more_would_be_generated():
    assert read(reads_of(*NESTED), (S,), (a, a, c, b)) == MET


def test_what_does_not_fit_reads_nothing_at_all():
    assert read(reads_of(*NESTED), (S,), (b, a)) == 0
    assert read(reads_of(*NESTED), (a, S), (a, b)) == 0


@pytest.mark.parametrize(("sequence", "expected"), [((b, c), 1 | 1 << 1), ((c, b), 1)])
def test_an_empty_symbol_may_be_left_out(sequence, expected):
    optional = reads_of(Production(0, (T, c)), Production(1, (b,)), Production(1, ()))
    assert read(optional, (T,), sequence) == expected


def test_a_long_sequence_does_not_nest_calls():
    listed = reads_of(Production(0, (S, a)), Production(0, (a,)))
    assert read(listed, (S,), (a,) * 300 + (b,)) == (1 << 301) - 2
