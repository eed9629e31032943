"""The records of a link's plan, each declared once for who writes it and who reads it.

Example: the word ``<a>`` with token 7 after it is ``["<a>", 7]``, the tokens 1, 2 and 7 are
``[1, 3, 7, 8]``, and a choice of the nodes 0 and 1 is ``["choice", [0, 1]]``.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.byte_classes import DONE, ByteEdge
from maskc.runtime.fields import (
    FLAG,
    Codec,
    PlanError,
    Scope,
    as_it_is,
    bits,
    grouped,
    listed,
    number,
    optional,
    read_list,
    read_number,
    together,
)
from maskc.runtime.link.automata import ATOM
from maskc.runtime.link.counts import MOST_POSITIONS, START, CountedPattern, Edge
from maskc.runtime.link.joining.pieces import Word
from maskc.runtime.link.plan.composing import Counts
from maskc.runtime.link.text import FreeWords

MOST_COUNT = 1 << 31
_MOST_NAMES = 1 << 12
_MOST_CELLS = 1 << 24  # of the tables of an automaton
_MOST_LOOPS = 64  # inside each other
_MOST_PASSES = 1 << 40


def ordered(inner: Codec, *, least: int = 0, may_be_empty: bool = False) -> Codec:
    """Declare a tuple of ascending words, at least so many."""
    every = listed(inner, into=tuple)

    def read(value: Any, scope: Scope) -> Any:
        found = every.read(value, scope)
        is_ascending = all(a < b for a, b in itertools.pairwise(found))
        if len(found) < least or not is_ascending or not (may_be_empty or all(found)):
            raise PlanError("words of the link are too few, empty, or not in order")
        return found

    return Codec(read, every.write)


def read_bytes(text: Any, _scope: Scope | None = None) -> bytes:
    """Return the bytes that a text has a character for each of."""
    try:
        if isinstance(text, str):
            return text.encode("latin-1")
    except UnicodeEncodeError:
        pass
    raise PlanError("a word of the link is not bytes")


BYTES = Codec(read_bytes, lambda data: data.decode("latin-1"))


def read_word(entry: Any, scope: Scope) -> Word:
    symbols: list[int] = []
    for part in [entry] if isinstance(entry, str) else read_list(entry):
        if isinstance(part, str):
            symbols += read_bytes(part)
        else:
            token = read_number(part, scope.sizes["tokens"])
            if token in scope.ends:
                raise PlanError("a word of the link has a token that ends the sequence")
            symbols.append(ATOM + token)
    return tuple(symbols)


def write_word(word: Word) -> str | list[str | int]:
    parts: list[str | int] = []
    for symbol in word:
        if symbol >= ATOM:
            parts.append(symbol - ATOM)
        elif parts and isinstance(parts[-1], str):
            parts[-1] += chr(symbol)
        else:
            parts.append(chr(symbol))
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts


WORD = Codec(read_word, write_word)


def _read_ranges(entry: Any, scope: Scope) -> list[int]:
    bounds = [read_number(n, scope.sizes["tokens"] + 1) for n in read_list(entry)]
    if len(bounds) % 2 or any(low >= high for low, high in itertools.pairwise(bounds)):
        raise PlanError("ranges of the link do not ascend")
    starts = [bisect_right(bounds, token) % 2 for token in scope.ends]
    if not bounds or any(starts):
        raise PlanError("tokens of the link are none, or end the sequence")
    return bounds


def list_ranges(numbers: frozenset[int]) -> list[int]:
    bounds: list[int] = []
    for token in sorted(numbers):
        if bounds and bounds[-1] == token:
            bounds[-1] = token + 1
        else:
            bounds += [token, token + 1]
    return bounds


def in_ranges(bounds: Sequence[int]) -> frozenset[int]:
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return frozenset(n for low, high in pairs for n in range(low, high))


def _read_end(value: Any, scope: Scope) -> int:
    token = read_number(value, scope.sizes["tokens"])
    if token not in scope.ends:
        raise PlanError("a token of the link does not end the sequence")
    return token


TEXT = grouped(FreeWords, ordered(WORD), ordered(WORD), ordered(BYTES))


class FrozenTable(NamedTuple):
    """Parameters: see :class:`maskc.runtime.link.plan.composing.Parameters`."""

    counts: Counts
    blanks: int  # a node, or of parameters that are separated what stands between them
    # of each number, and last of others: items, each a node or words
    alternatives: list[list[list[int | list[Word]]] | None]


def _make_table(*values: Any) -> FrozenTable:
    *counts, blanks, alternatives = values
    has_others = bool(alternatives) and alternatives[-1] is not None
    return FrozenTable(Counts._make((*counts, has_others)), blanks, alternatives)


def _read_item(value: Any, scope: Scope) -> int | list[Word]:
    if not isinstance(value, list):
        return read_number(value, scope.sizes["nodes"])
    return [read_word(word, scope) for word in value]


_ITEM = Codec(_read_item, lambda item: item if type(item) is int else list(map(write_word, item)))
_BITS = bits(_MOST_NAMES)
_TABLE = grouped(
    _make_table,
    number(_MOST_NAMES),
    _BITS,
    _BITS,
    number(MOST_COUNT),
    optional(number(MOST_COUNT)),
    FLAG,
    number("nodes"),
    listed(optional(listed(listed(_ITEM)))),
)


TABLE = Codec(_TABLE.read, lambda t: _TABLE.write((*t.counts[:-1], t.blanks, t.alternatives)))


def _read_edges(entry: Any, scope: Scope) -> tuple[ByteEdge, ...]:
    flat = read_list(entry)
    if len(flat) % 3:
        raise PlanError("a node of a counter of the link is cut off")
    edges: list[ByteEdge] = []
    for first, last, after in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        low = read_number(first, 256, edges[-1][1] + 1 if edges else 0)
        target = read_number(after, scope.sizes["counter nodes"], DONE)
        edges.append((low, read_number(last, 256, low), target))
    return tuple(edges)


_EDGES = Codec(_read_edges, lambda edges: list(itertools.chain.from_iterable(edges)))
_TARGETS = listed(number("positions", START + 1), into=tuple)
_EDGE = grouped(Edge, _TARGETS, number(_MOST_LOOPS + 1), FLAG)
_BOUNDS = grouped(together, number(_MOST_PASSES, 1), optional(number(_MOST_PASSES, 1)))
_COUNTER = grouped(
    CountedPattern,
    listed(_EDGES, size="counter nodes", into=tuple),
    listed(number("counter nodes", -1), size="positions", into=tuple),
    listed(listed(number("loops"), into=tuple), length="positions", into=tuple),
    listed(listed(_EDGE, into=tuple), length="positions", into=tuple),
    Codec(listed(number("positions"), into=frozenset).read, sorted),
    listed(_BOUNDS, size="loops", into=tuple),
)


def _read_counter(entry: Any, scope: Scope) -> CountedPattern:
    pattern: CountedPattern = _COUNTER.read(entry, scope)
    roots, loops = pattern.roots, pattern.loops
    if not 1 < len(roots) <= MOST_POSITIONS or roots[START] != -1 or -1 in roots[1:]:
        raise PlanError("a counter of the link has no positions, or too many")
    if loops[START] or any(len(set(around)) < len(around) for around in loops):
        raise PlanError("a counter of the link has a loop inside itself")
    if max(map(len, loops)) > _MOST_LOOPS:
        raise PlanError("a counter of the link has too many loops inside each other")
    for least, most in pattern.bounds:
        if most is not None:
            read_number(most, _MOST_PASSES, least)
    for around, edges in zip(loops, pattern.edges, strict=True):
        for edge in edges:
            kept = read_number(edge.n_open, len(around) + 1, int(edge.repeats))
            if any(loops[target][:kept] != around[:kept] for target in edge.targets):
                raise PlanError("an edge of a counter of the link leaves a loop that it is in")
    return pattern


COUNTER = Codec(_read_counter, _COUNTER.write)


def _write_automaton(tables: Mapping[str, NDArray[Any]]) -> list[Any]:
    rows = []
    for row in tables["after"]:
        read = np.flatnonzero(row >= 0)
        rows.append(np.stack([read, row[read]], axis=1).reshape(-1).tolist())
    accepting = np.flatnonzero(tables["accepting"]).tolist()
    return [tables["byte_class"].tolist(), rows, accepting]


def _read_automaton(entry: Any, _scope: Scope) -> dict[str, NDArray[Any]]:
    byte_class, rows, accepting = read_list(entry, 3)
    classes = [read_number(n, 256) for n in read_list(byte_class, 256)]
    n_classes, n_states = max(classes) + 1, len(read_list(rows))
    if not n_states:
        raise PlanError("an automaton of the link has no states")
    if n_states * n_classes > _MOST_CELLS:
        raise PlanError("an automaton of the link is too large")
    after = np.full((n_states, n_classes), -1, dtype=np.int32)
    for state, row in enumerate(rows):
        columns = [read_number(n, n_classes) for n in read_list(row)[::2]]
        targets = [read_number(n, n_states) for n in row[1::2]]
        if len(columns) != len(targets):
            raise PlanError("a row of an automaton of the link is cut off")
        after[state, columns] = targets
    ends = np.zeros(n_states, dtype=np.bool_)
    ends[[read_number(n, n_states) for n in read_list(accepting)]] = True
    return {"byte_class": np.array(classes, dtype=np.uint8), "after": after, "accepting": ends}


# The tables of an automaton, as :class:`TabledAutomaton` takes them.
AUTOMATON = Codec(_read_automaton, _write_automaton)


def _read_quote(value: Any, _scope: Scope) -> bytes:
    quote = read_bytes(value)
    if quote not in (b"'", b'"'):
        raise PlanError("a string of the link has no quote")
    return quote


_RAW_TEXT = (number("schemas"), number(MOST_COUNT), listed(BYTES))
_INNER = listed(number("inner"))  # nodes that are entered at once
_LATER = listed(number("nodes"))  # nodes that a text turns to
_LIMIT = optional(number(MOST_COUNT, 1))
# Kind of a node → what follows the kind.
NODES: dict[str, tuple[Codec, ...]] = {
    "nothing": (),
    "sequence": (_INNER,),
    "choice": (_INNER,),
    "repeat": (number("inner"), number(MOST_COUNT), _LIMIT),
    "words": (ordered(BYTES, least=1, may_be_empty=True),),
    "automaton": (number("automata"),),
    "counter": (number("counters"),),
    "name": (listed(BYTES),),
    "raw text": _RAW_TEXT,
    "quoted text": (*_RAW_TEXT, Codec(_read_quote, BYTES.write)),
    "schema": (number("schemas"),),
    "barred schema": (number("schemas"), ordered(BYTES, least=1)),
    "grammar": (number("grammars"),),
    "tokens": (Codec(_read_ranges, as_it_is),),
    "stop": (Codec(_read_end, as_it_is),),
    "switch": (ordered(WORD, least=1), _LATER),
    "free text": (number("texts"), _LATER, FLAG),
    "limited text": (number("texts"), _LIMIT, _LIMIT),
    "parameters": (number("tables"),),
    "separated": (number("tables"),),
}


def write_node(kind: str, values: Sequence[Any]) -> list[Any]:
    return [kind, *[f.write(value) for f, value in zip(NODES[kind], values, strict=True)]]


def read_node(entry: Any, scope: Scope) -> tuple[Any, ...]:
    kind, *entries = read_list(entry) or [None]
    fields = NODES.get(kind) if isinstance(kind, str) else None
    if fields is None:
        raise PlanError("a node of the link is of no known kind")
    read_list(entries, len(fields))
    return (kind, *[f.read(value, scope) for f, value in zip(fields, entries, strict=True)])
