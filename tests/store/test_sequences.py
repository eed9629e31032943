"""Terminal sequences are numbered, and each is kept once."""

from maskc.ids import NO_EVENT
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


def test_a_sequence_is_an_event_and_a_shorter_one():
    sequences = Sequences([])
    end = sequences.open_to(0b1)
    one = sequences.extend(B, end)
    two = sequences.extend(A, one)
    assert (sequences.event[two], sequences.rest[two]) == (A, one)
    assert [sequences.length[s] for s in (end, one, two)] == [0, 1, 2]
    assert end < one < two


def test_all_that_end_alike_know_their_open_lexeme():
    opened = OpenLexeme(0b101, (), (), -1)
    sequences = Sequences([opened])
    end = sequences.close(sequences.number_open_lexeme(opened), -3)
    assert sequences.open_lexeme(end) == (opened, -3)
    assert sequences.opened[sequences.extend(A, end)] == sequences.opened[end] == 0
    assert sequences.event[end] == Event(NO_EVENT, 0, -3)


def test_all_are_listed_rests_first():
    sequences = Sequences([])
    two = sequences.extend(A, sequences.extend(B, sequences.open_to(0)))
    assert list(sequences.numbers()) == [0, 1, 2]
    assert two == 2
