"""Restricted terminals whose words depend on what was written before.

A *scope* is an artifact whose holes are narrowed to the words that a function returns for all
captured symbols so far. It is asked once for the same symbols, which are a linked list with hash
consing, and the same words are one scope, whatever was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from weakref import WeakValueDictionary

from maskc.errors import HoleError, WrongTypeError
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes import HoleMachine
from maskc.runtime.holes.stepping import Automaton
from maskc.runtime.link.automata import ByteAutomaton
from maskc.runtime.step_budget import charge_steps, charge_vector_steps

# The captured symbols that were completed, in order: the name, and the text.
Written = tuple[tuple[str, str], ...]
OnComplete = Callable[[Written], Mapping[str, Iterable[str] | Automaton]]

_MOST_SCOPES = 10_000  # that are kept


class Completed:
    """The captured symbols that were completed; the same object for the same symbols."""

    __slots__ = ("__weakref__", "before", "last", "words")

    def __init__(self, before: Completed | None, last: tuple[str, str]) -> None:
        # the symbols before the last one, None if there is none at all; and its name and text
        self.before, self.last = before, last
        # of each hole, as the function answered; None until it was asked
        self.words: tuple[tuple[str, ...] | Automaton, ...] | None = None


class WordScope(NamedTuple):
    """What the holes are narrowed to."""

    number: int  # tells it from other scopes
    machine: HoleMachine  # follows the words


class Scopes:
    """The scopes of one artifact and one function."""

    def __init__(self, artifact: Artifact, on_complete: OnComplete) -> None:
        self._artifact, self._on_complete = artifact, on_complete
        self.holes: tuple[str, ...] = ()  # the names of the holes, in order
        self.nothing = Completed(None, ("", ""))  # no symbol
        self._completed: WeakValueDictionary[tuple[int, str, str], Completed] = (
            WeakValueDictionary()
        )
        # The symbols that the function was asked for last, and as it was given them.
        self._asked: tuple[Completed, Written] = (self.nothing, ())
        self._scopes: dict[tuple[tuple[str, ...] | Automaton, ...], WordScope] = {}
        self._n_scopes = 0
        self.first = self.of(self.answer(self.nothing))  # the scope before the text

    def complete(self, before: Completed, name: str, text: str) -> Completed:
        charge_steps(1)
        charge_vector_steps(len(text))
        # Whoever is in use has the symbols before it: no other object has their address.
        key = (id(before), name, text)
        found = self._completed.get(key)
        if found is None:
            found = self._completed[key] = Completed(before, (name, text))
        return found

    def answer(self, completed: Completed) -> tuple[tuple[str, ...] | Automaton, ...]:
        """Return the words of each hole after some symbols.

        Raises:
            HoleError: the function names other holes than before the text.
            TypeError: it does not return a mapping.
        """
        found = completed.words
        if found is None:
            written = self._list(completed)
            given = self._on_complete(written)
            if not isinstance(given, Mapping):
                raise WrongTypeError(
                    "on_complete returns words by the name of their terminal, such as "
                    f'{{"COLUMN": ["id"]}}, not {type(given).__name__}'
                )
            names = tuple(sorted(given))
            if not written:
                self.holes = names
            if names != self.holes:
                raise HoleError(
                    "on_complete",
                    ", ".join(sorted({*names} ^ {*self.holes})),
                    "it gets words in some calls and none in others",
                    "return words for the same terminals in every call",
                )
            found = completed.words = tuple(_freeze(given[name]) for name in names)
        return found

    def _list(self, completed: Completed) -> Written:
        known, written = self._asked
        added: list[tuple[str, str]] = []
        here: Completed | None = completed
        while here is not None and here is not known:
            added.append(here.last)
            here = here.before
        if here is None:
            written = ()
            added.pop()  # no symbol
        charge_steps(len(added))
        charge_vector_steps(len(written))
        written = (*written, *reversed(added))
        self._asked = (completed, written)
        return written

    def of(self, words: tuple[tuple[str, ...] | Automaton, ...]) -> WordScope:
        """Return the scope of some words for each hole.

        Raises:
            HoleError, TypeError, UnknownSymbolError: they are no words for these holes.
        """
        found = self._scopes.get(words)
        if found is None:
            machine = self._artifact.bind(**dict(zip(self.holes, words, strict=True))).machine
            if not isinstance(machine, HoleMachine):
                raise TypeError(f"the machine of narrowed terminals is a {type(machine).__name__}")
            if len(self._scopes) >= _MOST_SCOPES:
                self._scopes = {}
            self._n_scopes += 1
            found = self._scopes[words] = WordScope(self._n_scopes, machine)
        return found


def _freeze(given: Iterable[str] | Automaton) -> tuple[str, ...] | Automaton:
    """Return words in one order; what are no words is left for :meth:`Artifact.bind` to refuse."""
    if isinstance(given, ByteAutomaton | str | bytes):
        return given  # type: ignore[return-value]
    return tuple(sorted(set(given)))
