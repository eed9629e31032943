"""Which tokens does a reading allow whose holes follow the text?

As :mod:`maskc.runtime.holes.masks`, with the scope in which each lexeme of a token begins. Most
tokens complete no captured symbol before a lexeme of a hole begins in them: then the mask depends
on the words and on no text, and is remembered by them. Other masks are composed each time.

Example: after ``FROM users`` the token `` WHERE`` completes the table, and no column begins in it;
after ``users`` the token ``.id`` would have to be looked up among the columns of users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.captures.machine import Place, Reading, reader_of
from maskc.captures.scopes import Scope
from maskc.captures.tracing import Parse
from maskc.ids import DEAD, NO_LINE, BoundaryId, ContextId, TerminalId
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.effort import one_mask, spend
from maskc.runtime.holes.masks import count_before, list_asked, unpack
from maskc.runtime.holes.tracks import BEGINNING, OUTSIDE
from maskc.runtime.holes.walks import Exits
from maskc.runtime.holes.walks import Place as Node
from maskc.runtime.lalr.hypothesis import Ended
from maskc.runtime.lalr.machine import LalrMachine, keep_result
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack_cache import BY_LAYOUT, StackCache
from maskc.runtime.schema.tries.trie import ROOT

if TYPE_CHECKING:
    from maskc.captures.following import FollowingMachine

# The lexemes that have ended in a token: the terminal, the node of the trie, and the column.
_Trail = tuple[tuple[TerminalId, int, int], ...]


class FollowingMasks:
    """Composes the masks of readings.

    Args:
        machine: reads texts.
        artifact: of the grammar.
        plain: its own machine.

    Attributes:
        machine, plain: as given.
        index: the tokens.
    """

    def __init__(self, machine: FollowingMachine, artifact: Artifact, plain: LalrMachine) -> None:
        self.machine, self.plain, self.index = machine, plain, artifact.tokens.index
        budget, n_states = artifact.budget, plain.tables.n_states
        self._known, self._by_layout = (StackCache(budget, n_states) for _ in range(2))

    def of(self, reading: Reading) -> PooledMask:
        """Return the tokens that a reading allows."""
        h, spot, scopes = reading.hypothesis, self.machine.spot_of(reading), self.machine.scopes
        completed = self.machine.completed(spot.place.parse.spans, reading.text.between)
        later = scopes.of(scopes.answer(completed))
        key = (h.state, spot.scope.number, spot.track, later.number, h.stack.state)
        found: Any = self._known.find(key, h.stack)
        if found is BY_LAYOUT:
            found = self._by_layout.find((*key, h.column, h.indents), h.stack)
        if found is not None:
            mask: PooledMask = found
            return mask
        reads = ReadSet(h.stack.depth)
        composing = _Composing(self, reading, later, reads)
        with one_mask(self.plain.pool.steps):
            mask = composing.compose()
        if composing.is_lasting:
            reads.layout |= self.plain.counts_columns[h.state]
            keep_result(self._known, self._by_layout, key, h, reads, mask)
        return mask


class _Composing:
    """The composing of one mask.

    Attributes:
        is_lasting: whether no symbol is completed in a token before a lexeme of a hole begins.
    """

    def __init__(
        self, masks: FollowingMasks, reading: Reading, later: Scope, reads: ReadSet
    ) -> None:
        self._machine, self._plain, self._index = masks.machine, masks.plain, masks.index
        self._reading, self._later, self._reads = reading, later, reads
        self._spot = masks.machine.spot_of(reading)
        self.is_lasting = True
        # By the terminals that have ended and their columns: the scope, `None` if the text says.
        self._scopes: dict[tuple[tuple[TerminalId, int], ...], Scope | None] = {}
        self._scopes_of_texts: dict[_Trail, Scope] = {}

    def compose(self) -> PooledMask:
        """Return the mask."""
        h, spot, index = self._reading.hypothesis, self._spot, self._index
        machine, ended = spot.scope.machine, (h.stack, h.indents)
        legal = unpack(self._plain.compose(h, self._reads).words)[index.order]
        kept = np.zeros(len(legal), dtype=np.bool_)
        start = Node(ROOT, h.state, spot.track, h.column)
        if machine.tracks.inside[h.state]:
            asked = legal
            exits = machine.masks.stay(start, ended, kept, self._reads)
        else:
            begun = machine.beginnings.of(h.state)
            asked = legal & begun.tokens
            exits = machine.masks.go_out(begun, start, ended, kept, self._reads)
        if asked.any():
            self._leave([(found, ended, spot.scope, ()) for found in exits], asked, kept)
        words = index.pack(index.order[(legal & ~asked) | (kept & asked)])
        if machine.stepper.may_end(spot.narrowed(), self._reads):
            words = words | self._plain.pool.end_only.words
        return self._plain.pool.share(words)

    def _leave(
        self,
        pending: list[tuple[Exits, Ended, Scope, _Trail]],
        asked: NDArray[np.bool_],
        kept: NDArray[np.bool_],
    ) -> None:
        """Follow what goes on where a lexeme may end, and note the tokens that lead on.

        As :class:`maskc.runtime.holes.masks.HoleMasks` does, exits in one state are left together.
        """
        trie, scanner = self._index.tokens, self._plain.scanner
        n_before, parents = count_before(asked), trie.parent_array
        context, first = self._plain.tables.context, self._later.machine
        may_leave, inside = first.stepper.may_leave, first.tracks.inside
        entered_by: dict[tuple[BoundaryId, ContextId], NDArray[np.bool_]] = {}
        while pending:
            (state, track, column, nodes), (stack, indents), scope, trail = pending.pop()
            children = list_asked(trie, n_before, nodes)
            spend(1 + len(children))
            for terminal, boundary in scanner.ends(state) if len(children) else ():
                if not scope.machine.tracks.allows(track, terminal):
                    continue
                ended = self._plain.lexemes.end(stack, indents, terminal, column, self._reads)
                if ended is None:
                    continue
                key = (boundary, context[ended[0].state])
                row, is_entered = scanner.entry(*key), entered_by.get(key)
                if is_entered is None:
                    is_entered = np.array([row[c] != DEAD for c in scanner.byte_classes])
                    entered_by[key] = is_entered
                counts = first.stepper.counts(ended[0])
                for child in children[is_entered[trie.byte_array[children]]].tolist():
                    byte = trie.bytes[child]
                    entered = row[scanner.byte_classes[byte]]
                    longer = (*trail, (terminal, int(parents[child]), column))
                    begun, moved = scope, OUTSIDE
                    if inside[entered]:
                        begun = self._scope_after(longer)
                        moved = begun.machine.tracks.step(BEGINNING, byte, entered)
                    if not moved and not may_leave[entered]:
                        continue
                    reached = first.stepper.count(NO_LINE, byte, entered) if counts else NO_LINE
                    place = Node(child, entered, moved, reached)
                    exits = begun.machine.masks.stay(place, ended, kept, self._reads)
                    pending += [(found, ended, begun, longer) for found in exits]

    def _scope_after(self, trail: _Trail) -> Scope:
        """Return the scope of a lexeme that begins after others of a token have ended."""
        key = tuple((terminal, column) for terminal, _, column in trail)
        found = self._scopes.get(key) or self._scopes_of_texts.get(trail)
        if found is not None:
            return found
        parse = self._replay(trail)
        before = self._reading.place.parse.spans
        if all(spans is before for spans in self._machine.spans_before(parse, self._reads)):
            self._scopes[key] = self._later
            return self._later
        self.is_lasting = False
        self._scopes[key] = None
        read = reader_of(self._reading.text, self._index.tokens.path(trail[-1][1]))
        scope = self._scopes_of_texts[trail] = self._machine.scope_before(parse, read)
        return scope

    def _replay(self, trail: _Trail) -> Parse:
        """Return the parse after lexemes have ended, with the extents of its symbols."""
        place, length = self._reading.place, self._reading.text.length
        for terminal, node, column in trail:
            at = length + len(self._index.tokens.path(node))
            ended = self._machine.end_lexeme(place._replace(column=column), terminal, at)
            if ended is None:
                raise ValueError("the parser refuses a terminal that it has taken")
            place = Place(place.state, NO_LINE, ended[1], at, ended[0])
        return place.parse
