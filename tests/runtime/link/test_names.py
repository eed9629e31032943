"""A name that is none of some."""

import pytest

from maskc.runtime.link.text.names import OtherName


@pytest.mark.parametrize(
    ("name", "is_read"),
    [("city", False), ("cit", True), ("city2", True), ("c", True), ("_x", True), ("2x", False)],
)
def test_only_other_names_are_read(name: str, is_read: bool) -> None:
    automaton, state = OtherName([b"city", b"cities"]), 0
    for byte in name.encode():
        state = automaton.moves(state).get(byte, -1) if state >= 0 else -1
    assert (state >= 0 and automaton.accepts(state)) == is_read


def test_the_empty_name_is_none() -> None:
    assert not OtherName([]).accepts(0)
