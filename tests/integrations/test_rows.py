"""Rows of a bitmask that is wider than the artifacts' masks."""

import numpy as np

from maskc import allocate_bitmask
from maskc.integrations.session import RowOwner, fill_rows
from tests.compiled import compile_text


def legal(bitmask, row):
    bits = np.unpackbits(bitmask[row].view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def test_each_sequence_is_written_into_its_row_whatever_its_width():
    wide = compile_text('start: "b"')
    narrow = compile_text('start: "0" | "1"', tokens=(b"0", b"1"))
    bitmask = allocate_bitmask(3, wide.vocab_size)
    fill_rows([RowOwner.start(narrow), RowOwner.start(wide)], bitmask, [2, 0])
    assert legal(bitmask, 0) == {ord("b")}
    assert (bitmask[1] == -1).all()
    assert legal(bitmask, 2) == {0, 1}


def test_after_an_illegal_token_only_the_end_is_left():
    artifact = compile_text('start: "b"')
    gone = RowOwner.start(artifact).after([ord("x")])
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    fill_rows([gone], bitmask, [0])
    assert legal(bitmask, 0) == {256}
    assert gone.after([ord("b")]).matcher is None


def test_after_its_end_a_sequence_allows_its_end_whatever_follows():
    artifact = compile_text('start: "b"')
    done = RowOwner.start(artifact).after([ord("b"), 256, 0, 7])
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    fill_rows([done], bitmask, [0])
    assert legal(bitmask, 0) == {256}


def test_going_on_leaves_the_sequence_before_as_it_was():
    artifact = compile_text('start: "bc"')
    before = RowOwner.start(artifact)
    before.after([ord("b")])
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    fill_rows([before], bitmask, [0])
    assert legal(bitmask, 0) == {ord("b")}


def test_a_budget_is_kept_in_rows_of_any_width():
    wide = compile_text('start: "b"+ "c"')
    narrow = compile_text('start: "0"+ "1"', tokens=(b"0", b"1"))
    sequences = [RowOwner.start(narrow).after([0]), RowOwner.start(wide).after([ord("b")])]
    bitmask = allocate_bitmask(2, wide.vocab_size)
    fill_rows(sequences, bitmask, [0, 1], 2)
    assert legal(bitmask, 0) == {1}
    assert legal(bitmask, 1) == {ord("c")}
