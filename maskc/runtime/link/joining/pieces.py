"""What a text is linked of: pieces, each of which reads its own text.

A piece reads byte by byte, says whether it may have ended, and walks the tries of a vocabulary from
where it begins. Everything about what follows it is asked of the rest. The usual pieces are here:
what an automaton reads, a JSON Schema, a token that counts as itself, the end of the sequence.

An *atom* is a token that a text is made of besides bytes: a special token that writes none, or any
other token that is named by its id. The same characters written as text are another thing.

An automaton with counters has a state for each count, too many to number them. So what its piece
knows of a text is the state itself, with exact counts; numbers have only states in which each count
stands for all those that no token tells from it. A mask of the count 3 is the mask of 60,000 if the
bound is 65,536.

Example: ``<|call|>`` as an atom is one token; as text it is eight bytes in some tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from maskc.errors import LimitError
from maskc.runtime.link.automata import MAX_MEGABYTES, START, ByteAutomaton
from maskc.runtime.link.automata.scanning import NO_EXITS, AutomatonScans, Scan, TrieScanner
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.pool import PooledMask
from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.opening import MaskedSchemaMachine
from maskc.runtime.schema.tries import Ints, Trie, Words
from maskc.runtime.schema.tries.summary import Part

MOST_FIRST = 64  # bytes that a piece may begin with, to be looked up ahead
_AFTER = START + 1  # the token of a piece was taken
_NOTHING = Part()


class Piece(ABC):
    """What an expression is made of. Never changes, but for what it caches.

    What is the case for most is said here: only the rest follows, and tokens are their bytes. What
    a piece knows of its text is called ``inner``.
    """

    may_be_empty: bool = False  # whether the empty text is one of its texts
    # bytes outside of which it does not begin, None if that is not known
    first_bytes: frozenset[int] | None = None
    has_turns: bool = False  # whether what follows depends on what it has read, see turn
    has_atoms: bool = False  # whether it takes tokens whatever they write, see take
    counts_tokens: bool = False  # whether it is told where each token begins, see begin_token
    ignores_rest: bool = False  # whether walk finds the same whatever comes after it
    # the end-of-sequence token that alone may end the text in it; None: any one
    end: int | None = None
    # about how much memory it takes before anything is asked of it; 0: next to none
    n_bytes: int = 0

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes by now, without what is cached."""
        return self.n_bytes

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the hypotheses before its first byte, with a rest after it."""
        return (Link(self, START, rest),)

    @abstractmethod
    def step(self, inner: Any, byte: int) -> Sequence[Any]:
        """Return what it knows after one more byte; nothing if the text is illegal."""

    def unite(self, inners: Sequence[Any]) -> Sequence[Any]:
        """Return in fewer parts what it knows in several, of which any may be the case."""
        return inners

    @abstractmethod
    def has_ended(self, inner: Any) -> bool:
        """Return whether the piece may be whole here."""

    def describe(self, inner: Any) -> Hashable:
        """Return all that its future depends on."""
        return inner  # type: ignore[no-any-return]  # what a piece knows is hashable

    def identify(self, inner: Any) -> Hashable:
        """Return a small key: equal only if no text tells; see :class:`Machine`."""
        return inner  # type: ignore[no-any-return]  # likewise

    def turn(self, inner: Any, rest: Rest) -> tuple[Rest, ...]:  # noqa: ARG002
        """Return what else may follow here, where the piece has turned to it."""
        return ()

    def goes_on(self, inner: Any) -> bool:  # noqa: ARG002
        """Return False if the piece reads no more byte, and may not be whole here."""
        return True

    def after(self, label: int, rest: Rest) -> Rest:  # noqa: ARG002
        """Return what follows where a label of a scan is reached."""
        return rest

    def take(self, inner: Any, token_id: int) -> Sequence[Any]:  # noqa: ARG002
        """Return what it knows after a token that it takes as an atom, whatever that writes."""
        return ()

    def atoms(self, inner: Any) -> Iterable[int]:  # noqa: ARG002
        return ()

    def begin_token(self, inner: Any) -> Any:
        """Return what it knows when one more token begins; ``None`` if there may be no more."""
        return inner

    def seen(self, inner: Any) -> Any:
        """Return what no mask tells from what it knows."""
        return inner

    def is_live(self, inner: Any, rest: Rest) -> bool:  # noqa: ARG002
        """Return whether the tokens that are left suffice, where a token ends."""
        return True

    @abstractmethod
    def legal(self, inner: Any, rest: Rest) -> Part:
        """Return the tokens that are legal, those that cross into the rest included.

        The end-of-sequence tokens are not among them.
        """

    @abstractmethod
    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        """Return what it reads from some nodes of a trie on, from its beginning.

        The exits are nodes from which the rest is yet to be walked.
        """


class _Fields(NamedTuple):
    piece: Piece
    inner: Any
    rest: Rest


class Link(_Fields):
    """A hypothesis: the piece that is open, what it knows of its text, and what comes after it."""

    # Of the class, until an object is given its own: most hypotheses are never asked.
    # the tokens that it allows, if they have a number; None: not asked for yet
    mask: PooledMask | None = None


class TokenPiece(Piece):
    """One token of some, at least one; ``words`` is their mask if they are many."""

    has_atoms = True
    first_bytes: frozenset[int] | None = frozenset()

    def __init__(self, ids: Iterable[int], words: Words | None = None) -> None:
        self.ids = frozenset(ids)
        self._part = Part((words,)) if words is not None else Part(few=tuple(sorted(self.ids)))

    def step(self, inner: int, byte: int) -> Sequence[int]:  # noqa: ARG002  # it is no text
        return ()

    def take(self, inner: int, token_id: int) -> Sequence[int]:
        return (_AFTER,) if inner == START and token_id in self.ids else ()

    def atoms(self, inner: int) -> Iterable[int]:
        return self.ids if inner == START else ()

    def has_ended(self, inner: int) -> bool:
        return inner == _AFTER

    def legal(self, inner: int, rest: Rest) -> Part:  # noqa: ARG002  # what follows is another link
        return self._part if inner == START else _NOTHING

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:  # noqa: ARG002
        """Return nothing: it begins where a token begins."""
        return Scan(_NOTHING, NO_EXITS)


class StopPiece(Piece):
    """The end of the sequence by one token, where it is a part of the text: nothing follows it."""

    first_bytes: frozenset[int] | None = frozenset()

    def __init__(self, token_id: int) -> None:
        self.end = self.token_id = token_id

    def step(self, inner: int, byte: int) -> Sequence[int]:  # noqa: ARG002  # the text is over
        return ()

    def has_ended(self, inner: int) -> bool:  # noqa: ARG002
        return True

    def legal(self, inner: int, rest: Rest) -> Part:  # noqa: ARG002
        """Return nothing: an end is legal where the text may end."""
        return _NOTHING

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:  # noqa: ARG002
        return Scan(_NOTHING, NO_EXITS)


class ScannedPiece(Piece):
    """A piece that an automaton over bytes reads, with what is known of the automaton."""

    ignores_rest = True
    automaton: ByteAutomaton[Any]

    def __init__(self, scans: AutomatonScans) -> None:
        self.automaton = automaton = scans.automaton
        self.may_be_empty = automaton.accepts(START)
        first = automaton.moves(START)
        self.first_bytes = frozenset(first) if len(first) <= MOST_FIRST else None
        self._scans = scans

    @property
    def held_bytes(self) -> int:
        return self.n_bytes + self._scans.automaton.n_bytes

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:  # noqa: ARG002
        return self._scans.walk(trie, nodes)


class AutomatonPiece(ScannedPiece):
    """A piece that an automaton reads; what it knows of its text is a state."""

    def step(self, inner: int, byte: int) -> Sequence[int]:
        after = self.automaton.moves(inner).get(byte)
        return () if after is None else (after,)

    def has_ended(self, inner: int) -> bool:
        return self.automaton.accepts(inner)

    def legal(self, inner: int, rest: Rest) -> Part:
        return cross(self._scans.scan(inner, rest.first_bytes), self._scans, rest)


def cross(scan: Scan, scans: AutomatonScans, rest: Rest) -> Part:
    if rest.expression is None or not len(scan.exits):
        return scan.part
    return scans.scanner.unite((scan.part, rest.walk(scans.index.tokens, scan.exits)))


class SchemaPiece(Piece):
    """A JSON Schema. What follows its text stands at the bottom of its machine's stack."""

    def __init__(self, machine: MaskedSchemaMachine) -> None:
        self.machine = machine
        self.first_bytes = machine.may_read(machine.start()[0])

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, self.machine.start_before(rest.capped), rest),)

    def step(self, inner: Configuration, byte: int) -> Sequence[Configuration]:
        after = self.machine.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Configuration) -> bool:
        return self.machine.has_ended(inner)

    def describe(self, inner: Configuration) -> Hashable:
        return self.machine.describe(inner)

    def identify(self, inner: Configuration) -> Hashable:
        return self.machine.identify(inner)

    def legal(self, inner: Configuration, rest: Rest) -> Part:  # noqa: ARG002  # it is in the stack
        return self.machine.masks.legal(inner)

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        """Return what it and its rest read from some nodes on: no exit is left."""
        start = self.machine.start_before(rest.capped)
        return Scan(self.machine.masks.begin(trie, tuple(nodes.tolist()), start), NO_EXITS)


MAX_STATES, MAX_BYTES = 50_000, MAX_MEGABYTES * 1_000_000

_Name = TypeVar("_Name", bound=Hashable)


class CountingAutomaton(ByteAutomaton[_Name]):
    """An automaton over bytes whose states have counters; only capped states have numbers."""

    @abstractmethod
    def read(self, name: _Name, byte: int) -> _Name | None:
        """Return the state after a byte, with exact counts; ``None`` if none follows."""

    @abstractmethod
    def cap(self, name: _Name) -> _Name:
        """Return the state whose counts stand for all that no token tells from these."""

    def fill(self, name: _Name, bytes_: Sequence[int]) -> tuple[list[int], _Name]:  # noqa: ARG002
        """Return bytes that lead nearer to an end as there must be more, and the state after them.

        Of those that may follow a state the first of ``bytes_`` is taken. Here there are none.
        """
        return [], name

    @abstractmethod
    def measure(self, name: _Name) -> int:
        """Return about how many bytes of memory a name takes."""

    def _number(self, name: _Name) -> int:
        if name not in self._numbers:
            if self.n_states >= MAX_STATES:
                raise LimitError("states in the pattern's automaton", MAX_STATES, "simplify it")
            if self.n_bytes >= MAX_BYTES:
                raise LimitError("MB of states of a pattern", MAX_MEGABYTES, "simplify it")
            self.grow(self.measure(name))
        return super()._number(name)


class CountingPiece(ScannedPiece):
    """A piece that an automaton with counters reads; what it knows is the name of a state."""

    automaton: CountingAutomaton[Any]

    def __init__(self, make: Callable[[], CountingAutomaton[Any]], scanner: TrieScanner) -> None:
        super().__init__(AutomatonScans(make(), scanner))
        self._make = make

    @property
    def n_states(self) -> int:
        return self._scans.automaton.n_states

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, self.automaton.name_of(START), rest),)

    def step(self, inner: Any, byte: int) -> Sequence[Any]:
        after = self.automaton.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Any) -> bool:
        return self.automaton.is_accepting(inner)

    def seen(self, inner: Any) -> Any:
        return self.automaton.cap(inner)

    def legal(self, inner: Any, rest: Rest) -> Part:
        automaton = self._scans.automaton
        if automaton.n_states > MAX_STATES // 2 or automaton.n_bytes > MAX_BYTES // 2:
            # Texts need ever new states: those of old ones are forgotten.
            self._scans = AutomatonScans(self._make(), self._scans.scanner)
        scans = self._scans
        state = scans.automaton.state_of(self.automaton.cap(inner))
        part = rest.count_down(scans.automaton.loop_of(state))
        return part or cross(scans.scan(state, rest.first_bytes), scans, rest)
