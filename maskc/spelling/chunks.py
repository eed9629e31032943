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

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from maskc.artifact.sections import read_rows
from maskc.compiler.pipeline import compile_starts
from maskc.errors import LimitError, TokenizerError
from maskc.frontends.lark.regex_module import CharacterTest, translate
from maskc.frontends.source import load_sources
from maskc.ids import NOT_AN_END
from maskc.runtime.spelling.tables import Chunks
from maskc.vocab.files import TokenizerFile
from maskc.vocab.huggingface import decode_byte_level, is_in_byte_alphabet
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary

NO_TOKEN = -1  # where no token begins
_REMEDY = "use a tokenizer with byte-level byte-pair encoding"
Rules = dict[tuple[int, int], tuple[int, int]]  # two tokens → the rank of their merge, its result


# A merge of a piece: rank, left and right token, result, and the piece's bytes that it covers.
Step = tuple[int, int, int, int, int, int]


def merge(rules: Rules, symbols: Sequence[int]) -> tuple[list[int], list[Step]]:
    """Return what byte-pair encoding makes of the tokens of a piece's bytes, and how.

    Bytes are merged: models that merge characters (sentencepiece), or do not merge (Unigram,
    WordPiece), are refused by name.

    Of all neighbours that can be merged, those of the lowest rank are, the leftmost first.
    """
    size, steps = len(symbols), list[Step]()
    tokens = [*symbols, NO_TOKEN]  # each where it begins
    ends, before = [*range(1, size + 1), size], list(range(-1, size))
    waiting: list[tuple[int, int, int, int, int]] = []

    def propose(start: int) -> None:
        pair = tokens[start], tokens[ends[start]]
        if pair in rules:
            rank, result = rules[pair]
            heapq.heappush(waiting, (rank, start, *pair, result))

    for start in range(size):
        propose(start)
    while waiting:
        rank, start, left, right, result = heapq.heappop(waiting)
        middle = ends[start]
        if tokens[start] == left and tokens[middle] == right:
            end = ends[middle]
            steps.append((rank, left, right, result, start, end))
            tokens[start], tokens[middle], ends[start], before[end] = result, NO_TOKEN, end, start
            propose(start)
            propose(before[start])
    return [token for token in tokens if token != NO_TOKEN], steps


def rules_of_ranks(tokens: Mapping[int, bytes]) -> Rules:
    """Return the merges of ranks, which are the ids: any two tokens that write a token.

    Example: the ranks ``a b c bc abc`` give the merges ``b c`` and ``a bc``.
    """
    ids = {text: token for token, text in tokens.items()}
    return {
        (left, right): (token, token)
        for token, text in tokens.items()
        for cut in range(1, len(text))
        if (left := ids.get(text[:cut])) is not None and (right := ids.get(text[cut:])) is not None
    }


def rules_of_json(file: TokenizerFile) -> tuple[dict[int, bytes], Rules]:
    """Return the tokens and the merges of a ``tokenizer.json``.

    Raises:
        TokenizerError: it is of another kind, or broken.
    """
    model: Any = file.contents.get("model")
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        kind = str(model.get("type"))[:20] if isinstance(model, dict) else "none"
        raise refuse(file, f"its model is of type {kind}, which does not merge")
    if model.get("byte_fallback") or model.get("unk_token") is not None:
        raise refuse(file, "its model begins with characters and not with bytes")
    vocab = model["vocab"]
    # Texts are written in GPT-2's alphabet before they are merged: other pieces never come up.
    tokens = {
        token: decode_byte_level(piece)
        for piece, token in vocab.items()
        if is_in_byte_alphabet(piece)
    }
    rules: Rules = {}
    for rank, listed in enumerate(model.get("merges") or []):
        match listed.split(" ") if isinstance(listed, str) else listed:
            case [str(left), str(right)] if {left, right, left + right} <= vocab.keys():
                # Of a pair that comes twice the last rank counts, as in a dictionary.
                if vocab[left] in tokens and vocab[right] in tokens:
                    rules[vocab[left], vocab[right]] = rank, vocab[left + right]
            case _:
                raise file.broken(f"merge {rank} is not of two pieces that make a third")
    return tokens, rules


def refuse(file: TokenizerFile, fact: str) -> TokenizerError:
    """Return the error that says why a tokenizer's own tokens cannot be told exactly."""
    return TokenizerError(file.tokenizer, f"{fact}, so its canonical tokens are not known", _REMEDY)


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
    if any(n >= n_between for (_, n_between), n in zip(stages, node, strict=True)):
        return
    for i, (chunks, _) in enumerate(stages):
        later = [stage for stage, _ in stages[i + 1 :]]
        if all(stage.may_end[n] for stage, n in zip(later, node[i + 1 :], strict=True)):
            for after in chunks.cuts[node[i]]:
                yield (*node[:i], after, *(stage.start for stage in later))


def _trim(chunks: Chunks) -> Chunks:
    alive, before = chunks.may_end, None
    while before is None or not np.array_equal(alive, before):
        before = alive
        alive = alive | alive[chunks.next].any(axis=1)
        alive |= np.array([bool(alive[list(after)].any()) for after in chunks.cuts])
        alive[0] = False
    table = np.where(alive[chunks.next], chunks.next, 0)
    cuts = tuple(tuple(node for node in after if alive[node]) for after in chunks.cuts)
    return Chunks(chunks.byte_class, table, cuts, chunks.may_end, chunks.start)
