"""The kinds of pieces: a regular one, and a JSON Schema; others are in modules of their own.

A piece reads its own text, byte by byte, says whether it may have ended, and walks the tries of a
vocabulary from where it begins. Everything about what follows it is asked of the rest.

A regular piece and a schema are walked by what they are made of.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from maskc.runtime.cache.budget import Budget
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.link.automata.automaton import START, ByteAutomaton
from maskc.runtime.link.automata.automaton_scans import AutomatonScans
from maskc.runtime.link.automata.scanning import NO_EXITS, Scan, Scanner
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.opening import MaskedSchemaMachine
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints, Trie

_MOST_FIRST = 64  # bytes that a piece may begin with, to be looked up ahead


class Piece(Protocol):
    """What an expression is made of. Never changes, but for what it caches.

    Attributes:
        has_turns: whether what follows depends on what it has read, see :meth:`turn`.
        has_atoms: whether it takes tokens whatever they write, see :meth:`take`.
        counts_tokens: whether it is told where each token begins, see :meth:`begin_token`.
        ignores_rest: whether :meth:`walk` finds the same whatever comes after it.
        end: the end-of-sequence token that alone may end the text in it; ``None``: any one.
    """

    end: int | None
    ignores_rest: bool
    has_turns: bool
    has_atoms: bool
    counts_tokens: bool

    @property
    def may_be_empty(self) -> bool:
        """Whether the empty text is one of its texts."""

    @property
    def first_bytes(self) -> frozenset[int] | None:
        """Bytes outside of which it does not begin, ``None`` if that is not known."""

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the hypotheses before its first byte, with a rest after it."""

    def step(self, inner: Any, byte: int, /) -> Sequence[Any]:
        """Return what it knows after one more byte; nothing if the text is illegal."""

    def unite(self, inners: Sequence[Any], /) -> Sequence[Any]:
        """Return in fewer parts what it knows in several, of which any may be the case."""

    def has_ended(self, inner: Any) -> bool:
        """Return whether the piece may be whole here."""

    def describe(self, inner: Any) -> Hashable:
        """Return all that its future depends on."""

    def identify(self, inner: Any) -> Hashable:
        """Return a small key: equal only if no text tells; see :class:`Machine`."""

    def turn(self, inner: Any, rest: Rest, /) -> tuple[Rest, ...]:
        """Return what else may follow here, where the piece has turned to it."""

    def goes_on(self, inner: Any, /) -> bool:
        """Return False if the piece reads no more byte, and may not be whole here."""

    def after(self, label: int, rest: Rest, /) -> Rest:
        """Return what follows where a label of a scan is reached."""

    def take(self, inner: Any, token_id: int, /) -> Sequence[Any]:
        """Return what it knows after a token that it takes as an atom, whatever that writes."""

    def atoms(self, inner: Any, /) -> Iterable[int]:
        """Return the tokens that it takes as atoms."""

    def begin_token(self, inner: Any, /) -> Any:
        """Return what it knows when one more token begins; ``None`` if there may be no more."""

    def seen(self, inner: Any, /) -> Any:
        """Return what no mask tells from what it knows."""

    def is_live(self, inner: Any, rest: Rest, /) -> bool:
        """Return whether the tokens that are left suffice, where a token ends."""

    def legal(self, inner: Any, rest: Rest, /) -> Part:
        """Return the tokens that are legal, those that cross into the rest included.

        The end-of-sequence tokens are not among them.
        """

    def walk(self, trie: Trie, nodes: Ints, rest: Rest, /) -> Scan:
        """Return what it reads from some nodes of a trie on, from its beginning.

        The exits are nodes from which the rest is yet to be walked.
        """


class _Fields(NamedTuple):
    piece: Piece
    inner: Any
    rest: Rest


class Link(_Fields):
    """A hypothesis of a text that is linked of pieces.

    Attributes:
        piece: the piece that is open.
        inner: what it knows of its text.
        rest: what comes after it.
        mask: the tokens that it allows, if they have a number; ``None``: not asked for yet.
    """

    # Of the class, until an object is given its own: most hypotheses are never asked.
    mask: PooledMask | None = None


class PlainPiece:
    """What most pieces have in common: only the rest follows, and tokens are their bytes.

    Attributes:
        n_bytes: about how much memory it takes before anything is asked of it; 0: next to none.
    """

    n_bytes: int = 0
    has_turns = has_atoms = counts_tokens = ignores_rest = False
    end: int | None = None

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes by now, without what is cached."""
        return self.n_bytes

    def identify(self, inner: Any) -> Hashable:
        """Return what is known: it is small."""
        return inner  # type: ignore[no-any-return]  # what a piece knows is hashable

    def unite(self, inners: Sequence[Any]) -> Sequence[Any]:
        """Return what it knows as it is."""
        return inners

    def turn(self, _inner: Any, _rest: Rest) -> tuple[Rest, ...]:
        """Return nothing: only the rest follows."""
        return ()

    def goes_on(self, _inner: Any) -> bool:
        """Return whether the piece may read more: it is not known."""
        return True

    def after(self, _label: int, rest: Rest) -> Rest:
        """Return the rest: there are no labels."""
        return rest

    def take(self, _inner: Any, _token_id: int) -> Sequence[Any]:
        """Return nothing: a token is its bytes."""
        return ()

    def atoms(self, _inner: Any) -> Iterable[int]:
        """Return nothing: a token is its bytes."""
        return ()

    def begin_token(self, inner: Any) -> Any:
        """Return what is known: tokens are not counted."""
        return inner

    def seen(self, inner: Any) -> Any:
        """Return what is known: nothing is counted."""
        return inner

    def is_live(self, _inner: Any, _rest: Rest) -> bool:
        """Return True: tokens are not counted."""
        return True


class AutomatonPiece(PlainPiece):
    """A piece that an automaton over bytes reads; what it knows of its text is a state.

    Args:
        scans: the automaton, and what is known of it.

    Attributes:
        automaton: the automaton.
    """

    ignores_rest = True
    automaton: ByteAutomaton[Any]

    def __init__(self, scans: AutomatonScans) -> None:
        self._set(scans)

    def _set(self, scans: AutomatonScans) -> None:
        self.automaton = automaton = scans.automaton
        self.may_be_empty = automaton.accepts(START)
        first = automaton.moves(START)
        self.first_bytes = frozenset(first) if len(first) <= _MOST_FIRST else None
        self._scans = scans

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes by now, with the states that were made."""
        return self.n_bytes + self.automaton.n_bytes

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis before its first byte."""
        return (Link(self, START, rest),)

    def step(self, inner: int, byte: int) -> Sequence[int]:
        """Return the state after one more byte."""
        after = self.automaton.moves(inner).get(byte)
        return () if after is None else (after,)

    def has_ended(self, inner: int) -> bool:
        """Return whether the automaton accepts."""
        return self.automaton.accepts(inner)

    def describe(self, inner: int) -> Hashable:
        """Return the state."""
        return inner

    def legal(self, inner: int, rest: Rest) -> Part:
        """Return the legal tokens; see :class:`Piece`."""
        scans = self._scans
        scan = scans.scan(inner)
        if rest.expression is None or not len(scan.exits):
            return scan.part
        return scans.scanner.unite((scan.part, rest.walk(scans.index.tokens, scan.exits)))

    def walk(self, trie: Trie, nodes: Ints, _rest: Rest) -> Scan:
        """Return what it reads from some nodes on; see :class:`Piece`."""
        return self._scans.walk(trie, nodes)


class RegularPiece(AutomatonPiece):
    """A piece whose automaton nobody else reads.

    Args:
        automaton: the automaton.
        scanner: of the vocabulary.
        index: the vocabulary.
        budget: what cached rows are charged to.
    """

    def __init__(
        self, automaton: ByteAutomaton[Any], scanner: Scanner, index: TokenIndex, budget: Budget
    ) -> None:
        super().__init__(AutomatonScans(automaton, scanner, index, budget))


class SchemaPiece(PlainPiece):
    """A JSON Schema. What follows its text stands at the bottom of its machine's stack.

    Args:
        machine: of the schema.

    Attributes:
        machine: of the schema.
    """

    may_be_empty = False

    def __init__(self, machine: MaskedSchemaMachine) -> None:
        self.machine = machine
        self.first_bytes = machine.may_read(machine.start()[0])

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis before its first byte."""
        return (Link(self, self.machine.start_before(rest.capped), rest),)

    def step(self, inner: Configuration, byte: int) -> Sequence[Configuration]:
        """Return the configuration after one more byte."""
        after = self.machine.read(inner, byte)
        return () if after is None else (after,)

    def has_ended(self, inner: Configuration) -> bool:
        """Return whether the value is whole."""
        return self.machine.has_ended(inner)

    def describe(self, inner: Configuration) -> Hashable:
        """Return the configuration's description."""
        return self.machine.describe(inner)

    def identify(self, inner: Configuration) -> Hashable:
        """Return the configuration's key."""
        return self.machine.identify(inner)

    def legal(self, inner: Configuration, _rest: Rest) -> Part:
        """Return the legal tokens; see :class:`Piece`."""
        return self.machine.masks.legal(inner)

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        """Return what it and its rest read from some nodes on: no exit is left."""
        start = self.machine.start_before(rest.capped)
        return Scan(self.machine.masks.begin(trie, tuple(nodes.tolist()), start), NO_EXITS)
