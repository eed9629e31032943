"""A short text that finishes a linked one.

What is open is finished as soon as it can be, and of what follows all that must come is written,
each part as short as there is one: no blanks, the shortest of some words, of parameters those that
must come, in the order of the schema.

Example: after ``<tool_call>offer<arg_key>ci`` of ``glm_4_7`` it is
``ty</arg_key><arg_value></arg_value></tool_call>``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from maskc.errors import LimitError
from maskc.runtime.budget.values import ShortValues
from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import NO_LABEL, START, ByteAutomaton
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    Leaf,
    Nothing,
    Repetition,
    Rest,
)
from maskc.runtime.link.joining.grammar_piece import MachinePiece
from maskc.runtime.link.joining.pieces import (
    AutomatonPiece,
    Link,
    Piece,
    SchemaPiece,
    StopPiece,
    TokenPiece,
)
from maskc.runtime.link.joining.switching import SwitchPiece
from maskc.runtime.link.plan.members import Members
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.plan.objects import list_bits

# Bytes, and tokens that are written as atoms.
Written = tuple[bytes | int, ...]

_MOST_STATES = 20_000  # of an automaton, for one text
_MOST_TARGETS = 24  # that a text may turn to, of which the shortest is taken
_MOST_PASSES = 2_000
_MOST_REMEMBERED = 5_000
_ENTRY_BYTES = 500
_USUAL = bytes(range(0x20, 0x7F))
_ORDER = {byte: at for at, byte in enumerate(_USUAL)}


class LinkTexts:
    """Short texts of a link.

    Args:
        values_of: returns the short texts of a schema.
        finish_parsed: returns what finishes a text of another machine.

    Attributes:
        n_bytes: about how much is remembered.
    """

    def __init__(
        self,
        values_of: Callable[[SchemaMachine], ShortValues],
        finish_parsed: Callable[[Machine[Any], Hypotheses], bytes | None],
    ) -> None:
        self._values_of, self._finish_parsed = values_of, finish_parsed
        self._known: dict[Hashable, Written | None] = {}
        self.n_bytes = 0

    def _remember(self, key: Hashable, find: Callable[[], Written | None]) -> Written | None:
        """Return what is known of an expression, a rest, or a state; find it if nothing is."""
        if key in self._known:
            return self._known[key]
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
            self.n_bytes = 0
        # One that contains itself is no part of a short text of its own.
        self._known[key] = None
        try:
            found = self._known[key] = find()
        except LimitError:
            del self._known[key]
            raise
        self.n_bytes += _ENTRY_BYTES + size_of(found or ())
        return found

    def finish(self, link: Link) -> Written | None:
        """Return what finishes a text; ``None`` if nothing is known."""
        piece, inner, rest = link
        after = self.rest(rest)
        if after is None:
            return None
        own = self.own(piece, inner)
        return None if own is None else join(own, after)

    def propose(self, link: Link) -> Written:
        """Return the first words of what finishes a text."""
        own = self.own(link.piece, link.inner)
        if own is None:
            return ()
        return own if any(own) else self.rest(link.rest) or ()

    def rest(self, rest: Rest) -> Written | None:
        """Return a short text of what follows; ``None`` if none is known."""
        return self._remember(rest, lambda: self._find_rest(rest))

    def _find_rest(self, rest: Rest) -> Written | None:
        parts: list[Written | None] = []
        while rest.expression is not None and rest.after is not None:
            parts.append(self.text(rest.expression))
            rest = rest.after
        return _join_all(parts)

    def own(self, piece: Piece, inner: Any) -> Written | None:
        """Return what finishes an open piece; ``None`` if nothing is known."""
        if isinstance(piece, BarredSchemaPiece):
            return self.own(piece.piece, inner.schema)
        if isinstance(piece, SchemaPiece):
            return (self._values_of(piece.machine).rest(inner),)
        if isinstance(piece, MachinePiece):
            return self._remember(
                (piece, piece.identify(inner)), lambda: self._finish_machine(piece, (inner,))
            )
        if isinstance(piece, LimitedPiece):
            return self._finish_automaton(piece, piece.automaton, inner.state)
        if isinstance(piece, AutomatonPiece):
            return self._finish_automaton(piece, piece.automaton, inner)
        if isinstance(piece, TokenPiece):
            return () if piece.has_ended(inner) else (min(piece.ids),)
        return () if isinstance(piece, StopPiece) else None

    def _finish_machine(self, piece: MachinePiece, here: Hypotheses) -> Written | None:
        found = self._finish_parsed(piece.machine, here)
        return None if found is None else (found,)

    def text(self, expression: Expression) -> Written | None:
        """Return a short text of an expression; ``None`` if none is known."""
        if expression.may_be_empty:
            return ()
        return self._remember(expression, lambda: self._find_text(expression))

    def _find_text(self, expression: Expression) -> Written | None:
        if isinstance(expression, Nothing):
            return ()
        if isinstance(expression, Leaf):
            return self._begin(expression.piece)
        if isinstance(expression, Concatenation):
            return _join_all([self.text(part) for part in expression.parts])
        if isinstance(expression, Choice):
            return shortest([self.text(part) for part in expression.parts])
        if isinstance(expression, Repetition) and expression.low <= _MOST_PASSES:
            return _join_all([self.text(expression.body)] * expression.low)
        return self._write_members(expression) if isinstance(expression, Members) else None

    def _begin(self, piece: Piece) -> Written | None:
        """Return a short text of a piece."""
        if isinstance(piece, BarredSchemaPiece):
            piece = piece.piece
        if isinstance(piece, SchemaPiece):
            value = self._values_of(piece.machine).value(piece.machine.plan.root)
            return None if value is None else (value,)
        if isinstance(piece, MachinePiece):
            return self._finish_machine(piece, piece.machine.start())
        if isinstance(piece, TokenPiece):
            return (min(piece.ids),)
        if isinstance(piece, AutomatonPiece):
            return self._finish_automaton(piece, piece.automaton, START)
        return () if isinstance(piece, StopPiece) else None

    def _write_members(self, members: Members) -> Written | None:
        """Return the parameters that must come."""
        parameters, seen = members.parameters, members.seen
        counts = parameters.counts
        missing = counts.required & ~seen
        numbers: list[int | None] = [*list_bits(missing)]
        needed = counts.low - seen.bit_count() - len(numbers)
        if needed > 0:
            others = counts.possible & ~seen & ~missing
            more = {n: self.text(parameters.one(n)) for n in list_bits(others)}
            known = [(size_of(text), n) for n, text in more.items() if text is not None]
            numbers += [n for _, n in sorted(known)[:needed]]
            needed -= min(needed, len(known))
            numbers += [None] * needed if counts.has_others else []
        listed = [n for n in numbers if n is not None]
        in_order: list[int | None] = [*sorted(listed)]
        in_order += [None] * (len(numbers) - len(listed))
        return _join_all([self.text(parameters.one(n)) for n in in_order])

    def _finish_automaton(
        self, piece: Piece, automaton: ByteAutomaton[Any], state: int
    ) -> Written | None:
        return self._remember((piece, state), lambda: self._search(piece, automaton, state))

    def _search(self, piece: Piece, automaton: ByteAutomaton[Any], start: int) -> Written | None:
        """Return the shortest text from a state to where an automaton accepts or turns."""
        todo: deque[tuple[int, Written]] = deque([(start, ())])
        seen = {start}
        turned: list[Written | None] = []
        while todo and len(seen) < _MOST_STATES and len(turned) < _MOST_TARGETS:
            state, text = todo.popleft()
            spend(4 + len(text) // 64)
            if isinstance(piece, SwitchPiece) and state != start:
                label = automaton.label(state)
                if label != NO_LABEL:
                    turned.append(_join_all([text, self.text(piece.target(label))]))
            if automaton.accepts(state):
                turned.append(text)
                break
            moves: list[tuple[bytes | int, int]] = [
                (bytes([byte]), after)
                for byte, after in sorted(automaton.moves(state).items(), key=_by_use)
            ]
            if automaton.has_labels:
                moves += sorted(automaton.atoms(state).items())
            for symbol, after in moves:
                if after not in seen:
                    seen.add(after)
                    todo.append((after, join(text, (symbol,))))
        return shortest(turned)


def _by_use(move: tuple[int, int]) -> tuple[int, int]:
    return _ORDER.get(move[0], len(_ORDER)), move[0]


def join(before: Written, after: Written) -> Written:
    """Return one text after the other, bytes side by side as one."""
    if before and after and isinstance(before[-1], bytes) and isinstance(after[0], bytes):
        return (*before[:-1], before[-1] + after[0], *after[1:])
    return before + after


def _join_all(parts: list[Written | None]) -> Written | None:
    found: Written = ()
    for part in parts:
        if part is None:
            return None
        found = join(found, part)
    return found


def size_of(written: Written) -> int:
    """Return how many bytes and atoms there are in a text."""
    return sum(len(part) if isinstance(part, bytes) else 1 for part in written)


def shortest(texts: Iterable[Written | None]) -> Written | None:
    """Return the shortest of some texts; ``None`` if none is known."""
    return min((text for text in texts if text is not None), key=size_of, default=None)
