"""What a text is linked of: pieces, each of which reads its own text.

A piece reads byte by byte, says whether it may have ended, and walks the tries of a vocabulary from
where it begins. Everything about what follows it is asked of the rest. The usual pieces are here:
what an automaton reads, a token that counts as itself, the end of the sequence, and a switch.

An *atom* is a token that a text is made of besides bytes: a special token that writes none, or any
other token that is named by its id. The same characters written as text are another thing.

A *word* is a sequence of symbols: bytes, and tokens that are written as atoms, each as ``ATOM`` +
its id.

A *switch* reads an automaton whose states may have labels: free text with triggers, or one of some
words. Where the state has a label, the text turns to the target of that label: an expression, made
when it is first asked for, so that a request with hundreds of tools compiles the schema of the one
that is called. After it comes what follows the switch; of a switch that loops, the switch again.

Example: ``<|call|>`` as an atom is one token; as text it is eight bytes in some tokens. A switch on
``<f>`` and ``<g>`` with free text around them reads ``so <f>``, and turns to what a call of ``f``
is made of; after the call, text is free again. A switch on the words ``get_time"`` and
``get_weather"`` has the symbols ``t`` and ``w`` left after ``get_``.

Source: TagDispatch of XGrammar 2 (papers/xgrammar2.md, section 3.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from maskc.acyclic import mypyc_attr
from maskc.runtime.link.automata import (
    ATOM,
    NO_LABEL,
    START,
    ByteAutomaton,
    Left,
    SortedWords,
    split_words,
)
from maskc.runtime.link.automata.scanning import NO_EXITS, AutomatonScans, Scan
from maskc.runtime.link.joining.expressions import Expression, Rest
from maskc.runtime.pool import PooledMask
from maskc.runtime.schema.tries import Ints, Trie, Words
from maskc.runtime.schema.tries.summary import Part

if TYPE_CHECKING:
    from maskc.runtime.link.joining import PieceBoundaries

Word = tuple[int, ...]
Target = Callable[[], Expression]

MOST_FIRST = 64  # bytes that a piece may begin with, to be looked up ahead
_AFTER = START + 1  # the token of a piece was taken
_NOTHING = Part()


class Piece:
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


@mypyc_attr(native_class=False)  # it is a tuple
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


class Markers(SortedWords):
    """Reads one of some words of symbols, sorted, each once; it accepts nowhere.

    The number of a word is its label.
    """

    has_labels = True
    words: Sequence[Word]

    def find_moves(self, name: Left) -> dict[int, Left]:
        return {s: left for s, left in split_words(self.words, name).items() if s < ATOM}

    def find_atoms(self, name: Left) -> dict[int, Left]:
        return {s - ATOM: left for s, left in split_words(self.words, name).items() if s >= ATOM}

    def is_accepting(self, name: Left) -> bool:  # noqa: ARG002  # what follows is a target
        return False

    def label_of(self, name: Left) -> int:
        low, _, depth = name
        return low if len(self.words[low]) == depth else NO_LABEL


class SwitchPiece(AutomatonPiece):
    """A piece that turns to the target of a label where its automaton has one."""

    has_turns = True
    has_atoms = True

    def __init__(
        self,
        scans: AutomatonScans,
        boundaries: PieceBoundaries,
        targets: Sequence[Target],
        *,
        loops: bool,
    ) -> None:
        super().__init__(scans)
        self._boundaries = boundaries
        self._targets, self.n_targets, self.loops = targets, len(targets), loops
        self._found: dict[int, Expression] = {}

    def take(self, inner: int, token_id: int) -> Sequence[int]:
        after = self.automaton.atoms(inner).get(token_id)
        return () if after is None else (after,)

    def atoms(self, inner: int) -> Iterable[int]:
        return self.automaton.atoms(inner)

    def goes_on(self, inner: int) -> bool:
        automaton = self.automaton
        return bool(automaton.accepts(inner) or automaton.moves(inner) or automaton.atoms(inner))

    def turn(self, inner: int, rest: Rest) -> tuple[Rest, ...]:
        label = self.automaton.label(inner)
        return () if label == NO_LABEL else (self.after(label, rest),)

    def after(self, label: int, rest: Rest) -> Rest:
        """Return the target of a label, and the rest after it."""
        boundaries = self._boundaries
        if self.loops:
            rest = boundaries.rest(boundaries.as_expression(self), rest)
        return boundaries.rest(self.target(label), rest)

    def target(self, label: int) -> Expression:
        target = self._found.get(label)
        if target is None:
            target = self._found[label] = self._targets[label]()
        return target

    def legal(self, inner: int, rest: Rest) -> Part:
        scan = self._scans.scan(inner, rest.first_bytes)
        atoms = self.automaton.atoms(inner)
        boundaries = self._boundaries
        trie, parts = boundaries.index.tokens, [scan.part]
        if atoms:
            parts.append(Part(few=tuple(sorted(atoms))))
        if rest.expression is not None and len(scan.exits):
            parts.append(rest.walk(trie, scan.exits))
        turned = scan.by_label().items()
        parts += [self.after(label, rest).walk(trie, nodes) for label, nodes in turned]
        return parts[0] if len(parts) == 1 else boundaries.scanner.unite(parts)
