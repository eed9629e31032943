"""Rows of the mask store, the verdicts on them, the decision graph, and the masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from maskc.compiler.emit.graph import DecisionGraph, GraphAnswer, ParserQuery
from maskc.compiler.emit.mask_differences import Unions
from maskc.compiler.optimise.rows import Rows
from maskc.compiler.optimise.state import Verdicts
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.compiler.rows.sequences import ParserEvent
from maskc.dump.lexer import format_open
from maskc.dump.names import LookaheadNames, format_tokens, name_terminal
from maskc.grammar.model import Grammar
from maskc.ids import ANY_PROFILE, NO_EVENT, SequenceId
from maskc.lexer.boundaries import LexemeContexts

MAX_TOKENS = 8  # of a set that are spelled out

_VERDICTS = ((MAY, "accepted"), (FAIL, "rejected"), (DEPENDS, "depends"))


class RowNames:
    """How events, terminal sequences and token sets are written.

    Args:
        grammar: names the terminals.
        boundaries: names what stays open.
        rows: whose sequences are named.
        tokens: the vocabulary.
    """

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
        f"at most {graph.count_moves()} parser queries in a fill"
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
