"""A switch turns to what a label stands for, which is made when it is first asked for."""

import pytest

from maskc.runtime.link.automata import NO_LABEL, ByteAutomaton
from maskc.runtime.link.automata.scanning import AutomatonScans
from maskc.runtime.link.joining.pieces import SwitchPiece
from tests.runtime.link.parts import legal, make_boundaries, make_leaf


class Letters(ByteAutomaton[bytes]):
    """Reads a and b any number of times; after ``c`` it turns. The token 6 turns as well."""

    def __init__(self):
        super().__init__(b"")
        self.has_labels = True

    def find_moves(self, name):
        return {} if name else {0x61: b"", 0x62: b"", 0x63: b"c"}

    def is_accepting(self, name):
        return not name

    def label_of(self, name):
        return 0 if name else NO_LABEL

    def find_atoms(self, name):
        return {} if name else {6: b"!"}


@pytest.fixture
def boundaries():
    return make_boundaries()


def make_piece(boundaries, made, *, loops):
    def target():
        made.append(1)
        return make_leaf(boundaries, b"!")

    return SwitchPiece(
        AutomatonScans(Letters(), boundaries.scanner), boundaries, [target], loops=loops
    )


def test_a_target_is_made_when_the_text_turns_to_it_and_once(boundaries):
    made = []
    piece = make_piece(boundaries, made, loops=False)
    start = boundaries.rest(boundaries.as_expression(piece), boundaries.end).starts
    here = boundaries.step(start, b"ab")
    assert (len(here), made) == (1, [])
    after = boundaries.step(here, b"c")
    boundaries.step(here, b"c")
    assert made == [1]
    assert legal(boundaries, after) == {b"!"}
