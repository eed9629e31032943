"""Which words may a hole take, after what was written?

A *scope* is an artifact whose holes are narrowed to the words that a function returns for all
captured symbols so far. The function is asked once for the same symbols, and the same words are one
scope, whatever was written.

Example: with ``table`` captured and ``{"COLUMN": columns_of(written)}`` returned, the scope before
the first table has the columns of all tables, and after ``users`` those of users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from maskc.captures.tracing import NOWHERE, Span, Spans
from maskc.errors import HoleError
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes.machine import HoleMachine
from maskc.runtime.holes.tracks import Automaton
from maskc.runtime.link.automata.automaton import ByteAutomaton

# The captured symbols that were completed, in order: the name, and the text.
Written = tuple[tuple[str, str], ...]
OnComplete = Callable[[Written], Mapping[str, Iterable[str] | Automaton]]

_MOST_ANSWERS = 10_000  # of the function, and scopes, that are kept


class Scope:
    """What the holes are narrowed to. Never changes.

    Attributes:
        number: tells it from other scopes.
        words: of each hole, in order: words, or an automaton.
        machine: follows them.
    """

    def __init__(
        self, number: int, words: tuple[tuple[str, ...] | Automaton, ...], machine: HoleMachine
    ) -> None:
        self.number, self.words, self.machine = number, words, machine


class Scopes:
    """The scopes of one artifact and one function.

    Args:
        artifact: of an LALR grammar.
        on_complete: what was written → the words of each hole.

    Attributes:
        first: the scope before the text.
        holes: the names of the holes, in order.
    """

    def __init__(self, artifact: Artifact, on_complete: OnComplete) -> None:
        self._artifact, self._on_complete = artifact, on_complete
        self.holes: tuple[str, ...] = ()
        self._answers: dict[Written, tuple[tuple[str, ...] | Automaton, ...]] = {}
        self._scopes: dict[tuple[tuple[str, ...] | Automaton, ...], Scope] = {}
        self._n_scopes = 0
        self.first = self.of(self.answer(()))

    def answer(self, written: Written) -> tuple[tuple[str, ...] | Automaton, ...]:
        """Return the words of each hole after some symbols.

        Raises:
            HoleError: the function names other holes than before the text.
            TypeError: it does not return a mapping.
        """
        found = self._answers.get(written)
        if found is None:
            given = self._on_complete(written)
            if not isinstance(given, Mapping):
                raise TypeError(
                    "on_complete returns words by the name of their terminal, such as "
                    f'{{"COLUMN": ["id"]}}, and this is {type(given).__name__}'
                )
            names = tuple(sorted(given))
            if not written:
                self.holes = names
            if names != self.holes:
                raise HoleError(
                    "on_complete",
                    ", ".join(sorted({*names} ^ {*self.holes})),
                    "it has words at one time and none at another",
                    "return words for the same terminals whatever was written",
                )
            found = tuple(_freeze(given[name]) for name in names)
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers = {}
            self._answers[written] = found
        return found

    def of(self, words: tuple[tuple[str, ...] | Automaton, ...]) -> Scope:
        """Return the scope of some words for each hole.

        Raises:
            HoleError, TypeError, UnknownSymbolError: they are no words for these holes.
        """
        found = self._scopes.get(words)
        if found is None:
            machine = self._artifact.bind(**dict(zip(self.holes, words, strict=True))).machine
            if not isinstance(machine, HoleMachine):
                raise TypeError(f"the machine of narrowed terminals is a {type(machine).__name__}")
            if len(self._scopes) >= _MOST_ANSWERS:
                self._scopes = {}
            self._n_scopes += 1
            found = self._scopes[words] = Scope(self._n_scopes, words, machine)
        return found


def read_written(spans: Spans, text: bytes) -> Written:
    """Return the captured symbols of a text, in the order in which they were completed."""
    found: list[Span] = []
    while spans is not None:
        span, spans = spans
        found.append(span)
    return tuple(
        (span.name, text[span.start : span.end].decode(errors="replace"))
        for span in reversed(found)
        if span.start != NOWHERE
    )


def _freeze(given: Iterable[str] | Automaton) -> tuple[str, ...] | Automaton:
    """Return words in one order; what are no words is left for :meth:`Artifact.bind` to refuse."""
    if isinstance(given, ByteAutomaton | str | bytes):
        return given  # type: ignore[return-value]
    return tuple(sorted(set(given)))
