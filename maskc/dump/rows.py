"""The scanner, rows of the mask store, verdicts on them, the decision graph, and the masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from maskc import bits
from maskc.compiler.emit import DecisionGraph, GraphAnswer, ParserQuery
from maskc.compiler.emit.mask_differences import Unions
from maskc.compiler.optimise import Rows, Verdicts
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.compiler.rows import ParserEvent
from maskc.grammar import Grammar
from maskc.ids import ANY_PROFILE, AT_END, DEAD, EMPTY_TEXT, IGNORED, NO_EVENT, SequenceId
from maskc.lexer import Scanner
from maskc.lexer.boundaries import LexemeContexts, Lookaheads, PartialLexeme
from maskc.vocab.vocabulary import quote_bytes

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 32: "' '", 45: "'-'", 92: "\\\\"}


def format_byte(byte: int) -> str:
    """Return one byte: a printable character as itself, another one escaped."""
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 32 < byte < 127 else f"\\x{byte:02x}"


def format_bytes(values: Iterable[int]) -> str:
    r"""Return a set of bytes in ascending order, three and more in a row as a range.

    >>> format_bytes([*range(97, 123), 48, 10])
    '\\n 0 a-z'
    """
    ordered = sorted(set(values))
    if len(ordered) == 256:
        return "any byte"
    runs: list[list[int]] = [ordered[:1]] if ordered else []
    for before, value in pairwise(ordered):
        if value == before + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts: list[str] = []
    for run in runs:
        if len(run) > 2:
            parts.append(f"{format_byte(run[0])}-{format_byte(run[-1])}")
        else:
            parts += map(format_byte, run)
    return " ".join(parts)


def format_token(token: bytes | None) -> str:
    """Return a token as its text in quotes, as bytes if it is no whole text."""
    return "no text" if token is None else quote_bytes(token)


def format_tokens(tokens: Sequence[bytes | None], *, limit: int) -> str:
    """Return some tokens, the first ones if there are more than ``limit``."""
    shown = " ".join(map(format_token, tokens[:limit]))
    return shown if len(tokens) <= limit else f"{shown} and {len(tokens) - limit:,} more"


def name_terminal(grammar: Grammar, terminal: int) -> str:
    """Return a terminal's name; that of what the lexer drops is ``(ignored)``."""
    return "(ignored)" if terminal == IGNORED else grammar.bnf.terminals[terminal]


class LookaheadNames:
    """What lookaheads are called: the terminal, with its boundary class if there are several."""

    def __init__(self, grammar: Grammar, boundaries: LexemeContexts) -> None:
        self._names: dict[int, str] = {}
        for terminal, lookaheads in boundaries.of_terminal.items():
            name = name_terminal(grammar, terminal)
            for number, lookahead in enumerate(lookaheads):
                self._names[lookahead] = name if len(lookaheads) == 1 else f"{name}/{number}"
        self._all: Lookaheads = boundaries.everything

    def name(self, lookahead: int) -> str:
        return self._names.get(lookahead, f"lookahead {lookahead}")

    def format(self, lookaheads: Lookaheads) -> str:
        """Return the names of a set, in order; ``anything`` for all of them."""
        if lookaheads == self._all:
            return "anything"
        return " ".join(sorted(map(self.name, bits.iterate(lookaheads)))) or "nothing"


def dump_scanner(grammar: Grammar, scanner: Scanner) -> Iterator[str]:
    """Yield each state with its moves and ends, then each boundary with the states it enters."""
    n_classes = scanner.next.shape[1]
    yield (
        f"{scanner.n_states} states, {n_classes} byte classes, {len(scanner.closed)} boundaries; "
        f"start {scanner.start}"
    )
    classes: list[list[int]] = [[] for _ in range(n_classes)]
    for byte, byte_class in enumerate(scanner.byte_class.tolist()):
        classes[byte_class].append(byte)
    for state in range(1, scanner.n_states):
        yield f"state {state}"
        yield from _moves(scanner.next[state].tolist(), classes, "goes on")
        for terminal, boundary in scanner.ends[state]:
            yield f"  may end as {name_terminal(grammar, terminal)}, boundary {boundary}"
        terminal_at_end = scanner.end_of_text[state]
        if terminal_at_end == EMPTY_TEXT:
            yield "  the text may end: no lexeme is open"
        elif terminal_at_end is not None:
            yield f"  the text may end: {name_terminal(grammar, terminal_at_end)}"
    for number, closed in enumerate(scanner.closed):
        yield f"boundary {number}{', where the text may end' if closed else ''}"
        for context, entry in enumerate(scanner.enter[number].tolist()):
            row = scanner.entries[entry].tolist()
            if any(row):
                yield from _moves(row, classes, f"in context {context}")


def _moves(row: Sequence[int], classes: Sequence[Sequence[int]], label: str) -> Iterator[str]:
    bytes_to: dict[int, list[int]] = {}
    for byte_class, target in enumerate(row):
        if target != DEAD:
            bytes_to.setdefault(target, []).extend(classes[byte_class])
    for target, found in sorted(bytes_to.items()):
        yield f"  {label}: {format_bytes(found)} -> {target}"


def dump_boundaries(
    grammar: Grammar, scanner: Scanner, boundaries: LexemeContexts
) -> Iterator[str]:
    """Yield the lookaheads, what can be lexed after each boundary, what open lexemes may become."""
    names = LookaheadNames(grammar, boundaries)
    yield f"{boundaries.n_lookaheads} lookaheads"
    for (terminal, boundary), lookahead in sorted(boundaries.number.items()):
        left = "the end of the text" if boundary == AT_END else f"boundary {boundary}"
        yield f"  {names.name(lookahead)}: {name_terminal(grammar, terminal)} at {left}"
    for number, row in enumerate(boundaries.rest):
        for layout_context, lookaheads in enumerate(row):
            enclosed, context = divmod(layout_context, boundaries.n_contexts)
            where = f"context {context}{' in brackets' if enclosed else ''}"
            yield f"after boundary {number} in {where}: {names.format(lookaheads)}"
    for state in range(1, scanner.n_states):
        open_lexeme = boundaries.open_lexemes[boundaries.open_lexeme_of[state]]
        yield f"open in state {state}: {format_open(open_lexeme, names)}"


def format_open(open_lexeme: PartialLexeme, names: LookaheadNames) -> str:
    parts = [names.format(open_lexeme.direct)] if open_lexeme.direct else []
    if open_lexeme.ignored:
        parts.append(f"ignored at boundary {', '.join(map(str, open_lexeme.ignored))}")
    if open_lexeme.newlines:
        parts.append(f"a newline at boundary {', '.join(map(str, open_lexeme.newlines))}")
    return "; ".join(parts) or "nothing"


MAX_TOKENS = 8  # of a set that are spelled out

_VERDICTS = ((MAY, "accepted"), (FAIL, "rejected"), (DEPENDS, "depends"))


class RowNames:
    """How events, terminal sequences and token sets are written."""

    def __init__(
        self,
        grammar: Grammar,
        boundaries: LexemeContexts,
        rows: Rows,
        tokens: Sequence[bytes | None],
    ) -> None:
        self.grammar = grammar
        self.rows = rows
        self._lookaheads = LookaheadNames(grammar, boundaries)
        self._tokens = tokens
        self._every_context = (1 << boundaries.n_contexts) - 1

    def event(self, event: ParserEvent) -> str:
        """Return an event: the terminal, and the contexts that it needs if not every one does."""
        if event.terminal == NO_EVENT:
            return "(nothing ends)"
        name = name_terminal(self.grammar, event.terminal)
        column = f" column {event.column}" if event.column else ""
        if event.contexts & self._every_context == self._every_context:
            return f"{name}{column}"
        contexts = [str(c) for c in range(event.contexts.bit_length()) if event.contexts >> c & 1]
        return f"{name}{column} in context {','.join(contexts)}"

    def sequence(self, sequence: SequenceId) -> str:
        """Return a terminal sequence, and what stays open after it."""
        events, last = self.rows.sequences.split(sequence)
        parts = list(map(self.event, events))
        open_lexeme, column = self.rows.sequences.open_lexeme(last)
        opened = format_open(open_lexeme, self._lookaheads)
        parts.append(f"open({opened}{f'; column {column}' if column else ''})")
        return " · ".join(parts)

    def token_set(self, number: int) -> str:
        """Return how many tokens a set has, and the first ones."""
        ids = self.rows.tokens.read(number).tolist()
        shown = format_tokens([self._tokens[token] for token in ids], limit=MAX_TOKENS)
        return f"{len(ids)}: {shown}"


def dump_rows(names: RowNames) -> Iterator[str]:
    """Yield the rows by source: where a token starts, what it completes, which tokens do."""
    rows = names.rows
    yield f"{len(rows)} rows, {len(np.unique(rows.token_set))} token sets"
    before = -1
    for source, first, sequence, token_set in zip(
        rows.source.tolist(),
        rows.first.tolist(),
        rows.sequence.tolist(),
        rows.token_set.tolist(),
        strict=True,
    ):
        if source != before:
            before = source
            if source < rows.n_states:
                yield f"inside a lexeme, scanner state {source}"
            else:
                terminal, boundary = rows.ends[source - rows.n_states]
                name = name_terminal(names.grammar, terminal)
                yield f"after {name}, boundary {boundary}"
        completed = names.event(rows.events[first])
        yield f"  {completed} | {names.sequence(sequence)}"
        yield f"    {names.token_set(token_set)}"


def dump_verdicts(names: RowNames, verdicts: Verdicts) -> Iterator[str]:
    """Yield each terminal sequence with the refined states that accept it, refuse it, or ask."""
    n_classes, n_states = verdicts.flags.shape
    yield f"{len(verdicts.sequences)} sequences in {n_classes} classes, {n_states} states"
    for sequence, number in zip(verdicts.sequences, verdicts.class_of.tolist(), strict=True):
        yield names.sequence(sequence)
        flags = verdicts.flags[number]
        for verdict, label in _VERDICTS:
            states = np.flatnonzero(flags == verdict).tolist()
            if len(states) == n_states:
                yield f"  {label}: all states"
            elif states:
                yield f"  {label}: {' '.join(map(str, states))}"


def dump_graph(names: RowNames, graph: DecisionGraph) -> Iterator[str]:
    """Yield what each scanner state asks, then each node with its answer for each profile."""
    yield (
        f"{len(graph.nodes)} nodes, {len(graph.answers)} answers, {len(graph.unions)} unions; "
        f"at most {graph.n_moves} parser queries in a fill"
    )
    states_of: dict[int, list[int]] = {}
    for state, profile in enumerate(graph.profile_of.tolist()):
        states_of.setdefault(profile, []).append(state)
    for profile, states in sorted(states_of.items()):
        yield f"profile {profile}: states {' '.join(map(str, states))}"
    for state, root in enumerate(graph.roots):
        if root:
            yield f"scanner state {state} asks {_format_queries(names, root)}"
    for node, (profiles, answers) in enumerate(graph.nodes):
        yield f"node {node}"
        for profile, number in zip(profiles.tolist(), answers.tolist(), strict=True):
            where = "any profile" if profile == ANY_PROFILE else f"profile {profile}"
            yield f"  {where}: {_format_answer(names, graph.answers[number])}"


def _format_queries(names: RowNames, queries: Sequence[ParserQuery]) -> str:
    return "; ".join(
        f"{names.event(ParserEvent(q.terminal, -1, q.column))} -> node {q.node}" for q in queries
    )


def _format_answer(names: RowNames, answer: GraphAnswer) -> str:
    parts = [f"union {answer.union}"]
    if answer.queries:
        parts.append(f"asks {_format_queries(names, answer.queries)}")
    parts += [f"tries open lexeme {t.open_lexeme} for union {t.union}" for t in answer.checks]
    return ", ".join(parts)


def dump_masks(
    names: RowNames, graph: DecisionGraph, unions: Unions, tokens: Sequence[bytes | None]
) -> Iterator[str]:
    """Yield each union of token sets: how it is kept, and its tokens."""
    yield f"{len(unions.base)} masks for {len(graph.unions)} unions, {len(unions.masks)} whole"
    for union, (sets, number) in enumerate(
        zip(graph.unions, unions.number_of.tolist(), strict=True)
    ):
        base = int(unions.base[number])
        n_words = int(unions.first[number + 1] - unions.first[number])
        kept = f"{n_words} words" + ("" if base < 0 else f" beside whole mask {base}")
        ids = np.unique(
            np.concatenate([np.zeros(0, np.int32), *(names.rows.tokens.read(s) for s in sets)])
        ).tolist()
        shown = format_tokens([tokens[token] for token in ids], limit=MAX_TOKENS)
        yield f"union {union}: mask {number} ({kept}), {len(ids)} tokens: {shown}"
