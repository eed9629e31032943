"""The machine of a text that is linked of pieces: where one ends and others begin.

A hypothesis, :class:`Link`, is a piece, what the piece knows of its text, and the rest after it.
Wherever the piece may have ended, the entries of its rest are hypotheses as well. A token's text
can end one piece, be others from end to end, and begin the next: it is walked in the trie of the
tokens from the nodes at which a piece may end, once for a rest and these nodes.

All links of a tokenizer share the pieces, what is cached of them, and one pool of numbered masks,
so a mask that one request needed has its number in the next one.

Example: after ``{"a": 1`` in a sequence of a JSON value and ``</tool_call>``, the tokens ``}`` and
``}</`` are legal: ``}`` leads to the end of the value, from where the trie goes on with ``</``.

Source: XGrammar 2, its cross-grammar cache and its lazy compilation (papers/xgrammar2.md).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from operator import attrgetter
from threading import RLock
from typing import Any, Literal
from weakref import WeakValueDictionary

import numpy as np

from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.link.automata import ByteAutomaton, Words
from maskc.runtime.link.automata.loops import Loop, ascending, united, without
from maskc.runtime.link.automata.scanning import AutomatonScans, Scan, TrieScanner
from maskc.runtime.link.joining.counting import Countdown, count_down
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    PieceExpression,
    Repetition,
    Rest,
)
from maskc.runtime.link.joining.pieces import AutomatonPiece, Link, Piece
from maskc.runtime.machine import EVERY_BYTE, check_hypotheses
from maskc.runtime.pool import NO_NUMBER, MaskPool, PooledMask
from maskc.runtime.schema.tries import Ints, TokenIndex, Trie
from maskc.runtime.schema.tries.summary import Mixes, Part
from maskc.runtime.step_budget import charge_steps, charge_vector_steps, one_mask

_FEW_HYPOTHESES = 8
_MANY = 2_000  # nodes that cost as much to look at as the calls that it takes
_FEW_NODES = 256  # that are walked from together
# Depths of the trie, between which more of them are walked from by themselves.
_DEPTHS = (5, 9, *range(17, 130, 8))


class PieceBoundaries:
    """Makes expressions and rests, the same object for the same, and crosses between them."""

    def __init__(self, index: TokenIndex, budget: Budget) -> None:
        self.index, self.scanner = index, TrieScanner(index, budget)
        # A piece that is entered reads a byte at least.
        self._most_passes = len(index.tokens.levels)
        self._expressions: WeakValueDictionary[Any, Expression] = WeakValueDictionary()
        self._rests: WeakValueDictionary[Any, Rest] = WeakValueDictionary()
        # (rest, whether it is the trie of suffixes, nodes) → part
        self._walks = Cache(budget, lambda key, part: ENTRY_BYTES + len(key[2]) + part.n_bytes)
        # (ends, component, rest) → what is legal, False if that is not known
        self._countdowns = Cache(
            budget,
            lambda key, known: ENTRY_BYTES + 8 * len(key[0]) + (known.n_bytes if known else 0),
        )
        self._lock = RLock()
        self.end, self.nothing = Rest(None, None, self), Concatenation(())
        # Of a text that may end here, with nothing of it open.
        self.ended = self.regular(Words([b""])).start(self.end)[0]

    def regular(self, automaton: ByteAutomaton[Any]) -> AutomatonPiece:
        return AutomatonPiece(AutomatonScans(automaton, self.scanner))

    def as_expression(self, piece: Piece) -> Expression:
        return self.intern((PieceExpression, piece), lambda: PieceExpression(piece))

    def sequence(self, parts: Sequence[Expression]) -> Expression:
        key = tuple(part for part in parts if part is not self.nothing)
        if len(key) < 2:
            return key[0] if key else self.nothing
        return self.intern((Concatenation, key), lambda: Concatenation(key))

    def choice(self, parts: Iterable[Expression]) -> Expression:
        """Return that of one of several parts; there is at least one."""
        key = tuple(dict.fromkeys(parts))
        return key[0] if len(key) == 1 else self.intern((Choice, key), lambda: Choice(key))

    def repetition(self, body: Expression, low: int, high: int | None) -> Expression:
        """Return that of a body repeated; ``high`` is at least 1, ``None`` without a bound."""
        if body.may_be_empty:
            low = 0  # passes that are missing may be empty ones
        if (low, high) == (1, 1):
            return body
        return self.intern((Repetition, body, low, high), lambda: Repetition(body, low, high))

    def intern(self, key: Any, make: Callable[[], Expression]) -> Expression:
        with self._lock:
            found = self._expressions.get(key)
            if found is None:
                found = self._expressions[key] = make()
        return found

    def rest(self, expression: Expression, after: Rest) -> Rest:
        key = (expression, after)
        with self._lock:
            found = self._rests.get(key)
            if found is None:
                found = self._rests[key] = Rest(expression, after, self)
        return found

    def cap(self, rest: Rest) -> Rest:
        """Return the rest with counts that are no larger than the longest token."""
        chain, here = [], rest
        while here.after is not None:
            chain.append(here.expression)
            here = here.after
        most = self._most_passes
        capped = self.end
        for expression in reversed(chain):
            assert expression is not None  # noqa: S101  # it has a rest after it
            if isinstance(expression, Repetition):
                high = expression.high
                expression = self.repetition(
                    expression.body,
                    min(expression.low, most),
                    None if high is None or high > most else high,
                )
            capped = self.rest(expression, capped)
        return capped

    def walk(self, rest: Rest, trie: Trie, nodes: Ints) -> Part:
        """Return the texts of a trie with which a rest goes on from some of its nodes."""
        if len(nodes) > _MANY:
            # Other texts end there, and the same go on.
            nodes = self.scanner.onward(trie, rest.first_bytes).of(nodes)
        if len(nodes) <= _FEW_NODES:
            return self._walk_once(rest, trie, nodes)
        # Nodes that differ little, as those after a counted loop, mostly differ in the deep ones.
        bounds = [trie.levels[depth] for depth in _DEPTHS if depth < len(trie.levels)]
        cuts = [0, *np.searchsorted(nodes, bounds).tolist(), len(nodes)]
        return self.scanner.unite(
            [
                self._walk_once(rest, trie, nodes[first:last])
                for first, last in pairwise(cuts)
                if first < last
            ]
        )

    def count_down(self, loop: Loop, rest: Rest) -> Part | None:
        """Return what is legal in a loop without ways out, ``None`` if it is not known at once."""
        reader = self.scanner.reader_of(loop)
        if reader is None:
            return None
        key = (loop.list_ends(), loop.component.key, rest)
        known: Countdown | Literal[False] = self._countdowns.get_or_make(
            key, lambda: count_down(self, reader, loop, rest) or False
        )
        return known.legal(self.index, *loop.bounds_after(loop.count)) if known else None

    def _walk_once(self, rest: Rest, trie: Trie, nodes: Ints) -> Part:
        key = (rest, trie is self.index.suffixes, nodes.tobytes())
        return self._walks.get_or_make(key, lambda: self._walk(rest, trie, nodes))

    def _walk(self, rest: Rest, trie: Trie, nodes: Ints) -> Part:
        # Invariant: a rest that is open at a node has not been followed from there.
        parts: list[Part] = []
        open_: dict[Rest, Ints] = {rest: nodes}
        followed: dict[Rest, Ints] = {}
        while open_:
            # What has most after it comes first: others may still lead to what it leads to.
            here = max(open_, key=attrgetter("depth"))
            new = open_.pop(here)
            known = followed.get(here)
            if known is not None:
                new = without(new, known, len(trie.bytes))
                if not len(new):
                    continue
            followed[here] = new if known is None else united(known, new)
            scans: dict[Piece, Scan] = {}
            for piece, after in here.entries:
                scan = scans.get(piece)
                if scan is None:
                    begins = self.scanner.onward(trie, piece.first_bytes).of(new)
                    charge_vector_steps(_MANY + len(new) + len(begins))
                    if not len(begins):
                        continue
                    scan = piece.walk(trie, begins, after)
                    parts.append(scan.part)
                    if piece.ignores_rest:
                        scans[piece] = scan
                charge_vector_steps(_MANY + len(scan.exits))
                if len(scan.exits):
                    _open(open_, after, scan.exits)
                for label, found in scan.by_label().items():
                    charge_vector_steps(_MANY + len(found))
                    reached = ascending(np.array(found, dtype=np.int32))
                    _open(open_, piece.after(label, after), reached)
        return self.scanner.unite(parts)

    def step(self, here: tuple[Link, ...], text: bytes) -> tuple[Link, ...]:
        """Return the hypotheses after some bytes; none if the text is illegal."""
        for byte in text:
            charge_steps(len(here))
            found: dict[Link, None] = {}
            for piece, inner, rest in here:
                for after in piece.step(inner, byte):
                    self._reach(found, piece, after, rest)
            here = tuple(found)
            if len(here) > _FEW_HYPOTHESES:
                here = self._distinct(here)
            check_hypotheses(len(here))
        return here

    def take(self, here: tuple[Link, ...], token_id: int) -> tuple[Link, ...]:
        """Return the hypotheses after a token that pieces take as an atom; none if none does."""
        found: dict[Link, None] = {}
        for piece, inner, rest in here:
            if piece.has_atoms:
                for after in piece.take(inner, token_id):
                    self._reach(found, piece, after, rest)
        check_hypotheses(len(found))
        return tuple(found)

    def _reach(self, found: dict[Link, None], piece: Piece, inner: Any, rest: Rest) -> None:
        """Add a hypothesis, those of what it has turned to, and of what follows where it ends."""
        if piece.has_turns:
            for other in piece.turn(inner, rest):
                found.update(dict.fromkeys(other.starts))
                if other.may_be_empty:
                    found[self.ended] = None
            if not piece.goes_on(inner):
                return
        found[Link(piece, inner, rest)] = None
        if rest.expression is not None and piece.has_ended(inner):
            found.update(dict.fromkeys(rest.starts))

    def _distinct(self, here: tuple[Link, ...]) -> tuple[Link, ...]:
        """Return hypotheses of which no two have the same future.

        Where a grammar is ambiguous its readings multiply, as long as they are read apart.
        """
        inners: dict[tuple[Piece, Rest], list[Any]] = {}
        for piece, inner, rest in here:
            inners.setdefault((piece, rest), []).append(inner)
        found = {
            (piece, piece.identify(inner), rest): Link(piece, inner, rest)
            for (piece, rest), several in inners.items()
            for inner in piece.unite(several)
        }
        return tuple(found.values())


def _open(open_: dict[Rest, Ints], rest: Rest, nodes: Ints) -> None:
    if rest.expression is not None:
        known = open_.get(rest)
        open_[rest] = nodes if known is None else united(known, nodes)


class LinkResults:
    """What the links of a tokenizer cache together, charged to the budget of its boundaries.

    ``text_of`` returns the bytes of a token, ``None`` if it writes no text.
    """

    def __init__(
        self, boundaries: PieceBoundaries, pool: MaskPool, text_of: Callable[[int], bytes | None]
    ) -> None:
        self.boundaries, self.pool, self.text_of = boundaries, pool, text_of
        self.budget = budget = boundaries.scanner.budget
        # (hypotheses, token) → hypotheses
        self.moves = Cache(budget, lambda _, found: ENTRY_BYTES * (1 + len(found)))
        self.masks = Cache(budget)  # (piece, what it knows, capped rest) → mask
        # Many configurations of many texts leave the same tokens.
        self.mixes = Mixes(boundaries.index, pool, budget)


class LinkMachine:
    """A :class:`maskc.runtime.machine.Machine` for a text that is linked of pieces."""

    def __init__(self, root: Rest, results: LinkResults) -> None:
        self._results, self.boundaries, self.pool = results, results.boundaries, results.pool
        self.root = root
        self.byte_groups = EVERY_BYTE
        self._start = root.starts
        if root.may_be_empty and not any(map(self.may_end, self._start)):
            # Where the whole text may be empty, it has ended before its first byte.
            self._start += (results.boundaries.ended,)

    def start(self) -> tuple[Link, ...]:
        return self._start

    def take(self, hypotheses: tuple[Link, ...], token_id: int) -> tuple[Link, ...]:
        key = (hypotheses, token_id)
        found: tuple[Link, ...] | None = self._results.moves.get(key)
        if found is None:
            text = self._results.text_of(token_id)
            found = self.step(hypotheses, text) if text else ()
            if any(hypothesis.piece.has_atoms for hypothesis in hypotheses):
                atoms = self.boundaries.take(hypotheses, token_id)
                found = tuple(dict.fromkeys((*found, *atoms)))
                check_hypotheses(len(found))
            self._results.moves.put(key, found)
        return found

    def begin(self, hypotheses: tuple[Link, ...], text: bytes) -> tuple[Link, ...]:
        """Return the hypotheses after some bytes that begin one more token."""
        if any(hypothesis.piece.counts_tokens for hypothesis in hypotheses):
            begun = [(h, h.piece.begin_token(h.inner)) for h in hypotheses]
            hypotheses = tuple(Link(h.piece, i, h.rest) for h, i in begun if i is not None)
        return self.boundaries.step(hypotheses, text)

    def list_atoms(self, hypotheses: tuple[Link, ...]) -> list[int]:
        """Return the tokens that are taken as atoms, whatever they write, in order."""
        return sorted({t for piece, inner, _ in hypotheses for t in piece.atoms(inner)})

    def step(self, hypotheses: tuple[Link, ...], text: bytes) -> tuple[Link, ...]:
        with one_mask(self.pool.steps):
            found = self.begin(hypotheses, text)
        if any(hypothesis.piece.counts_tokens for hypothesis in found):
            found = tuple(h for h in found if h.piece.is_live(h.inner, h.rest))
        return found

    def may_end(self, hypothesis: Link) -> bool:
        return hypothesis.rest.may_be_empty and hypothesis.piece.has_ended(hypothesis.inner)

    def mask(self, hypothesis: Link) -> PooledMask:
        known = hypothesis.mask
        if known is not None:
            return known
        piece, inner, rest = hypothesis
        inner = piece.seen(inner)
        capped = rest.capped
        key = (piece, inner, capped)
        found: PooledMask | None = self._results.masks.get(key)
        if found is None:
            ends: tuple[int, ...] = ()
            with one_mask(self.pool.steps):
                part = piece.legal(inner, capped)
                if self.may_end(hypothesis):
                    ends = self.pool.eos_ids if piece.end is None else (piece.end,)
            found = self._results.mixes.mask(part.rows, part.few, part.removed, ends)
            self._results.masks.put(key, found)
        if found.number != NO_NUMBER:
            hypothesis.mask = found  # the pool keeps it for good
        return found

    def mask_numbers(self, batch: Iterable[tuple[Link, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 for one without a number."""
        return [
            self.mask(here[0]).number if len(here) == 1 else self._mask_all(here).number
            for here in batch
        ]

    def _mask_all(self, here: tuple[Link, ...]) -> PooledMask:
        known = [hypothesis.mask for hypothesis in here]
        masks = [mask for mask in known if mask is not None]
        if len(masks) == len(here):
            return self.pool.unite(masks)
        with one_mask(self.pool.steps):
            return self.pool.unite(map(self.mask, here))

    def describe(self, hypothesis: Link) -> Hashable:
        return (hypothesis.piece, hypothesis.piece.describe(hypothesis.inner), hypothesis.rest)

    def identify(self, hypothesis: Link) -> Hashable:
        return (hypothesis.piece, hypothesis.piece.identify(hypothesis.inner), hypothesis.rest)
