r"""Builds the automaton of the texts in which a tokenizer's cuts are marked.

A tokenizer's pattern looks ahead, so what follows a chunk can decide where it ends. The texts with
a mark at each cut are a regular language nonetheless. The pattern is compiled as the only terminal
of ``start: CHUNK*``, and the automaton is made of the parts of that lexer's scanner.

Some tokenizers cut in *stages*, each within the chunks of the one before. Their automaton is the
product of the stages' automata: a cut belongs to one stage, and the later stages begin anew.

Example: with ``\s+(?!\S)|\s+|\S+``, after ``a`` and two blanks the cut between the blanks is right
iff a letter follows.

Limits: stages are patterns that are cut out alone, ``Isolated``, or GPT-2's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from maskc.artifact.pieces import read_rows
from maskc.automata.partition import refine_by_signature
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

Cuts = tuple[tuple[int, ...], ...]  # per node, the nodes after a cut


class Stage(NamedTuple):
    """The automaton of one pattern. Node 0 is dead.

    Attributes:
        chunks: the automaton.
        n_between: the number of nodes that are not right after a cut; they come first.
    """

    chunks: Chunks
    n_between: int


def read_stages(file: TokenizerFile) -> list[str]:
    """Return the patterns of a ``tokenizer.json``, one a stage.

    Raises:
        TokenizerError: it cuts in another way.
    """
    patterns: list[str] = []
    pending: list[Any] = [file.contents.get("pre_tokenizer")]
    while pending:
        match pending.pop():
            case {"type": "Sequence", "pretokenizers": list(steps)}:
                pending += reversed(steps)
            case {"type": "ByteLevel"} as step:
                patterns += [GPT2] if step.get("use_regex", True) else []
            case {
                "type": "Split",
                "pattern": {"Regex": str(pattern)},
                "behavior": "Isolated",
                "invert": False,
            }:
                patterns.append(pattern)
            case None:
                pass
            case step:
                kind = str(step.get("type"))[:20] if isinstance(step, dict) else "none"
                raise refuse(file, f"its pre-tokenizer has a step {kind} that is not followed")
    return patterns


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
    return _minimise(_join([_build_stage(p, ask, has_gaps=has_gaps) for p in patterns]))


def _build_stage(pattern: str, ask: Ask, *, has_gaps: bool) -> Stage:
    written = translate("CHUNK", pattern, ask)
    if has_gaps:
        written = rf"{written}|(?:(?!{written})[\s\S])+"
    escaped = re.sub(r"(?<!\\)((?:\\\\)*)/", r"\1\\/", written).replace("\n", r"\n")
    escaped = escaped.replace("\r", r"\r")
    sources = load_sources(f"start: CHUNK*\nCHUNK: /{escaped}/\n", starts=())
    contents = compile_starts(sources, build_vocabulary("bytes", build_byte_table()), None)[0]
    arrays, start = contents.arrays, contents.header["scanner_start"]
    context = int(arrays["lalr_context"][0])
    entries = read_rows(arrays, "scanner_entries")[arrays["scanner_enter"][:, context]]
    n_states, first = len(arrays["scanner_next"]), arrays["end_first"]
    ends = [arrays["end_boundary"][first[i] : first[i + 1]].tolist() for i in range(n_states)]
    cuts = [tuple(sorted({n_states + boundary for boundary in found})) for found in ends]
    at_end = arrays["scanner_end_of_text"] != NOT_AN_END
    following = np.concatenate([read_rows(arrays, "scanner_next"), entries]).astype(np.int32)
    may_end = np.concatenate([at_end, np.zeros(len(entries), dtype=np.bool_)])
    classes = arrays["byte_class"].astype(np.uint8)
    return Stage(
        Chunks(classes, following, (*cuts, *((),) * len(entries)), may_end, start), n_states
    )


def _join(stages: Sequence[Stage]) -> Chunks:
    """Return the automaton of several stages, with nodes that lead nowhere."""
    parts = [stage.chunks for stage in stages]
    rows = np.array([part.byte_class for part in parts]).reshape(len(parts), 256)
    classes, byte_class = np.unique(rows, axis=1, return_inverse=True)
    nodes = [(0,) * len(parts), tuple(part.start for part in parts)]
    number = {node: n for n, node in enumerate(nodes)}
    following = [np.zeros(classes.shape[1], dtype=np.int32)]
    cuts: list[tuple[int, ...]] = [()]

    def find(node: tuple[int, ...]) -> int:
        if node not in number:
            if len(nodes) >= MAX_NODES:
                raise LimitError("places of a tokenizer's pattern", MAX_NODES, "simplify it")
            number[node] = len(nodes)
            nodes.append(node)
        return number[node]

    while len(following) < len(nodes):
        node = nodes[len(following)]
        columns = [p.next[n][c] for p, n, c in zip(parts, node, classes, strict=True)]
        table = np.array(columns, dtype=np.int32).reshape(len(parts), -1).T
        row = np.zeros(len(table), dtype=np.int32)
        for column in np.flatnonzero((table > 0).all(axis=1)).tolist():
            row[column] = find(tuple(table[column].tolist()))
        following.append(row)
        cuts.append(tuple(sorted(find(after) for after in _cut(stages, node))))
    may_end = [all(part.may_end[n] for part, n in zip(parts, node, strict=True)) for node in nodes]
    may_end[0] = False
    classes = byte_class.reshape(-1).astype(np.uint8)
    return Chunks(classes, np.array(following), tuple(cuts), np.array(may_end), 1)


def _cut(stages: Sequence[Stage], node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the nodes after a cut of each stage, with the stages after it at their start again."""
    if any(n >= stage.n_between for stage, n in zip(stages, node, strict=True)):
        return
    for i, stage in enumerate(stages):
        later = range(i + 1, len(stages))
        if all(stages[j].chunks.may_end[node[j]] for j in later):
            for after in stage.chunks.cuts[node[i]]:
                yield (*node[:i], after, *(stages[j].chunks.start for j in later))


def _minimise(chunks: Chunks) -> Chunks:
    """Return the smallest automaton of the same marked texts, without nodes that lead nowhere."""
    alive, before = chunks.may_end.copy(), None
    while before is None or not np.array_equal(alive, before):
        before = alive
        alive = alive | alive[chunks.next].any(axis=1)
        alive |= np.array([bool(alive[list(after)].any()) for after in chunks.cuts])
        alive[0] = False
    table = np.where(alive[chunks.next], chunks.next, 0)
    cuts = [[n for n in after if alive[n]] for after in chunks.cuts]

    def sign(classes: Sequence[int]) -> Iterator[tuple[bytes, frozenset[int]]]:
        numbers = np.array(classes, dtype=np.int32)
        for row, after in zip(numbers[table], cuts, strict=True):
            yield row.tobytes(), frozenset(numbers[after].tolist())

    class_of = np.array(refine_by_signature((alive * (1 + chunks.may_end)).tolist(), sign))
    # The classes that are reached, breadth first; a node for each.
    order = {int(class_of[0]): 0, int(class_of[chunks.start]): 1}
    nodes = [0, chunks.start]
    for node in nodes:
        for after in (*table[node].tolist(), *cuts[node]):
            if order.setdefault(int(class_of[after]), len(nodes)) == len(nodes):
                nodes.append(after)
    number = np.array([order.get(c, 0) for c in class_of.tolist()], dtype=np.int32)
    columns, column_of = np.unique(number[table[nodes]], axis=1, return_inverse=True)
    return Chunks(
        column_of.reshape(-1)[chunks.byte_class].astype(np.uint8),
        np.ascontiguousarray(columns),
        tuple(tuple(sorted({int(number[n]) for n in cuts[node]})) for node in nodes),
        chunks.may_end[nodes],
        1,
    )
