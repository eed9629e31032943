"""An artifact whose terminals are narrowed: its machine, and what makes matchers of it.

What a token does and which are legal is cached as in :mod:`maskc.runtime.lalr`, with the
track of the open lexeme beside the scanner's state; masks are numbered in the artifact's own pool.

Example: ``artifact.bind(TABLE=["users", "orders"]).matcher()`` allows after ``FROM `` what begins
``users`` or ``orders``. After ``FROM us`` the mask is found by the scanner's state inside a name,
the track after ``us``, and the state on top of the stack.
"""

from __future__ import annotations

import re
import threading
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from maskc.arguments import as_items
from maskc.errors import HoleError, UnknownSymbolError, WrongTypeError, WrongValueError
from maskc.ids import TerminalId
from maskc.runtime.artifact import Compiled
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.holes.lexemes import Beginnings, LexemeWalks, TerminalLexemes
from maskc.runtime.holes.masks import HoleMasks
from maskc.runtime.holes.stepping import BEGINNING, Automaton, HoleStepper, Tracks
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import (
    Hypotheses,
    Hypothesis,
    HypothesisCache,
    ReadSet,
    find_effect,
    measure_effects,
    pop_and_push,
)
from maskc.runtime.lalr.lexemes import COUNTED
from maskc.runtime.lalr.stepping import Step, Stepper
from maskc.runtime.link.automata import ByteAutomaton, Words
from maskc.runtime.machine import Machine, check_hypotheses
from maskc.runtime.pool import MaskPool, PooledMask
from maskc.runtime.scanner import group_bytes
from maskc.runtime.step_budget import USUAL_STEPS, one_mask
from maskc.runtime.vocabulary import TokenTable

if TYPE_CHECKING:
    from maskc.runtime.artifact import Artifact


class SideMachine:
    """A :class:`maskc.runtime.machine.Machine` with a side automaton beside an artifact's."""

    remedy = "give fewer or shorter words, or load the artifact with more steps"

    def __init__(
        self,
        machine: LalrMachine,
        stepper: Stepper,
        text_of: Callable[[int], bytes | None],
        byte_groups: tuple[bytes, ...],
    ) -> None:
        self.machine, self.stepper, self._text_of = machine, stepper, text_of
        self.pool: MaskPool = machine.pool
        self.byte_groups = byte_groups

    @abstractmethod
    def begin(self, h: Hypothesis) -> Any:
        """Return the side state before the first byte."""

    @abstractmethod
    def mask(self, h: Hypothesis) -> PooledMask:
        """Return the legal tokens."""

    @abstractmethod
    def side_of(self, h: Hypothesis) -> Hashable:
        """Return what the future depends on in addition to the artifact's own hypothesis."""

    def start(self) -> Hypotheses:
        return tuple(with_side(h, self.begin(h)) for h in self.machine.start())

    def step(self, hypotheses: Hypotheses, text: bytes) -> Hypotheses:
        with one_mask(self.pool.steps, self.remedy):
            return self.stepper.step(hypotheses, text, Step(ReadSet(0)))

    def take(self, hypotheses: Hypotheses, token_id: int) -> Hypotheses:
        text = self._text_of(token_id)
        return self.step(hypotheses, text) if text else ()

    def may_end(self, h: Hypothesis) -> bool:
        return self.stepper.may_end(h, ReadSet(0))

    def mask_numbers(self, batch: Iterable[Hypotheses]) -> list[int]:
        return [
            (self.mask(h[0]) if len(h) == 1 else self.pool.unite(map(self.mask, h))).number
            for h in batch
        ]

    def describe(self, h: Hypothesis) -> Hashable:
        return (self.machine.describe(h), self.side_of(h))

    def identify(self, h: Hypothesis) -> Hashable:
        return (self.machine.identify(h), self.side_of(h))


def with_side(h: Hypothesis, side: Any) -> Hypothesis:
    return Hypothesis(h.state, h.stack, h.indents, h.column, side)


class HoleMachine(SideMachine):
    """An artifact's machine with terminals narrowed."""

    stepper: HoleStepper

    def __init__(
        self,
        machine: LalrMachine,
        lexemes: tuple[TerminalLexemes, ...],
        tracks: Tracks,
        beginnings: Beginnings,
        tokens: TokenTable,
        budget: Budget,
    ) -> None:
        # Words tell bytes apart that the scanner does not.
        apart = {byte for automaton in tracks.automata for byte in _bytes_of(automaton)}
        counted = COUNTED if machine.newlines else b""
        groups = group_bytes(machine.scanner.byte_classes, apart=bytes(sorted(apart)) + counted)
        stepper = HoleStepper(machine, lexemes, tracks, budget)
        super().__init__(machine, stepper, tokens.text_of, groups)
        self.tracks = tracks
        walks = LexemeWalks(stepper, tracks, beginnings, tokens.index.tokens, budget)
        self.masks = HoleMasks(machine, stepper, tracks, walks, tokens.index)
        n_states = machine.tables.n_states
        self._effects = HypothesisCache(budget, n_states, measure_effects)
        self._mask_of = HypothesisCache(budget, n_states)

    def begin(self, h: Hypothesis) -> int:  # noqa: ARG002
        return BEGINNING

    def take(self, hypotheses: Hypotheses, token_id: int) -> Hypotheses:
        if len(hypotheses) == 1:
            return self._take(hypotheses[0], token_id)
        after = tuple(after for h in hypotheses for after in self._take(h, token_id))
        check_hypotheses(len(after))
        return after

    def _take(self, h: Hypothesis, token_id: int) -> Hypotheses:
        key = (h.state, h.side, token_id, h.stack.state)
        effects = self._effects.find(key, h)
        if effects is not None:
            return tuple(
                Hypothesis(
                    state,
                    pop_and_push(h.stack, n_popped, pushed),
                    h.indents if indents is None else indents,
                    column,
                    track,
                )
                for (n_popped, pushed, state, indents, column), track in effects
            )
        text = self._text_of(token_id)
        if not text:
            return ()
        reads = ReadSet(h.stack.depth)
        with one_mask(self.pool.steps, self.remedy):
            after = self.stepper.step((h,), text, Step(reads))
        reads.layout |= self.machine.counts_columns[h.state]
        effects = tuple((find_effect(h, x, reads.lowest), x.side) for x in after)
        self._effects.keep(key, h, reads, effects)
        return after

    def mask(self, h: Hypothesis) -> PooledMask:
        key = (h.state, h.side, h.stack.state)
        found: PooledMask | None = self._mask_of.find(key, h)
        if found is None:
            reads = ReadSet(h.stack.depth)
            with one_mask(self.pool.steps, self.remedy):
                found = self.masks.compose(h, reads)
            reads.layout |= self.machine.counts_columns[h.state]
            self._mask_of.keep(key, h, reads, found)
        return found

    def side_of(self, h: Hypothesis) -> Hashable:
        """Return the words' states, which say all about the open lexeme."""
        return self.tracks.states_of(h.side)


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
        if not isinstance(machine, LalrMachine):
            raise HoleError(
                self._name,
                "a terminal",
                "only terminals of an LALR grammar can be restricted",
                "compile the grammar with parser=lalr",
            )
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
        return {name: _read_words(self._name, name, given[name]) for name in sorted(given)}

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
        scanner, trie = self._machine.scanner, artifact.tokens.index.tokens
        beginnings = self._beginnings.get_or_make(
            terminals, lambda: Beginnings(scanner, holes, trie, self._budget)
        )
        made = HoleMachine(
            self._machine, tuple(holes), tracks, beginnings, artifact.tokens, self._budget
        )
        bound = Bound(artifact, made, names)
        with self._lock:
            # Of two threads that bind the same words at once, the first one's stays.
            bound = self._bound.setdefault(key, bound)
            while len(self._bound) > _MOST_BOUND:
                del self._bound[next(iter(self._bound))]
        return bound

    def _find(self, name: str) -> TerminalLexemes:
        """Return the lexemes of a terminal that can be narrowed."""
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


# What can be iterated over and is no list of words.
_NO_LISTS = (str, bytes, bytearray, memoryview)


def _read_words(grammar: str, hole: str, given: Iterable[str] | Automaton) -> Automaton:
    """Return the automaton of what a hole is narrowed to, or refuse it."""
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
    return Words(sorted(words))


def _tell_kinds(hole: str, given: object) -> str:
    taken = "a list of words, or to a pattern of maskc.compile_pattern(…)"
    kind = type(given).__name__
    found, remedy = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}", ""
    if given is None:
        found = "None"
    elif isinstance(given, re.Pattern):
        found, remedy = "one of re.compile", "; give its text to maskc.compile_pattern"
    return f"{hole} is narrowed to {taken}, not to {found}{remedy}"


def _bytes_of(automaton: Automaton) -> bytes:
    """Return the bytes that an automaton may read: those of the words, or all."""
    if isinstance(automaton, Words):
        return bytes(sorted(set(b"".join(automaton.words))))
    return bytes(range(256))
