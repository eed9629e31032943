r"""Builds the automaton of the texts in which a tokenizer's cuts are marked.

A pattern looks ahead, so what follows a chunk can decide where it ends. The texts with a mark at
each cut are a regular language nonetheless: the pattern is compiled as the only terminal of
``start: CHUNK*``, and the automaton is made of the parts of that lexer's scanner. Some tokenizers
cut in *stages*, each within the chunks of the one before; a cut belongs to one stage, and the later
stages begin anew.

Example: with ``\s+(?!\S)|\s+|\S+``, after ``a`` and two blanks the cut between the blanks is right
iff a letter follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from maskc.artifact.row_chunks import read_rows
from maskc.compiler.pipeline import compile_starts
from maskc.errors import LimitError
from maskc.frontends.lark.regex_module import CharacterTest, translate
from maskc.frontends.source import load_sources
from maskc.ids import NOT_AN_END
from maskc.runtime.spelling.chunks import Chunks
from maskc.spelling.merging import refuse
from maskc.vocab.files import TokenizerFile
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
MAX_NODES = 200_000

# The automaton of one pattern, and how many of its nodes are not right after a cut: the first ones.
Stage = tuple[Chunks, int]


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


def build_chunks(patterns: Sequence[str], ask: CharacterTest, *, has_gaps: bool) -> Chunks:
    """Return the automaton of the texts in which the ends of chunks are marked.

    Each pattern is a stage; with ``has_gaps``, what it does not match is a chunk, too.

    Raises:
        LimitError: the automaton is too large.
        UnsupportedTerminalError: a pattern is not regular.
    """
    return _trim(_join([_build_stage(p, ask, has_gaps=has_gaps) for p in patterns]))


def _build_stage(pattern: str, ask: CharacterTest, *, has_gaps: bool) -> Stage:
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
    all_cuts = (*cuts, *((),) * len(entries))
    return Chunks(classes, following, all_cuts, may_end, start), n_states


def _join(stages: Sequence[Stage]) -> Chunks:
    """Return the automaton of several stages, with nodes that lead nowhere."""
    parts = [chunks for chunks, _ in stages]
    rows = np.array([part.byte_class for part in parts]).reshape(len(parts), 256)
    classes, byte_class = np.unique(rows, axis=1, return_inverse=True)
    nodes = [(0,) * len(parts), tuple(part.start for part in parts)]
    number = {node: n for n, node in enumerate(nodes)}
    following = [np.zeros(classes.shape[1], dtype=np.int32)]
    cuts: list[tuple[int, ...]] = [()]

    def find(node: tuple[int, ...]) -> int:
        if node not in number:
            if len(nodes) >= MAX_NODES:
                raise LimitError("states of a tokenizer's pattern", MAX_NODES, "simplify it")
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
    if any(n >= n_between for (_, n_between), n in zip(stages, node, strict=True)):
        return
    for i, (chunks, _) in enumerate(stages):
        later = [stage for stage, _ in stages[i + 1 :]]
        if all(stage.may_end[n] for stage, n in zip(later, node[i + 1 :], strict=True)):
            for after in chunks.cuts[node[i]]:
                yield (*node[:i], after, *(stage.start for stage in later))


def _trim(chunks: Chunks) -> Chunks:
    """Return the automaton with the nodes dead from which no text ends."""
    alive, before = chunks.may_end, None
    while before is None or not np.array_equal(alive, before):
        before = alive
        alive = alive | alive[chunks.next].any(axis=1)
        alive |= np.array([bool(alive[list(after)].any()) for after in chunks.cuts])
        alive[0] = False
    table = np.where(alive[chunks.next], chunks.next, 0)
    cuts = tuple(tuple(node for node in after if alive[node]) for after in chunks.cuts)
    return Chunks(chunks.byte_class, table, cuts, chunks.may_end, chunks.start)
