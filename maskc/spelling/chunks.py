r"""Where does a tokenizer cut a text before it merges, as an automaton?

A *chunk* is what the tokenizer's pattern matches at once: merging never crosses the end of one. A
pattern looks ahead, so whether a chunk ends can depend on what follows. The *marked texts*, with a
mark wherever a chunk ends, are a regular language; here is its automaton, from the same parts as
the lexer's scanner: the pattern is compiled as the only terminal of ``start: CHUNK*``.

Some tokenizers cut in *stages*, each within the chunks of the one before. Their automaton is that
of all stages side by side: a mark is one of one of the stages, and those after it begin anew.

Example: with ``\s+(?!\S)|\s+|\S+``, after ``a`` and two blanks the mark between the blanks is
right if a letter follows, and only then.

Limits: stages are patterns that are cut out alone, ``Isolated``, or GPT-2's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.artifact.pieces import read_rows
from maskc.errors import LimitError
from maskc.frontends.lark.regex_module import Ask, translate
from maskc.frontends.source import load_sources
from maskc.ids import NOT_AN_END
from maskc.pipeline import compile_starts
from maskc.runtime.spelling.chunks import Chunks
from maskc.spelling.merging import refuse
from maskc.vocab.files import TokenizerFile
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
MAX_NODES = 200_000


class Stage(NamedTuple):
    """The automaton of one pattern. Node 0 is dead.

    Attributes:
        byte_class: uint8[256].
        next: int32[n_nodes, n_classes], after a byte.
        marks: per node, the nodes after a mark.
        may_end: bool[n_nodes], whether the text may end.
        start: the node before the first byte.
        n_inside: the nodes from this on are those after a mark.
    """

    byte_class: NDArray[np.uint8]
    next: NDArray[np.int32]
    marks: tuple[tuple[int, ...], ...]
    may_end: NDArray[np.bool_]
    start: int
    n_inside: int


def read_stages(file: TokenizerFile) -> list[str]:
    """Return the patterns of a ``tokenizer.json``, one a stage.

    Raises:
        TokenizerError: it cuts in another way.
    """
    found: list[str] = []
    pending: list[Any] = [file.contents.get("pre_tokenizer")]
    while pending:
        match pending.pop():
            case {"type": "Sequence", "pretokenizers": list(steps)}:
                pending += reversed(steps)
            case {"type": "ByteLevel"} as step:
                if step.get("use_regex", True):
                    found.append(GPT2)
            case {
                "type": "Split",
                "pattern": {"Regex": str(pattern)},
                "behavior": "Isolated",
                "invert": False,
            }:
                found.append(pattern)
            case None:
                pass
            case step:
                kind = str(step.get("type"))[:20] if isinstance(step, dict) else "none"
                raise refuse(file, f"its pre-tokenizer has a step {kind} that is not followed")
    return found


def build_chunks(patterns: Sequence[str], ask: Ask, *, has_gaps: bool) -> Chunks:
    """Return the automaton of the texts in which the ends of chunks are marked.

    Args:
        patterns: one a stage.
        ask: which characters a class has.
        has_gaps: whether what a pattern does not match is a chunk, too.

    Raises:
        LimitError: the automaton is too large.
        UnsupportedTerminalError: a pattern is not regular.
    """
    stages = [_build_stage(pattern, ask, has_gaps=has_gaps) for pattern in patterns]
    return _minimise(_join(stages))


def _build_stage(pattern: str, ask: Ask, *, has_gaps: bool) -> Stage:
    written = translate("CHUNK", pattern, ask)
    if has_gaps:
        written = rf"{written}|(?:(?!{written})[\s\S])+"
    escaped = re.sub(r"(?<!\\)((?:\\\\)*)/", r"\1\\/", written).replace("\n", r"\n")
    escaped = escaped.replace("\r", r"\r")
    sources = load_sources(f"start: CHUNK*\nCHUNK: /{escaped}/\n", starts=())
    vocabulary = build_vocabulary("bytes", build_byte_table())
    contents: Contents = compile_starts(sources, vocabulary, None)[0]
    arrays, start = contents.arrays, contents.header["scanner_start"]
    context = int(arrays["lalr_context"][0])
    entries = read_rows(arrays, "scanner_entries")[arrays["scanner_enter"][:, context]]
    n_states, first = len(arrays["scanner_next"]), arrays["end_first"]
    ends = [arrays["end_boundary"][first[i] : first[i + 1]].tolist() for i in range(n_states)]
    marks = [tuple(sorted({n_states + boundary for boundary in found})) for found in ends]
    at_end = arrays["scanner_end_of_text"] != NOT_AN_END
    return Stage(
        arrays["byte_class"].astype(np.uint8),
        np.concatenate([read_rows(arrays, "scanner_next"), entries]).astype(np.int32),
        (*marks, *((),) * len(entries)),
        np.concatenate([at_end, np.zeros(len(entries), dtype=np.bool_)]),
        start,
        n_states,
    )


def _join(stages: Sequence[Stage]) -> Chunks:
    """Return the automaton of several stages, with nodes that lead nowhere."""
    rows = np.array([stage.byte_class for stage in stages]).reshape(len(stages), 256)
    classes, byte_class = np.unique(rows, axis=1, return_inverse=True)
    start = tuple(stage.start for stage in stages)
    dead = (0,) * len(stages)
    number = {dead: 0, start: 1}
    nodes = [dead, start]
    following = [np.zeros(classes.shape[1], dtype=np.int32)]
    marks: list[tuple[int, ...]] = [()]

    def find(node: tuple[int, ...]) -> int:
        found = number.setdefault(node, len(nodes))
        if found == len(nodes):
            if found >= MAX_NODES:
                raise LimitError("places of a tokenizer's pattern", MAX_NODES, "simplify it")
            nodes.append(node)
        return found

    at = 1
    while at < len(nodes):
        node = nodes[at]
        columns = [s.next[n][c] for s, n, c in zip(stages, node, classes, strict=True)]
        table = np.array(columns, dtype=np.int32).reshape(len(stages), -1).T
        row = np.zeros(len(table), dtype=np.int32)
        alive = (table > 0).all(axis=1)
        for place in np.flatnonzero(alive).tolist():
            row[place] = find(tuple(table[place].tolist()))
        following.append(row)
        marks.append(tuple(sorted(find(after) for after in _marked(stages, node))))
        at += 1
    may_end = [
        all(s.may_end[n] for s, n in zip(stages, node, strict=True)) and node != dead
        for node in nodes
    ]
    return Chunks(
        byte_class.reshape(-1).astype(np.uint8),
        np.array(following, dtype=np.int32),
        tuple(marks),
        np.array(may_end, dtype=np.bool_),
        1,
    )


def _marked(stages: Sequence[Stage], node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield what a mark leads to: of each stage, with those after it at their start again."""
    if any(n >= stage.n_inside for stage, n in zip(stages, node, strict=True)):
        return
    for i, stage in enumerate(stages):
        later = range(i + 1, len(stages))
        if not all(stages[j].may_end[node[j]] for j in later):
            continue
        for after in stage.marks[node[i]]:
            yield (*node[:i], after, *(stages[j].start for j in later))


def _minimise(chunks: Chunks) -> Chunks:
    """Return the smallest automaton of the same marked texts, without nodes that lead nowhere."""
    alive = chunks.may_end.copy()
    while True:
        more = alive | alive[chunks.next].any(axis=1)
        more |= np.array([bool(alive[list(after)].any()) for after in chunks.marks])
        more[0] = False
        if np.array_equal(more, alive):
            break
        alive = more
    following = np.where(alive[chunks.next], chunks.next, 0)
    marks = [tuple(n for n in after if alive[n]) for after in chunks.marks]
    number = np.where(alive, 1 + chunks.may_end, 0)
    while True:
        found: dict[tuple[object, ...], int] = {}
        rows = number[following]
        after = [frozenset(number[list(nodes)].tolist()) for nodes in marks]
        refined = np.array(
            [
                found.setdefault((int(number[i]), rows[i].tobytes(), after[i]), len(found))
                for i in range(len(number))
            ]
        )
        if len(found) == len(set(number.tolist())):
            break
        number = refined
    return _quotient(chunks, number, following, marks)


def _quotient(
    chunks: Chunks,
    number: NDArray[Any],
    following: NDArray[np.int32],
    marks: Sequence[tuple[int, ...]],
) -> Chunks:
    """Return the automaton of classes, those that are reached, breadth first."""
    _, example = np.unique(number, return_index=True)
    order = {int(number[0]): 0, int(number[chunks.start]): 1}
    pending = [int(number[0]), int(number[chunks.start])]
    for kind in pending:
        node = int(example[kind])
        for after in (*following[node].tolist(), *marks[node]):
            if int(number[after]) not in order:
                order[int(number[after])] = len(order)
                pending.append(int(number[after]))
    nodes = [int(example[kind]) for kind in pending]
    new = np.array([order.get(kind, 0) for kind in number.tolist()], dtype=np.int32)
    table = new[following[nodes]]
    columns, joined = np.unique(table, axis=1, return_inverse=True)
    return Chunks(
        joined.reshape(-1)[chunks.byte_class].astype(np.uint8),
        np.ascontiguousarray(columns),
        tuple(tuple(sorted({int(new[n]) for n in marks[node]})) for node in nodes),
        chunks.may_end[nodes],
        1,
    )
