"""Free text turns where a trigger is whole, and has no barred word."""

import pytest

from maskc.runtime.link.automata import NO_LABEL
from maskc.runtime.link.text import CHARACTERS, FreeText, FreeWords


def _word(text: str) -> tuple[int, ...]:
    return tuple(text.encode())


def _read(automaton: FreeText, text: bytes) -> int | None:
    state: int | None = 0
    for byte in text:
        state = automaton.moves(state).get(byte) if state is not None else None
    return state


@pytest.mark.parametrize(
    ("text", "label"),
    [("ab", 0), ("xab", 0), ("b", 1), ("xb", 1), ("aab", 0), ("x", NO_LABEL), ("a", NO_LABEL)],
)
def test_a_trigger_that_began_first_counts(text: str, label: int) -> None:
    automaton = FreeText(FreeWords((_word("ab"), _word("b"))))
    state = _read(automaton, text.encode())
    assert state is not None
    assert automaton.label(state) == label
    assert automaton.accepts(state) == (label == NO_LABEL)


def test_after_an_inner_trigger_only_the_outer_one_goes_on() -> None:
    automaton = FreeText(FreeWords((_word("abc"), _word("b"))))
    inner = _read(automaton, b"xab")
    assert inner is not None
    assert automaton.label(inner) == 1
    assert list(automaton.moves(inner)) == [ord("c")]
    whole = automaton.moves(inner)[ord("c")]
    assert automaton.label(whole) == 0
    assert not automaton.moves(whole)
    assert automaton.is_nested


@pytest.mark.parametrize("text", [b"\xff", b"\xc0\x80", b"\xed\xa0", b"\xf4\x90", b"\x80"])
def test_text_is_utf_8(text: bytes) -> None:
    assert _read(FreeText(FreeWords()), text) is None
    left: int | None = 0
    for byte in text:
        left = CHARACTERS[left].get(byte) if left is not None else None
    assert left is None
