"""Boundaries: the terminals that can be lexed next, where one lexeme has ended.

The boundary after a lexeme restricts what may follow: after ``def`` no NAME can start at
once, because ``re`` would have read it as part of the same lexeme, but a blank can, and a NAME
after it. We compute, for a boundary and a context, the *rest*: the terminals that can come
next, across any ignored lexemes, each with the boundary it leaves.

To the parser a boundary is only what it allows. Boundaries of one terminal that allow the same
are one *boundary class*, by partition refinement, and a *lookahead* is a terminal with its
class. In most grammars every terminal has one class: then lookaheads are terminals, and the
lexer forbids nothing. In a grammar without blanks where NAME may follow NAME they differ,
and :mod:`maskc.compiler.lalr.completion` finds out which stacks are dead.

Indentation adds lookaheads that no lexeme carries: after a newline INDENT, or DEDENTs, or
neither; at the end of the text DEDENTs, then ``$END``. Between brackets a newline is dropped as
an ignored lexeme is. So what can come next depends on a *layout context*: a context,
outside of brackets or between them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from maskc import bits
from maskc.grammar import LexerSpec
from maskc.ids import (
    AT_END,
    END,
    IGNORED,
    NO_LOOKAHEAD,
    BoundaryId,
    LookaheadId,
    OpenLexemeId,
    ScannerStateId,
    TerminalId,
)
from maskc.lexer import End, Scanner, contexts_after
from maskc.lexer.columns import ColumnTable
from maskc.regular.partition import refine_by_signature

Lookaheads = int  # bit set


@dataclass(frozen=True, slots=True)
class PartialLexeme:
    """What an open lexeme may still become."""

    direct: Lookaheads  # lookaheads of terminals that go to the parser, newlines excepted
    ignored: tuple[BoundaryId, ...]  # boundaries after an ignored terminal it may become
    newlines: tuple[BoundaryId, ...]  # boundaries after a newline it may become (indentation only)
    columns: int  # the columns such a newline may end at, NO_COLUMNS without newlines


@dataclass(frozen=True, slots=True)
class LexemeContexts:
    """Lookaheads, and what the lexer allows where."""

    n_lookaheads: int  # how many there are; bit sets have so many bits
    n_contexts: int  # how many contexts there are
    n_layout_contexts: int  # as many, or twice as many with indentation
    of_terminal: Mapping[int, tuple[LookaheadId, ...]]  # terminal → its lookaheads
    number: Mapping[End, LookaheadId]  # an end that reaches the parser → lookahead
    # boundary → layout context → lookaheads that can be lexed next
    rest: tuple[tuple[Lookaheads, ...], ...]
    open_lexemes: tuple[PartialLexeme, ...]  # distinct ones
    open_lexeme_of: tuple[OpenLexemeId, ...]  # scanner state → open lexeme
    # lookahead → layout context → lookaheads that can come after it
    follows: tuple[tuple[Lookaheads, ...], ...]

    def layout_context(self, context: int, *, enclosed: bool) -> int:
        """Return the number of a context outside of brackets, which is its own, or between them."""
        return context + self.n_contexts if enclosed else context

    def follow(self, lookahead: LookaheadId, context: int, *, enclosed: bool) -> Lookaheads:
        return self.follows[lookahead][self.layout_context(context, enclosed=enclosed)]

    def first(
        self, state: ScannerStateId, context: int = 0, newline: TerminalId | None = None
    ) -> Lookaheads:
        """Return the lookaheads that a text can begin with, its end aside.

        Args:
            state: the scanner's, before the first byte.
            context: which the parser names first.
            newline: the terminal that ends a line, with indentation.
        """
        opened = self.open_lexemes[self.open_lexeme_of[state]]
        layout_context = self.layout_context(context, enclosed=False)
        found = opened.direct
        for boundary in opened.ignored:
            found |= self.rest[boundary][layout_context]
        if newline is not None:
            ends = (End(newline, boundary) for boundary in opened.newlines)
            found |= bits.from_members({self.number[end] for end in ends})
        return found

    def set_of(self, terminal: int) -> Lookaheads:
        """Return the lookaheads of a terminal as a set, empty if nothing is lexed as it."""
        return bits.from_members(self.of_terminal.get(terminal, ()))

    @property
    def everything(self) -> Lookaheads:
        return (1 << self.n_lookaheads) - 1

    @property
    def end(self) -> Lookaheads:
        """The lookahead ``$END`` as a set."""
        return self.set_of(END)


def build_boundaries(lexer: LexerSpec, scanner: Scanner, columns: ColumnTable) -> LexemeContexts:
    nodes, bit = _number_nodes(lexer, scanner)
    reach = _reachable_ends(scanner, bit)
    n_contexts = len(lexer.contexts)
    n_layout_contexts = 2 * n_contexts if lexer.layout else n_contexts
    rest = _compute_rests(lexer, scanner, nodes, reach)
    follows = [_follow(lexer, bit, rest, node, n_layout_contexts) for node in nodes]
    class_of = _refine(lexer, nodes, follows)
    lookahead_of, n_lookaheads = _number_lookaheads(nodes, class_of)

    cache: dict[int, Lookaheads] = {}

    def to_lookaheads(fine: int) -> Lookaheads:
        if fine not in cache:
            cache[fine] = sum(
                {1 << lookahead_of[i] for i in bits.iterate(fine) if nodes[i][0] != IGNORED}
            )
        return cache[fine]

    rows: dict[int, tuple[Lookaheads, ...]] = {}

    def to_row(fine: list[int]) -> tuple[Lookaheads, ...]:
        # Most ends share the row of their boundary.
        if id(fine) not in rows:
            rows[id(fine)] = tuple(map(to_lookaheads, fine))
        return rows[id(fine)]

    number = {node: lookahead_of[i] for i, node in enumerate(nodes) if node[0] != IGNORED}
    of_terminal: dict[int, set[LookaheadId]] = {}
    for (terminal, _), lookahead in number.items():
        of_terminal.setdefault(terminal, set()).add(lookahead)
    lookahead_follows = [(0,) * n_layout_contexts] * n_lookaheads
    for i, node in enumerate(nodes):
        if node[0] != IGNORED:
            lookahead_follows[lookahead_of[i]] = to_row(follows[i])
    open_lexemes, open_lexeme_of = _build_open_lexemes(lexer, nodes, reach, columns, to_lookaheads)
    return LexemeContexts(
        n_lookaheads=n_lookaheads,
        n_contexts=n_contexts,
        n_layout_contexts=n_layout_contexts,
        of_terminal=MappingProxyType(
            {t: tuple(sorted(lookaheads)) for t, lookaheads in sorted(of_terminal.items())}
        ),
        number=MappingProxyType(number),
        rest=tuple(map(to_row, rest)),
        open_lexemes=open_lexemes,
        open_lexeme_of=open_lexeme_of,
        follows=tuple(lookahead_follows),
    )


def _number_nodes(lexer: LexerSpec, scanner: Scanner) -> tuple[list[End], dict[End, int]]:
    found = {End(END, AT_END)}
    for ends in scanner.ends:
        found.update(ends)
    if lexer.layout:
        newline, indent, dedent = (lexer.layout.newline, lexer.layout.indent, lexer.layout.dedent)
        for terminal, boundary in list(found):
            if terminal == newline:
                found |= {End(indent, boundary), End(dedent, boundary)}
        found.add(End(dedent, AT_END))
    nodes = sorted(found)
    return nodes, {node: i for i, node in enumerate(nodes)}


def _reachable_ends(scanner: Scanner, bit: dict[End, int]) -> list[int]:
    """Return, per state, the ends that some bytes lead to without leaving the lexeme."""
    reach = [bits.from_members(bit[end] for end in ends) for ends in scanner.ends]
    before: list[set[int]] = [set() for _ in reach]
    for state, row in enumerate(scanner.next):
        for target in set(row.tolist()) - {0, state}:
            before[target].add(state)
    pending = [state for state, ends in enumerate(reach) if ends]
    while pending:
        state = pending.pop()
        for earlier in before[state]:
            joined = reach[earlier] | reach[state]
            if joined != reach[earlier]:
                reach[earlier] = joined
                pending.append(earlier)
    return reach


def _compute_rests(
    lexer: LexerSpec, scanner: Scanner, nodes: list[End], reach: list[int]
) -> list[list[int]]:
    """Return, by boundary and layout context, the ends of the lexemes that can come next.

    ``rest[boundary][layout_context]`` is a set of indices of ``nodes``. First come all contexts
    outside of brackets, then, with indentation, all contexts between them: a loop for each.

    ``reach`` is scanner state → the ends, as a set of indices of ``nodes``, that a lexeme in this
    state can still come to.
    """
    of_entry = [bits.unite(reach[state] for state in set(row.tolist())) for row in scanner.entries]
    at_end = bits.from_members(i for i, (_, boundary) in enumerate(nodes) if boundary == AT_END)
    dropped = [{IGNORED}]
    if lexer.layout:
        dropped.append({IGNORED, lexer.layout.newline})
    rest: list[list[int]] = [[] for _ in scanner.closed]
    for terminals in dropped:
        left_by = {i: b for i, (terminal, b) in enumerate(nodes) if terminal in terminals}
        for context in range(len(lexer.contexts)):
            direct = [of_entry[entry] for entry in scanner.enter[:, context].tolist()]
            direct = [
                ends | (at_end if closed else 0)
                for ends, closed in zip(direct, scanner.closed, strict=True)
            ]
            for boundary, ends in enumerate(_cross(direct, left_by)):
                rest[boundary].append(ends)
    return rest


def _cross(direct: Sequence[int], left_by: Mapping[int, BoundaryId]) -> Iterator[int]:
    """Yield, for each boundary, the ends that can come next across any dropped lexemes.

    Args:
        direct: boundary → the ends of the lexemes that can come right after it.
        left_by: end of a dropped lexeme → the boundary that it leaves.
    """
    dropped = bits.from_members(left_by)
    for boundary in range(len(direct)):
        # Invariant: ``found`` has the direct ends of each boundary that was reached and is not
        # pending; boundaries are reached by dropping one lexeme after the other.
        found, reached, pending = 0, {boundary}, [boundary]
        while pending:
            here = direct[pending.pop()]
            found |= here
            for end in bits.iterate(here & dropped):
                if left_by[end] not in reached:
                    reached.add(left_by[end])
                    pending.append(left_by[end])
        yield found & ~dropped


def _follow(
    lexer: LexerSpec,
    bit: Mapping[End, int],
    rest: list[list[int]],
    node: End,
    n_layout_contexts: int,
) -> list[int]:
    """Return, by layout context, the ends that can come after one.

    It is the list of the boundary itself, not a copy, if nothing is added to it.
    """
    terminal, boundary = node
    layout = lexer.layout
    if terminal == END:
        return [0] * n_layout_contexts
    if boundary == AT_END:
        return [1 << bit[End(END, AT_END)] | 1 << bit[node]] * n_layout_contexts
    more = 0
    if layout and terminal in (layout.newline, layout.dedent):
        more |= 1 << bit[End(layout.dedent, boundary)]
    if layout and terminal == layout.newline:
        more |= 1 << bit[End(layout.indent, boundary)]
    return [ends | more for ends in rest[boundary]] if more else rest[boundary]


def _refine(lexer: LexerSpec, nodes: list[End], follows: list[list[int]]) -> list[int]:
    """Return the class of each node: the coarsest partition that terminal and follow respect."""
    n_contexts = len(lexer.contexts)
    after = {
        terminal: [
            first + context
            for first in range(0, len(follows[0]), n_contexts)
            for context in sorted(contexts)
        ]
        for terminal, contexts in contexts_after(lexer).items()
    }

    def sign(class_of: Sequence[int]) -> Iterator[Hashable]:
        @cache
        def classes(mask: int) -> frozenset[int]:
            return frozenset(class_of[i] for i in bits.iterate(mask))

        for i, (terminal, boundary) in enumerate(nodes):
            allowed = tuple(
                classes(follows[i][layout_context]) for layout_context in after.get(terminal, ())
            )
            yield terminal, boundary == AT_END, allowed

    return refine_by_signature([0] * len(nodes), sign)


def _number_lookaheads(nodes: list[End], class_of: list[int]) -> tuple[list[LookaheadId], int]:
    number: dict[int, LookaheadId] = {}
    lookahead_of = []
    for (terminal, _), group in zip(nodes, class_of, strict=True):
        if terminal != IGNORED:
            number.setdefault(group, LookaheadId(len(number)))
        lookahead_of.append(number.get(group, NO_LOOKAHEAD))
    return lookahead_of, len(number)


def _build_open_lexemes(
    lexer: LexerSpec,
    nodes: list[End],
    reach: list[int],
    columns: ColumnTable,
    to_lookaheads: Callable[[int], Lookaheads],
) -> tuple[tuple[PartialLexeme, ...], tuple[OpenLexemeId, ...]]:
    newline = lexer.layout.newline if lexer.layout else None
    ignored_mask = bits.from_members(i for i, (t, _) in enumerate(nodes) if t == IGNORED)
    newline_mask = bits.from_members(i for i, (t, _) in enumerate(nodes) if t == newline)
    number: dict[PartialLexeme, OpenLexemeId] = {}
    open_lexeme_of = []
    for mask, column_sets in zip(reach, columns.of_state, strict=True):
        open_lexeme = PartialLexeme(
            to_lookaheads(mask & ~ignored_mask & ~newline_mask),
            tuple(sorted({nodes[i][1] for i in bits.iterate(mask & ignored_mask)})),
            tuple(sorted({nodes[i][1] for i in bits.iterate(mask & newline_mask)})),
            column_sets,
        )
        open_lexeme_of.append(number.setdefault(open_lexeme, OpenLexemeId(len(number))))
    return tuple(number), tuple(open_lexeme_of)
