"""Completions of texts that a parser reads: the open lexeme, and the terminals that must follow.

Of what the open lexeme may become the terminal is taken after which the parser has least left, then
the first terminal of what finishes the stack, and so on. The machine reads each word: where two
lexemes cannot stand side by side, something that is ignored stands between them.

Example: in json after ``[1, tr`` the words are ``ue]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from maskc.ids import (
    DEAD,
    IGNORED,
    ContextId,
    GeneralStateId,
    LalrStateId,
    RefinedStateId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.budget.completions import Texts
from maskc.runtime.budget.derivations import NEVER, Cost, Derivations, Edge, Table
from maskc.runtime.budget.lexemes import Lexemes
from maskc.runtime.effort import spend
from maskc.runtime.glr.gss import Node, StackSet
from maskc.runtime.glr.machine import GlrMachine
from maskc.runtime.holes.stepping import Reading
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.lookaheads import LalrLexeme
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.machine import Hypotheses
from maskc.runtime.scanner import ScannerTables

_MOST_READINGS: Final = 8  # hypotheses that words are looked for of
_MOST_ENDS: Final = 4  # terminals that an open lexeme becomes, of each mask
_STACK_BYTES: Final = 400
_BYTES_PER_COST: Final = 4  # a lexeme costs one and another for so many of its bytes


class _Ended(NamedTuple):
    """A stack, of equal ones one for all, and what finishes it."""

    stack: Stack
    cost: Cost


class _Way(NamedTuple):
    """A way in which the open lexeme ends.

    Attributes:
        n_left: what is left then, as a cost.
        text: what ends it.
        state: of the scanner then.
        terminal: that the lexeme becomes.
        ended: the stack after it.
    """

    n_left: int
    text: bytes
    state: ScannerStateId
    terminal: TerminalId
    ended: _Ended


class ParsedTexts(Texts):
    """Short words of the texts of one parser.

    Args:
        machine: the machine.
        written: the bytes that tokens write.
    """

    def __init__(self, machine: LalrMachine | GlrMachine, written: bytes) -> None:
        self._machine = machine
        self._scanner: ScannerTables = machine.scanner
        self._lexemes = Lexemes(machine.scanner, written)
        self._of_terminal = machine.lookaheads.of_terminal
        self._rests: dict[int, list[tuple[TerminalId, bytes, ScannerStateId]]] = {}
        self.clear()
        costs = {}
        for terminal in range(len(self._of_terminal)):
            n_bytes = self._lexemes.shortest(TerminalId(terminal))
            if n_bytes >= 0:
                costs[terminal] = 1 + n_bytes // _BYTES_PER_COST
        self._newline: TerminalId | None = None
        if isinstance(machine, LalrMachine):
            layout = machine.tables.layout
            if layout is not None:
                # No text writes these: they come with the blanks of a newline.
                costs[layout.indent] = costs[layout.dedent] = 0
                costs.setdefault(layout.newline, 1)
                self._newline = layout.newline
            budget, table = machine.budget, _lalr_table(machine)
        else:
            budget, table = machine.gss.budget, _glr_table(machine)
        self._derivations = Derivations(table, costs, budget)

    def clear(self) -> None:
        """Forget what is remembered of stacks."""
        self._ended: dict[int, _Ended] = {}  # by a number that equal stacks have in common
        self._after: dict[int, dict[TerminalId, _Ended | None]] = {}  # by the stack before
        self._paths: dict[int, Stack] = {}  # of graphs, by the serial of the node on top

    @property
    def n_bytes(self) -> int:  # type: ignore[override]  # it grows
        """About how much is remembered."""
        n_stacks = len(self._ended) + 2 * len(self._after) + len(self._paths)
        return self._lexemes.n_bytes + _STACK_BYTES * n_stacks

    def propose(self, hypotheses: Hypotheses) -> Iterator[bytes]:
        """Yield words that may be next in a short completion, the best first."""
        ways = [way for h in hypotheses[:_MOST_READINGS] for way in self._list_ways(h)]
        for way in sorted(ways, key=lambda each: each.n_left)[:_MOST_ENDS]:
            for word in self._follow(way):
                yield way.text + word
            if way.text:
                yield way.text

    def estimate(self, hypotheses: Hypotheses) -> int:
        """Return about how many bytes are left."""
        return min((way.n_left for h in hypotheses for way in self._list_ways(h)), default=NEVER)

    def _follow(self, way: _Way) -> list[bytes]:
        """Return words for the terminal that follows."""
        stack, cost = way.ended
        if cost.first is None:
            return []
        context = ContextId(0)
        if isinstance(self._machine, LalrMachine):
            context = self._machine.tables.context[RefinedStateId(stack.state)]
        return self._lexemes.words(way.state, way.terminal, context, TerminalId(cost.first))

    def _list_ways(self, hypothesis: Any) -> list[_Way]:
        """Return the ways in which the open lexeme of a hypothesis ends, the best one at least."""
        h = hypothesis.hypothesis if isinstance(hypothesis, Reading) else hypothesis
        found = list[_Way]()
        known = self._after.setdefault(self._number(h), {})
        least = NEVER
        for terminal, text, state in self._list_rests(h.state):
            spend(1)
            if len(text) > least:
                # None that comes after it is shorter.
                break
            if terminal == self._newline:
                found += self._list_lines(h, text)
                continue
            if terminal not in known:
                known[terminal] = self._end(h, terminal)
            ended = known[terminal]
            if ended is not None:
                found.append(_Way(len(text) + ended.cost.n, text, state, terminal, ended))
                least = min(least, found[-1].n_left)
        return found

    def _number(self, h: Any) -> int:
        """Return a number that is that of a hypothesis with an equal stack only."""
        if isinstance(self._machine, LalrMachine):
            return self._machine.stack_numbers.number(h.stack)
        serial: int = h.stacks.serial
        return serial

    def _list_lines(self, h: Hypothesis, rest: bytes) -> Iterator[_Way]:
        """Yield the ways in which a newline whose columns count ends, by its column."""
        machine = self._machine
        if not isinstance(machine, LalrMachine) or self._newline is None:
            return
        for column in dict.fromkeys((0, h.indents[-1] + 1, *reversed(h.indents))):
            ended = machine.lexemes.end(h.stack, h.indents, self._newline, column, ReadSet(0))
            if ended is None:
                continue
            text, before = rest, max(h.column, 0)
            if b"\n" not in text and before > column:
                text = b"\n"
            text += b" " * (column - (0 if b"\n" in text else before))
            state = h.state
            for byte in text:
                state = self._scanner.next(state)[self._scanner.byte_classes[byte]]
            if state != DEAD:
                measured = self._measure(machine.stack_numbers.number(ended[0]), ended[0])
                yield _Way(len(text) + measured.cost.n, text, state, self._newline, measured)

    def _end(self, h: Any, terminal: TerminalId) -> _Ended | None:
        """Return the stack when the open lexeme has become a terminal."""
        machine = self._machine
        if isinstance(machine, LalrMachine):
            ended = machine.lexemes.end(h.stack, h.indents, terminal, h.column, ReadSet(0))
            if ended is None:
                return None
            return self._measure(machine.stack_numbers.number(ended[0]), ended[0])
        stacks: StackSet | None = h.stacks
        if terminal != IGNORED:
            stacks = machine.gss.shift(h.stacks, terminal)
        return None if stacks is None else self._take_one(stacks)

    def _measure(self, number: int, stack: Stack) -> _Ended:
        if number not in self._ended:
            self._ended[number] = _Ended(stack, self._derivations.finish(stack))
        return self._ended[number]

    def _take_one(self, stacks: StackSet) -> _Ended:
        """Return that of some stacks which has the least left, as far as one looks.

        Of the stacks below a node one is kept, that with which least is left.
        """
        todo = [*stacks.tops]
        while todo:
            node = todo[-1]
            missing = [below for below in node.below if below.serial not in self._paths]
            if missing:
                todo += missing
                continue
            todo.pop()
            spend(1 + len(node.below))
            state = RefinedStateId(node.state)
            found = [Stack(state, self._paths[below.serial]) for below in _sorted(node.below)]
            found = found or [Stack(state, None)]
            best = found[0] if len(found) == 1 else min(found, key=self._count_left)
            self._paths[node.serial] = best
        ended = [self._measure(top.serial, self._paths[top.serial]) for top in _sorted(stacks.tops)]
        return min(ended, key=lambda each: each.cost.n)

    def _count_left(self, stack: Stack) -> int:
        return self._derivations.finish(stack).n

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
            if isinstance(lexeme, LalrLexeme) and lexeme.newlines and self._newline is not None:
                found[self._newline] = None
            reached = [t for t in found if self._lexemes.distance(t)[state] >= 0]
            rests = [(t, *self._lexemes.rest(state, t)) for t in reached]
            known = self._rests[state] = sorted(rests, key=lambda each: len(each[1]))
        return known


def _sorted(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda each: each.serial)


def _lalr_table(machine: LalrMachine) -> Table:
    tables, arrays = machine.tables, machine.scanner.arrays
    core = arrays["lalr_state"]
    edges = set[Edge]()
    for kind, label in (("shift", "shift_terminal"), ("goto", "goto_nonterminal")):
        sources = np.repeat(np.arange(len(core)), np.diff(arrays[f"{kind}_first"]))
        symbols = arrays[label].astype(np.int64)
        symbols = symbols if kind == "shift" else -1 - symbols
        rows = np.stack([core[sources], symbols, core[arrays[f"{kind}_state"]]], axis=1)
        edges.update((s, symbol, t) for s, symbol, t in np.unique(rows, axis=0).tolist())
    reduces = {}
    for state in range(len(arrays["lalr_context"])):
        made = set(tables.reduces(LalrStateId(state)).values())
        reduces[state] = {(tables.production_lhs[p], tables.production_length[p]) for p in made}
    ends = machine.lookaheads.end | (tables.layout.dedent_at_end if tables.layout else 0)
    taken = machine.lookaheads.taken
    return Table(
        edges,
        reduces,
        lambda state: tables.lalr_state[state],
        tables.gotos,
        lambda state: bool(taken[state] & ends),
    )


def _glr_table(machine: GlrMachine) -> Table:
    arrays = machine.scanner.arrays
    states = range(len(arrays["general_shift_first"]) - 1)
    edges = set[Edge]()
    for kind, label in (("shift", "terminal"), ("goto", "nonterminal")):
        sources = np.repeat(np.array(states), np.diff(arrays[f"general_{kind}_first"]))
        symbols = arrays[f"general_{kind}_{label}"].astype(np.int64)
        symbols = symbols if kind == "shift" else -1 - symbols
        rows = np.stack([sources, symbols, arrays[f"general_{kind}_state"]], axis=1)
        edges.update((s, symbol, t) for s, symbol, t in rows.tolist())
    tables, end = machine.gss.tables, machine.lookaheads.end
    return Table(
        edges,
        {state: tables.reduces(GeneralStateId(state)) for state in states},
        lambda state: state,
        tables.gotos,
        lambda state: bool(tables.taken[state] & end),
    )
