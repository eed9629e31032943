"""Completions of texts that a parser reads: the open lexeme, and the terminals that must follow.

Of what the open lexeme may become the terminal is taken after which the parser has least left, then
the first terminal of what finishes the stack, and so on. The machine reads each word: where two
lexemes cannot stand side by side, something that is ignored stands between them.

Short lexemes are those whose distance falls with each byte: the distances to the ends of each
terminal are found backwards through the scanner's states, a level at a time.

Example: in json after ``[1, tr`` the words are ``ue]``. After ``sel`` the bytes ``ect`` end the
keyword, and none are needed for a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.sections import read_rows
from maskc.ids import (
    DEAD,
    IGNORED,
    BoundaryId,
    ContextId,
    RefinedStateId,
    ScannerStateId,
    TerminalId,
)
from maskc.levels import spread
from maskc.runtime.budget.completions import Proposal, Texts
from maskc.runtime.budget.derivations import NEVER, Cost, Derivations, DerivationTable
from maskc.runtime.glr import GlrMachine
from maskc.runtime.glr.gss import Stacks, list_nodes
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import ReadSet, Stack
from maskc.runtime.machine import Hypotheses
from maskc.runtime.scanner import ScannerTables
from maskc.runtime.step_budget import charge_steps, charge_vector_steps

_MOST_BYTES: Final = 30_000  # of a lexeme; one that takes more counts as one that never ends
# In this order bytes stand for all that the scanner does not tell from them.
_ORDER: Final = b"a0 \n" + bytes(range(0x21, 0x7F)) + b"\t\r"
_RANK: Final = {byte: at for at, byte in reversed(list(enumerate(_ORDER)))}


class ShortLexemes:
    """The short lexemes of one scanner, of bytes that tokens write."""

    def __init__(self, scanner: ScannerTables, written: bytes) -> None:
        self._scanner = scanner
        self._byte_of: dict[int, int] = {}  # byte class → the byte that stands for it
        for byte in sorted(written, key=_rank):
            self._byte_of.setdefault(scanner.byte_classes[byte], byte)
        table = read_rows(scanner.arrays, "scanner_next")
        table[:, [c for c in range(table.shape[1]) if c not in self._byte_of]] = DEAD
        sources, classes = np.nonzero(table)
        edges = np.unique(table[sources, classes].astype(np.int64) * len(table) + sources)
        targets, self._sources = np.divmod(edges, len(table))
        self._first = np.searchsorted(targets, np.arange(len(table) + 1)).astype(np.int32)
        ends = np.diff(scanner.arrays["end_first"])
        self._end_state = np.repeat(np.arange(len(ends)), ends)
        self._end_terminal = np.asarray(scanner.arrays["end_terminal"])[: len(self._end_state)]
        self._entered = np.unique(read_rows(scanner.arrays, "scanner_entries"))
        self._distances: dict[int, Any] = {}
        self._rests: dict[tuple[int, int], tuple[bytes, ScannerStateId]] = {}
        self._words: dict[tuple[int, int, int], tuple[bytes, ScannerStateId] | None] = {}

    def distance(self, terminal: TerminalId) -> Any:
        """Return of each state the bytes to where a lexeme may end as a terminal; -1: never."""
        known = self._distances.get(terminal)
        if known is None:
            found: NDArray[np.int16] = np.full(len(self._first) - 1, -1, dtype=np.int16)
            level = np.unique(self._end_state[self._end_terminal == terminal])
            n_bytes = 0
            while len(level) and n_bytes < _MOST_BYTES:
                charge_vector_steps(len(level) + 100)
                found[level] = n_bytes
                n_bytes += 1
                _, edges = spread(self._first[level], self._first[level + 1])
                level = np.unique(self._sources[edges])
                level = level[found[level] < 0]
            known = self._distances[terminal] = found.data
        return known

    def shortest(self, terminal: TerminalId) -> int:
        """Return how many bytes a terminal's lexemes have at least; -1: it has none."""
        distance = np.asarray(self.distance(terminal))[self._entered]
        distance = distance[distance >= 0]
        return 1 + int(distance.min()) if len(distance) else -1

    def rest(self, state: ScannerStateId, terminal: TerminalId) -> tuple[bytes, ScannerStateId]:
        """Return the bytes that end an open lexeme as a terminal, and the state then."""
        known = self._rests.get((state, terminal))
        if known is None:
            distance, found, here = self.distance(terminal), bytearray(), state
            while distance[here] > 0:
                _, _, byte, here = min(self._list_moves(self._scanner.next(here), distance))
                found.append(byte)
            known = self._rests[state, terminal] = (bytes(found), here)
        return known

    def word(
        self, boundary: BoundaryId, context: ContextId, terminal: TerminalId
    ) -> tuple[bytes, ScannerStateId] | None:
        """Return a short lexeme after a boundary, and the state then; ``None``: there is none."""
        key = (boundary, context, terminal)
        if key not in self._words:
            row = self._scanner.entry(boundary, context)
            self._words[key] = None
            begun = self._list_moves(row, self.distance(terminal))
            if begun:
                _, _, byte, state = min(begun)
                rest, end = self.rest(state, terminal)
                self._words[key] = (bytes([byte]) + rest, end)
        return self._words[key]

    def _list_moves(
        self, row: Sequence[ScannerStateId], distance: Any
    ) -> list[tuple[int, int, int, ScannerStateId]]:
        """Return the distances of states in a row, with rank and value of the byte to each."""
        charge_steps(1 + len(row) // 16)
        reached = ((row[c], byte) for c, byte in self._byte_of.items() if row[c] != DEAD)
        return [(distance[s], _rank(b), b, s) for s, b in reached if distance[s] >= 0]

    def words(
        self, state: ScannerStateId, ended: TerminalId, context: ContextId, terminal: TerminalId
    ) -> list[bytes]:
        """Return short lexemes after one that has ended, with what is ignored before them."""
        found: dict[bytes, None] = {}
        spaced: dict[bytes, None] = {}
        for first, boundary in self._scanner.ends(state):
            if first == ended:
                word = self.word(boundary, context, terminal)
                if word is not None:
                    found[word[0]] = None
                blank = self.word(boundary, context, IGNORED)
                for again, between in () if blank is None else self._scanner.ends(blank[1]):
                    after = self.word(between, context, terminal) if again == IGNORED else None
                    if blank is not None and after is not None:
                        spaced[blank[0] + after[0]] = None
        return [*found, *spaced]

    @property
    def n_bytes(self) -> int:
        n_words = len(self._rests) + len(self._words)
        return 300 * n_words + 2 * len(self._first) * len(self._distances)


def _rank(byte: int) -> int:
    return _RANK.get(byte, 256)


_MOST_READINGS: Final = 8  # hypotheses that words are looked for of
_MOST_ENDS: Final = 4  # terminals that an open lexeme becomes, of each mask
_STACK_BYTES: Final = 400
_BYTES_PER_COST: Final = 4  # a lexeme costs one and another for so many of its bytes


class _LexemeEnd(NamedTuple):
    """One possible end of the open lexeme."""

    n_left: int  # what is left then, as a cost
    text: bytes  # what ends it
    state: ScannerStateId  # of the scanner then
    terminal: TerminalId  # that the lexeme becomes
    stack: Stack  # after it
    cost: Cost  # of what finishes the stack


class ParsedTexts(Texts):
    """Short words of the texts of one parser, of bytes that tokens write."""

    def __init__(self, machine: LalrMachine | GlrMachine, written: bytes) -> None:
        self._machine = machine
        self._scanner: ScannerTables = machine.scanner
        self._lexemes = ShortLexemes(machine.scanner, written)
        self._of_terminal = machine.lookaheads.of_terminal
        self._rests: dict[int, list[tuple[TerminalId, bytes, ScannerStateId]]] = {}
        costs = {}
        for terminal in range(len(self._of_terminal)):
            n_bytes = self._lexemes.shortest(TerminalId(terminal))
            if n_bytes >= 0:
                costs[terminal] = 1 + n_bytes // _BYTES_PER_COST
        self._newline: TerminalId | None = None
        layout = machine.tables.layout if isinstance(machine, LalrMachine) else None
        if layout is not None:
            # No text writes these: they come with the blanks of a newline.
            costs[layout.indent] = costs[layout.dedent] = 0
            costs.setdefault(layout.newline, 1)
            self._newline = layout.newline
        self._derivations = Derivations(DerivationTable(machine), costs)
        self._paths: dict[int, Stack] = {}  # of graphs, by the number of a set

    def clear(self) -> None:
        self._derivations.clear()
        self._paths.clear()

    @property
    def n_bytes(self) -> int:
        n_bytes = self._lexemes.n_bytes + self._derivations.n_bytes
        return n_bytes + _STACK_BYTES * len(self._paths)

    def propose(self, hypotheses: Hypotheses) -> Iterator[Proposal]:
        ends = [end for h in hypotheses[:_MOST_READINGS] for end in self._list_ends(h)]
        for end in sorted(ends, key=attrgetter("n_left"))[:_MOST_ENDS]:
            for word in (*self._list_words(end), b""):
                yield end.n_left, end.text + word

    def _list_words(self, end: _LexemeEnd) -> list[bytes]:
        if end.cost.first < 0:
            return []
        context = ContextId(0)
        if isinstance(self._machine, LalrMachine):
            context = self._machine.tables.context[RefinedStateId(end.stack.state)]
        return self._lexemes.words(end.state, end.terminal, context, TerminalId(end.cost.first))

    def _list_ends(self, h: Any) -> list[_LexemeEnd]:
        """Return possible ends of the open lexeme of a hypothesis, the best one at least."""
        found = list[_LexemeEnd]()
        least = NEVER
        for terminal, text, state in self._list_rests(h.state):
            charge_steps(1)
            if len(text) > least:
                # None that comes after it is shorter.
                break
            if terminal == self._newline:
                found += self._list_lines(h, text)
                continue
            stack = self._end(
                h, terminal, h.column if isinstance(self._machine, LalrMachine) else 0
            )
            if stack is not None:
                found.append(self._make_end(text, state, terminal, stack))
                least = min(least, found[-1].n_left)
        return found

    def _make_end(
        self, text: bytes, state: ScannerStateId, terminal: TerminalId, stack: Stack
    ) -> _LexemeEnd:
        cost = self._derivations.finish(stack)
        return _LexemeEnd(len(text) + cost.n, text, state, terminal, stack, cost)

    def _list_lines(self, h: Any, rest: bytes) -> Iterator[_LexemeEnd]:
        """Yield the ends of a newline whose columns count, by its column."""
        newline = self._newline
        if newline is None:
            return
        for column in dict.fromkeys((0, h.indents[-1] + 1, *reversed(h.indents))):
            stack = self._end(h, newline, column)
            if stack is None:
                continue
            text, before = rest, max(h.column, 0)
            if b"\n" not in text and before > column:
                text = b"\n"
            text += b" " * (column - (0 if b"\n" in text else before))
            state = h.state
            for byte in text:
                state = self._scanner.next(state)[self._scanner.byte_classes[byte]]
            if state != DEAD:
                yield self._make_end(text, state, newline, stack)

    def _end(self, h: Any, terminal: TerminalId, column: int) -> Stack | None:
        """Return the stack when the open lexeme has become a terminal, at a column of a newline."""
        machine = self._machine
        if isinstance(machine, LalrMachine):
            ended = machine.lexemes.end(h.stack, h.indents, terminal, column, ReadSet(0))
            return None if ended is None else ended[0]
        stacks: Stacks | None = h.stacks
        if terminal != IGNORED:
            stacks = machine.gss.shift(h.stacks, terminal)
        return None if stacks is None else self._take_one(stacks)

    def _take_one(self, stacks: Stacks) -> Stack:
        """Return that of some stacks which has the least left, as far as one looks.

        Of the stacks below a node one is kept, that with which least is left.
        """
        paths, todo = self._paths, [stacks]
        while todo:
            nodes = list_nodes(todo[-1])
            missing = [below for _, below in nodes if below[0] and below[0] not in paths]
            if missing:
                todo += missing
                continue
            charge_steps(1 + len(nodes))
            number = todo.pop()[0]
            if number not in paths:
                found = [Stack(RefinedStateId(s), paths.get(below[0])) for s, below in nodes]
                finish = self._derivations.finish
                paths[number] = found[0] if len(found) == 1 else min(found, key=finish)
        return paths[stacks[0]]

    def _list_rests(self, state: ScannerStateId) -> list[tuple[TerminalId, bytes, ScannerStateId]]:
        """Return what the open lexeme may become, the bytes to there and the state then.

        What takes the fewest bytes comes first.
        """
        known = self._rests.get(state)
        if known is None:
            lexeme = self._machine.lookaheads.open_lexeme(self._scanner.open_lexeme_of[state])
            found = dict.fromkeys(terminal for terminal, _ in self._scanner.ends(state))
            bits = enumerate(self._of_terminal)
            found.update({TerminalId(t): None for t, own in bits if own & lexeme.direct})
            if lexeme.ignored:
                found[IGNORED] = None
            if lexeme.newlines and self._newline is not None:
                found[self._newline] = None
            reached = [t for t in found if self._lexemes.distance(t)[state] >= 0]
            rests = [(t, *self._lexemes.rest(state, t)) for t in reached]
            known = self._rests[state] = sorted(rests, key=lambda each: len(each[1]))
        return known
