"""Of a language the part is kept in which each terminal may stand after the one before it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import LimitError
from maskc.glr import adjacency
from maskc.glr.adjacency import Adjacency, keep_adjacent
from maskc.glr.epsilon import drop_empties
from maskc.ids import END
from tests.glr.productions import S, a, b, language_of, make, productions


@given(productions(), st.sets(st.sampled_from([(x, y) for x in (a, b) for y in (a, b, END)])))
def test_keeping_what_is_adjacent_keeps_just_the_sequences_the_lexer_gives(given_productions, may):
    cfg = drop_empties(0, 4, given_productions)
    follows = tuple(sum(1 << y for x, y in may if x == lookahead) for lookahead in range(3))
    lexed = keep_adjacent(cfg, Adjacency({END: (0,), a: (1,), b: (2,)}, follows, 0b111))
    found = {
        tuple(lexed.symbols[symbol][0] for symbol in sequence)
        for sequence in language_of(lexed.cfg)
    }
    allowed = {
        sequence
        for sequence in language_of(cfg)
        if all(pair in may for pair in pairwise((*sequence, END)))
    }
    assert found == allowed


def test_a_terminal_with_two_lookaheads_that_allow_the_same_is_one_symbol():
    cfg = make((0, (S, a)), (0, (a,)))
    lexed = keep_adjacent(cfg, Adjacency({END: (0,), a: (1, 2)}, (0, 0b111, 0b111), 0b110))
    assert lexed.symbols == ((END, 0b001), (a, 0b110))
    assert lexed.follow() == {a: 1 << END | 1 << a}


def test_too_many_productions_are_refused(monkeypatch):
    monkeypatch.setattr(adjacency, "MAX_PRODUCTIONS", 2)
    cfg = make((0, (S, a)), (0, (a,)))
    with pytest.raises(LimitError, match="more than 2 productions"):
        keep_adjacent(cfg, Adjacency({END: (0,), a: (1,)}, (0, 0b11), 0b10))
