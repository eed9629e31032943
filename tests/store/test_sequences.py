"""Terminal sequences are numbered, and each is kept once."""

from maskc.lexer.boundaries import OpenLexeme
from maskc.store.sequences import Event, Sequences

A, B = Event(1, 1, 0), Event(2, 1, 0)


def test_equal_sequences_have_one_number():
    sequences = Sequences([])
    end = sequences.open_to(0b1)
    assert sequences.open_to(0b1) == end
    assert sequences.extend(A, end) == sequences.extend(A, end)
    assert len(sequences) == 2


def test_what_stays_open_tells_sequences_apart():
    sequences = Sequences([])
    assert sequences.open_to(0b1) != sequences.open_to(0b10)
    number = sequences.number_open_lexeme(OpenLexeme(0b1, (), (), -1))
    assert sequences.close(number, 0) != sequences.close(number, -1)
