"""An artifact whose terminals are narrowed: makes matchers, as the artifact does.

Example: ``artifact.bind(TABLE=["users", "orders"]).matcher()`` allows after ``FROM `` what begins
``users`` or ``orders``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from maskc.artifact.sections import is_general, is_link, is_schema
from maskc.errors import HoleError, UnknownSymbolError, WrongValueError
from maskc.ids import TerminalId
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.compiled import Compiled
from maskc.runtime.holes.beginnings import Beginnings
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.holes.machine import HoleMachine
from maskc.runtime.holes.tracks import Automaton, Tracks
from maskc.runtime.holes.words import read_words
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.link.automata.automaton import Words
from maskc.runtime.machine import Machine
from maskc.runtime.step_budget import USUAL_STEPS, one_mask

if TYPE_CHECKING:
    from maskc.runtime.artifact import Artifact

_N_NEAREST = 3
_MOST_BOUND = 64  # of one artifact, which are found again by their words

Given = Iterable[str] | Automaton


class Bound(Compiled):
    """An artifact with terminals narrowed. Immutable.

    Made by :meth:`maskc.Artifact.bind` and :func:`maskc.narrow`.

    Attributes:
        artifact: as given.
        holes: the names of the terminals.
    """

    def __init__(self, artifact: Artifact, machine: Machine[Any], holes: tuple[str, ...]) -> None:
        super().__init__(machine, artifact.tokens, artifact.eos_ids)
        self.artifact, self.holes = artifact, holes

    def __repr__(self) -> str:
        return f"<maskc.Bound {', '.join(self.holes)} of {self.artifact!r}>"


class Binder:
    """Narrows the terminals of one artifact. Safe to use from any thread.

    What does not depend on the words is worked out once; and the same words are found again.

    Args:
        artifact: of an LALR grammar.
        budget: what is cached is charged to.

    Raises:
        HoleError: it is of no such grammar.
    """

    def __init__(self, artifact: Artifact, budget: Budget) -> None:
        grammar = artifact.header.get("grammar")
        self._name = str(grammar.get("name")) if isinstance(grammar, dict) else "<artifact>"
        machine, header = artifact.machine, artifact.header
        if is_schema(header) or is_link(header) or is_general(header):
            raise HoleError(
                self._name,
                "a terminal",
                "only terminals of an LALR grammar can be restricted",
                "compile the grammar with parser=lalr",
            )
        if not isinstance(machine, LalrMachine):
            raise TypeError(f"the machine of an LALR artifact is a {type(machine).__name__}")
        self._artifact, self._machine, self._budget = artifact, machine, budget
        self._terminals: dict[str, TerminalId] = {
            name: TerminalId(number) for number, name in enumerate(header["terminals"]) if number
        }
        self._lexemes: dict[TerminalId, TerminalLexemes] = {}
        self._beginnings = Cache(budget)
        self._bound: dict[object, Bound] = {}  # by the words, newest last
        self._lock = threading.Lock()

    def read(self, given: Mapping[str, Given]) -> dict[str, Automaton]:
        """Return the words of each terminal as an automaton.

        Raises:
            HoleError, TypeError, UnknownSymbolError: as :meth:`maskc.Artifact.bind`.
        """
        for name in given:
            self._find(name)
        return {name: read_words(self._name, name, given[name]) for name in sorted(given)}

    def bind(self, given: Mapping[str, Given]) -> Bound:
        """Return the artifact with terminals narrowed; see :meth:`maskc.Artifact.bind`."""
        if not given:
            raise WrongValueError("bind takes at least one terminal and its words")
        with one_mask(USUAL_STEPS):
            return self._bind(given)

    def _bind(self, given: Mapping[str, Given]) -> Bound:
        artifact, words = self._artifact, self.read(given)
        key = tuple((name, _describe(automaton)) for name, automaton in words.items())
        with self._lock:
            found = self._bound.pop(key, None)
            if found is not None:
                self._bound[key] = found
                return found
        names, automata = tuple(words), list(words.values())
        holes = [self._find(name) for name in names]
        for name, hole, automaton in zip(names, holes, automata, strict=True):
            if not hole.has_words(self._machine.scanner, automaton):
                raise HoleError(
                    self._name,
                    name,
                    "none of its words fits where the grammar may need one",
                    "give more words, or use maskc.narrow",
                )
        terminals = tuple(hole.terminal for hole in holes)
        tracks = Tracks(
            list(zip(terminals, automata, strict=True)),
            [hole.reach for hole in holes],
            self._budget,
        )
        beginnings = self._beginnings.get(terminals)
        if beginnings is None:
            beginnings = Beginnings(
                self._machine.scanner, holes, artifact.tokens.index.tokens, self._budget
            )
            self._beginnings.put(terminals, beginnings)
        made = HoleMachine(
            self._machine,
            tuple(holes),
            tracks,
            beginnings,
            artifact.tokens.index,
            artifact.token_bytes,
            self._budget,
        )
        bound = Bound(artifact, made, names)
        with self._lock:
            # Of two threads that bind the same words at once, the first one's stays.
            bound = self._bound.setdefault(key, bound)
            while len(self._bound) > _MOST_BOUND:
                del self._bound[next(iter(self._bound))]
        return bound

    def _find(self, name: str) -> TerminalLexemes:
        """Return the lexemes of a terminal.

        Raises:
            HoleError: it is ignored, or the indenter's.
            UnknownSymbolError: there is none.
        """
        terminal = self._terminals.get(name)
        if terminal is None:
            nearest = get_close_matches(name, sorted(self._terminals), _N_NEAREST, cutoff=0.3)
            raise UnknownSymbolError(self._name, "terminal", name, tuple(nearest))
        layout = self._machine.tables.layout
        if layout is not None and terminal in (layout.newline, layout.indent, layout.dedent):
            raise HoleError(
                self._name,
                name,
                "the indenter makes blocks of it, and it cannot be narrowed",
                "narrow another terminal",
            )
        found = self._lexemes.get(terminal)
        if found is None:
            found = self._lexemes[terminal] = TerminalLexemes(
                self._artifact.contents, self._machine.tables, terminal
            )
        if not any(found.reach):
            raise HoleError(
                self._name,
                name,
                "no lexeme reaches the parser as this terminal",
                "take it out of %ignore, or narrow a terminal that is used",
            )
        return found


def _describe(automaton: Automaton) -> object:
    """Return what is the same for the same words; an automaton of another kind is itself."""
    return tuple(automaton.words) if isinstance(automaton, Words) else automaton
