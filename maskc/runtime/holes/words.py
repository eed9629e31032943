"""What a terminal is restricted to: a list of words, or an automaton such as a pattern's.

Example: ``["users", "orders"]``, or what :func:`maskc.compile_pattern` returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from maskc.arguments import as_items
from maskc.errors import HoleError, WrongTypeError
from maskc.runtime.holes.tracks import Automaton
from maskc.runtime.link.automata.automaton import ByteAutomaton, Words

# What can be iterated over and is no list of words.
_NO_LISTS = (str, bytes, bytearray, memoryview)


class NoWords(ByteAutomaton[int]):
    """Reads nothing at all."""

    def __init__(self) -> None:
        super().__init__(0)

    def find_moves(self, name: int) -> dict[int, int]:  # noqa: ARG002  # there is one state
        """Return no move."""
        return {}

    def is_accepting(self, name: int) -> bool:  # noqa: ARG002
        """Return False."""
        return False


def read_words(grammar: str, hole: str, given: Iterable[str] | Automaton) -> Automaton:
    """Return the automaton of what a hole is narrowed to.

    Raises:
        HoleError: a word is empty or not UTF-8.
        TypeError: it is neither.
    """
    if isinstance(given, ByteAutomaton):
        return given
    if isinstance(given, _NO_LISTS) or not isinstance(given, Iterable):
        raise WrongTypeError(_tell_kinds(hole, given))
    words: set[bytes] = set()
    for word in as_items(f"what {hole} is narrowed to", given):
        if not isinstance(word, str):
            raise WrongTypeError(f"a word of {hole} must be a str, not {type(word).__name__}")
        try:
            words.add(word.encode())
        except UnicodeEncodeError:
            raise HoleError(
                grammar, hole, f"the word {word!r} is not UTF-8", "write it in UTF-8"
            ) from None
    if b"" in words:
        raise HoleError(grammar, hole, "a word is empty, and a lexeme never is", "leave it out")
    return Words(sorted(words)) if words else NoWords()


def _tell_kinds(hole: str, given: object) -> str:
    """Return the sentence about what is neither words nor an automaton."""
    taken = "a list of words, or to a pattern of maskc.compile_pattern(…)"
    kind = type(given).__name__
    found, remedy = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}", ""
    if given is None:
        found = "None"
    elif isinstance(given, re.Pattern):
        found, remedy = "one of re.compile", "; give its text to maskc.compile_pattern"
    return f"{hole} is narrowed to {taken}, not to {found}{remedy}"


def bytes_of(automaton: Automaton) -> bytes:
    """Return the bytes that an automaton may read: those of the words, or all."""
    if isinstance(automaton, Words):
        return bytes(sorted(set(b"".join(automaton.words))))
    return b"" if isinstance(automaton, NoWords) else bytes(range(256))
