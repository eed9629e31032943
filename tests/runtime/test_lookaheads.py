"""Sets of lookaheads as bit sets."""

import numpy as np
import pytest

from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lookaheads import Lookaheads, to_bit_sets
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def artifact():
    return compile_text('start: NAME "=" NAME\nNAME: /[a-z]+/\n%ignore " "\n')


def test_words_are_least_significant_first():
    assert to_bit_sets(np.array([[1, 0], [0, 1], [2, 4]], dtype=np.uint64)) == [
        1,
        1 << 64,
        2 | 1 << 66,
    ]


def test_an_open_lexeme_names_what_it_may_become(artifact):
    lookaheads, machine = Lookaheads(artifact.contents), artifact.machine
    (h,) = machine.step(machine.start(), b"ab")
    lexeme = lookaheads.open_lexeme(machine.scanner.open_lexeme_of[h.state])
    name = artifact.header["terminals"].index("NAME")
    assert lexeme.direct & lookaheads.of_terminal[name] == lexeme.direct != 0
    assert lexeme.ignored == ()


def test_after_a_boundary_comes_what_can_be_lexed_there(artifact):
    lookaheads, machine = Lookaheads(artifact.contents), artifact.machine
    (h,) = machine.step(machine.start(), b"ab")
    ((terminal, boundary),) = machine.scanner.ends(h.state)
    stack, _ = machine.lexemes.end(h.stack, h.indents, terminal, h.column, ReadSet(0))
    following = lookaheads.after(boundary, machine.tables.place[stack.state])
    terminals = artifact.header["terminals"]
    assert following & lookaheads.of_terminal[terminals.index("NAME")] == 0
    assert following & lookaheads.of_terminal[terminals.index("EQUAL")] != 0
