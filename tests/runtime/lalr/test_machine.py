"""Tokens and masks, computed once and then cached by what was read."""

from maskc.runtime.artifact import Artifact
from maskc.runtime.pool import NO_NUMBER


def take(machine, text):
    """Return the only hypothesis after the bytes of a text, taken as tokens."""
    here = machine.start()
    for byte in text:
        here = machine.take(here, byte)
    (hypothesis,) = here
    return hypothesis


def test_a_stack_that_agrees_as_far_as_it_was_read_needs_no_new_effect(brackets, monkeypatch):
    take(brackets, b"(((a)))")
    take(brackets, b"[(((a")
    monkeypatch.setattr(type(brackets), "_take_first", None)
    take(brackets, b"[(((a)")


def test_a_token_without_bytes_is_illegal(brackets):
    assert brackets.take(brackets.start(), 256) == ()


def test_a_cached_mask_is_the_same_object(brackets, reach):
    mask = brackets.mask(reach(brackets, b"((a"))
    assert brackets.mask(reach(brackets, b"((a")) is mask
    assert brackets.mask_numbers([(reach(brackets, b"((a"),)]) == [mask.number]


def test_masks_of_newlines_are_cached_by_the_layout(blocks, reach):
    two, four = reach(blocks, b"b:\n  x\n"), reach(blocks, b"b:\n    x\n")
    assert two.state == four.state
    assert blocks.mask(two) is blocks.mask(reach(blocks, b"b:\n  x\n"))
    assert blocks.describe(two) != blocks.describe(four)


def test_bytes_that_change_a_column_are_in_groups_of_their_own(brackets, blocks):
    assert {b"\n", b"\t", b" "} <= set(blocks.byte_groups)
    for machine in (brackets, blocks):
        assert sorted(b"".join(machine.byte_groups)) == list(range(256))


def test_a_token_that_changes_nothing_leaves_the_hypothesis_itself(brackets):
    (blank,) = brackets.take((take(brackets, b"("),), ord(" "))
    for _ in range(2):  # worked out, and known
        (again,) = brackets.take((blank,), ord(" "))
        assert brackets.describe(again) == brackets.describe(blank)
    assert again is blank


def test_a_column_that_moves_makes_another_hypothesis(blocks):
    (one,) = blocks.step(blocks.start(), b"b:\n ")
    for _ in range(2):
        (two,) = blocks.take((one,), ord(" "))
        assert (one.column, two.column) == (1, 2)


def test_a_hypothesis_remembers_its_mask_once_it_was_asked_for(brackets, reach):
    h = reach(brackets, b"((a")
    assert h.mask is None
    assert brackets.mask(h) is h.mask
    assert brackets.mask_numbers([(h,)]) == [h.mask.number]


def test_a_mask_without_a_number_is_not_kept_alive_by_its_hypothesis(brackets_artifact, reach):
    machine = Artifact(brackets_artifact.contents, cache_bytes=0).machine
    h = reach(machine, b"((a")
    assert machine.mask(h).number == NO_NUMBER
    assert h.mask is None
