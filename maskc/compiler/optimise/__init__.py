"""Rewrites of rows that change no mask; their order is in :mod:`.order`.

What a rewrite may do, so that no mask changes:

- *sequences*: replace the sequence of a row by another, if the two are legal on the same stacks
  after the row's first event; drop the row, if its sequence is legal on none. Sequences are only
  ever added to ``Sequences``, never changed: other rows name them, and verdicts are kept by number;
- *contexts* of an event: keep them, or replace the event together with its sequence by a pair that
  is decided alike. An event holds in the contexts for which the walk went on, so leaving one out
  loses tokens, and adding one lexes what the lexer would not;
- *sources*: join those that have the same rows for every state on top, and name the one that stays
  in ``ends_of``. A lexer state reads its own source and those of its ends;
- *token sets*: only :func:`merge` unites them, where rows become equal.

Fewer rows are not always a smaller artifact: it holds masks of the unions of token sets that some
state decides alike, and nodes are shared by equal rows. ``maskc inspect --json`` has both numbers
under ``counts``: ``rows``, and ``nodes``, ``answers`` and ``masks``.

A row is (source, first event, sequence) → tokens. A *source* is where a token starts: inside a
lexeme (a scanner state), or right after one, where a terminal X has just gone to the parser (X and
the boundary it left; the first event is X then). So a row's first event is the X of the paper, and
its sequence the sequence S that is asked about after X.

A lexer state's rows are those of its own source and those after each of its ends. Ends are
shared by many lexer states, so rows are stored once and counted as often as they are read. What the
walk found after a boundary holds after every terminal that leaves this boundary; the steps ask
about each of them by itself, so each gets its own copy, without the rows that need a context which
the parser never names after it. After a row's first event, a lexeme that is ignored leaves the
stack alone: its contexts are asked of the event before it, and it is no event of its own.

:func:`rewrite` maps sequences innermost first: a sequence's rest is mapped after the sequence's own
first event, then the sequence that is left is replaced after the event before it. So a sequence is
cut as soon as what is left of it is decided, and one that cannot happen takes all that begin with
it away. All sequences of a length go through together, so that a rule may decide many at once.

The states that can be on top of a stack are the refined states of an LALR table, or the states of a
general grammar's LR(0) table: the steps and the decision graph need no more of a parser than
:class:`Tops`. For each sequence and state, :class:`Verdicts` say *accepted*, *rejected*, or that it
depends on the stack below. An artifact holds this table; only what depends is asked at run time
(:mod:`maskc.compiler.optimise.undecided` says how much that is).

Source: appendix, future work (a longer first argument); XGrammar, adaptive token mask cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler import LexicalAnalysis
from maskc.compiler.pushdown.decisions import DEPENDS, Decisions
from maskc.compiler.rows import NOTHING_ENDS, ParserEvent, RawRows, Sequences
from maskc.compiler.rows.token_sets import TokenSets
from maskc.grammar import Grammar, LexerSpec
from maskc.ids import DROPPED, IGNORED, BoundaryId, ContextId, SequenceId, TerminalId
from maskc.levels import sort_pairs
from maskc.lexer import contexts_after, quote_terminal
from maskc.lexer.boundaries import Lookaheads

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """All rows, in order of (source, first event, sequence); no two agree in all three."""

    n_states: int  # sources below this are scanner states; the others are ends
    # source − n_states → the (terminal, boundary) it stands after
    ends: tuple[tuple[TerminalId, BoundaryId], ...]
    ends_of: tuple[tuple[int, ...], ...]  # scanner state → the sources after its ends
    events: tuple[ParserEvent, ...]  # the first events that rows name
    sequences: Sequences  # the sequences that rows name
    tokens: TokenSets  # the token sets that rows name
    # source, first, sequence, token_set: int32[n_rows]
    source: Ints
    first: Ints
    sequence: Ints
    token_set: Ints

    def __len__(self) -> int:
        return len(self.source)

    @property
    def n_sources(self) -> int:
        return self.n_states + len(self.ends)


def merge(rows: Rows, source: Ints, first: Ints, sequence: Ints) -> Rows:
    """Return the rows with other sources, first events and sequences; equal ones become one.

    Args:
        source: int32[n_rows].
        first: int32[n_rows].
        sequence: int32[n_rows], ``DROPPED`` for a row that is dropped.
    """
    kept = np.flatnonzero(sequence != DROPPED)
    n_events, n_sequences = len(rows.events), len(rows.sequences)
    key = (source[kept].astype(np.int64) * n_events + first[kept]) * n_sequences + sequence[kept]
    key, sets = sort_pairs(key, rows.token_set[kept], rows.n_sources * n_events * n_sequences)
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    bounds = np.append(starts, len(key))
    merged = sets[starts].copy()
    for group in np.flatnonzero(np.diff(bounds) > 1).tolist():
        numbers = sets[bounds[group] : bounds[group + 1]].tolist()
        merged[group] = rows.tokens.unite(tuple(sorted(set(numbers))))
    distinct = key[starts]
    return replace(
        rows,
        source=(distinct // n_sequences // n_events).astype(np.int32),
        first=(distinct // n_sequences % n_events).astype(np.int32),
        sequence=(distinct % n_sequences).astype(np.int32),
        token_set=merged.astype(np.int32),
    )


# (event before, sequence) → the sequence that stands for it, or DROPPED if it is never legal there.
Rule = Callable[[Sequence[tuple[ParserEvent, SequenceId]]], list[SequenceId]]


def rewrite(rows: Rows, rule: Rule) -> Rows:
    """Return the rows with each sequence as a rule maps it; equal rows become one."""
    sequences = rows.sequences
    rest, length, n = sequences.rest, sequences.length, len(sequences)
    # An event before and a sequence are one number: as pairs, most of the time went into hashes.
    number: dict[ParserEvent, int] = {}
    event = [number.setdefault(e, len(number)) for e in sequences.event]
    firsts = np.array([number.setdefault(e, len(number)) for e in rows.events], dtype=np.int64)
    events = list(number)
    # In the order of the rows' events, which the numbers of new sequences follow.
    pair = rows.first.astype(np.int64) * n + rows.sequence
    distinct, inverse = np.unique(pair, return_inverse=True)
    asked = (firsts[distinct // n] * n + distinct % n).tolist()
    levels: dict[int, dict[int, None]] = {}
    for key in asked:
        sequence = key % n
        level = levels.setdefault(length[sequence], {})
        while key not in level:
            level[key] = None
            if not length[sequence]:
                break
            key, sequence = event[sequence] * n + rest[sequence], rest[sequence]
            level = levels.setdefault(length[sequence], {})
    mapped: dict[int, SequenceId] = {}
    for n_events, keys in sorted(levels.items()):
        ready: list[int] = []
        given: list[tuple[ParserEvent, SequenceId]] = []
        for key in keys:
            before, sequence = divmod(key, n)
            left = SequenceId(sequence)
            if n_events:
                inner = mapped[event[sequence] * n + rest[sequence]]
                if inner == DROPPED:
                    mapped[key] = DROPPED
                    continue
                if inner != rest[sequence]:
                    left = sequences.extend(events[event[sequence]], inner)
            ready.append(key)
            given.append((events[before], left))
        mapped.update(zip(ready, rule(given), strict=True))
    sequence = np.array([mapped[key] for key in asked], dtype=np.int32)[inverse.reshape(-1)]
    return replace_sequences(rows, sequence)


def replace_sequences(rows: Rows, sequence: Ints) -> Rows:
    """Return the rows with other sequences, ``DROPPED`` for a row that is dropped."""
    if np.array_equal(sequence, rows.sequence):
        return rows
    return merge(rows, rows.source, rows.first, sequence)


def after_terminals(decide: Callable[[ParserEvent, SequenceId], SequenceId]) -> Rule:
    """Return the rule that decides the sequences after terminals one by one, and no others."""

    def rule(asked: Sequence[tuple[ParserEvent, SequenceId]]) -> list[SequenceId]:
        return [
            decide(before, sequence) if before.terminal >= 0 else sequence
            for before, sequence in asked
        ]

    return rule


def describe_rows(raw: RawRows, lexer: LexerSpec) -> str:
    """Return how many rows there are, and the terminals that most of them complete last."""
    terminals = np.array([event.terminal for event in raw.events], dtype=np.int32)
    last = terminals[raw.path_event[raw.row_path[raw.row_path > 0]]]
    counts = np.bincount(last[last >= 0], minlength=1)
    order = np.argsort(-counts, kind="stable")[:2].tolist()
    names = [quote_terminal(lexer, terminal) for terminal in order if counts[terminal]]
    found = f"pass streamline raw, {len(raw.row_path):,} rows"
    return f"{found}, most of them of {' and '.join(names)}" if names else found


def collect_rows(lexed: LexicalAnalysis[Grammar], raw: RawRows) -> Rows:
    """Return all rows that a walk found, by the terminal before them."""
    lexer, scanner, boundaries = lexed.grammar.lexer, lexed.scanner, lexed.boundaries
    sequences = Sequences(boundaries.open_lexemes)
    events = {NOTHING_ENDS: 0}
    first, sequence = _split_paths(raw, sequences, events)
    known = list(events)
    # After each end: the boundary's rows, their first event now the terminal itself.
    after = {
        terminal: bits.from_members(contexts)
        for terminal, contexts in contexts_after(lexer).items()
    }
    ends = tuple(sorted({end for state in scanner.ends for end in state}))
    number = {end: scanner.n_states + i for i, end in enumerate(ends)}
    n_own = int(raw.source_first[scanner.n_states])
    index = [np.arange(n_own, dtype=np.int64)]
    sources = [
        np.repeat(np.arange(scanner.n_states), np.diff(raw.source_first[: scanner.n_states + 1]))
    ]
    firsts = [first[:n_own]]
    for (terminal, boundary), source in number.items():
        low, high = raw.source_first[scanner.n_states + boundary :][:2].tolist()
        entries, inverse = np.unique(first[low:high], return_inverse=True)
        own = []
        for entry in entries.tolist():
            contexts = known[entry].contexts & after.get(terminal, 0)
            event = ParserEvent(terminal, contexts, 0)
            own.append(events.setdefault(event, len(events)) if contexts else DROPPED)
        chosen = np.array(own, dtype=np.int32)[inverse.reshape(-1)]
        kept = np.flatnonzero(chosen != DROPPED)
        index.append(kept + low)
        sources.append(np.full(len(kept), source))
        firsts.append(chosen[kept])
    taken = np.concatenate(index)
    rows = Rows(
        n_states=scanner.n_states,
        ends=ends,
        ends_of=tuple(tuple(number[end] for end in state) for state in scanner.ends),
        events=tuple(events),
        sequences=sequences,
        tokens=raw.tokens,
        source=np.concatenate(sources).astype(np.int32),
        first=np.concatenate(firsts),
        sequence=sequence[taken],
        token_set=raw.row_tokens[taken],
    )
    return merge(rows, rows.source, rows.first, rows.sequence)


def _split_paths(
    raw: RawRows, sequences: Sequences, events: dict[ParserEvent, int]
) -> tuple[Ints, Ints]:
    """Return each row's first event and its sequence; ``DROPPED`` where contexts exclude it."""
    parent = raw.path_parent.tolist()
    event_of = [NOTHING_ENDS, *(raw.events[event] for event in raw.path_event[1:].tolist())]
    for path in np.flatnonzero(raw.path_column).tolist():
        event_of[path] = event_of[path]._replace(column=int(raw.path_column[path]))
    key = raw.row_path.astype(np.int64) * len(raw.open_lexeme) + raw.row_open
    distinct, inverse = np.unique(key, return_inverse=True)
    first, sequence = np.zeros(len(distinct), np.int32), np.zeros(len(distinct), np.int32)
    open_lexemes, columns = raw.open_lexeme.tolist(), raw.open_column.tolist()
    for i, pair in enumerate(distinct.tolist()):
        path, opened = divmod(pair, len(open_lexemes))
        here = sequences.close(open_lexemes[opened], columns[opened])
        # The contexts that ignored lexemes ask of the event before them.
        asked = -1
        while path and parent[path]:
            event = event_of[path]
            if event.terminal == IGNORED:
                asked &= event.contexts
            else:
                here = sequences.extend(event.inside(asked), here)
                asked = -1
            path = parent[path]
        event = event_of[path]
        first[i] = events.setdefault(event.inside(asked), len(events))
        sequence[i] = here
    return first[inverse.reshape(-1)], sequence[inverse.reshape(-1)]


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The states of a parser."""

    live: tuple[Lookaheads, ...]  # state → lookaheads that a stack with it on top can go on with
    context_of: tuple[ContextId, ...]  # state → context of the lexer
    # terminal, or IGNORED → the states that can be on top after it
    list_states: Callable[[int], Iterable[int]]


Flags = NDArray[np.uint8]
States = NDArray[np.intp]  # numbers of states, ascending


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Answers for all refined states and the sequences that rows can ask about."""

    # the sequences, ascending: those of rows, and what is left of them after their events
    sequences: tuple[SequenceId, ...]
    class_of: NDArray[np.int32]  # int32[n_sequences], sequences with equal answers share a class
    flags: Flags  # uint8[n_classes, n_states], MAY, FAIL or both


def condition_on_states(rows: Rows, decisions: Decisions) -> Verdicts:
    sequences = list_sequences(rows)
    classes = decisions.classes_of(sequences)
    kept, class_of = np.unique(classes, return_inverse=True)
    flags = decisions.flags()[kept]
    return Verdicts(sequences, class_of.reshape(-1).astype(np.int32), flags)


def leave_open(rows: Rows, n_states: int) -> Verdicts:
    """Return verdicts that decide nothing: each row is asked about on the stack at hand."""
    sequences = list_sequences(rows)
    flags = np.full((1, n_states), DEPENDS, dtype=np.uint8)
    return Verdicts(sequences, np.zeros(len(sequences), dtype=np.int32), flags)


def list_sequences(rows: Rows) -> tuple[SequenceId, ...]:
    """Return the sequences of rows, and what is left of them after their events, ascending."""
    found: set[SequenceId] = set()
    for sequence in np.unique(rows.sequence).tolist():
        while sequence not in found:
            found.add(sequence)
            if rows.sequences.length[sequence]:
                sequence = rows.sequences.rest[sequence]
    return tuple(sorted(found))
