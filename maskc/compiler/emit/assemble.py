"""Compiler values → artifact: the header, and the arrays of ``SHARED_SECTIONS``.

Sets of lookaheads become rows of 64-bit words, and lists of lists become offsets and values. What
only one kind of parser has is added by :mod:`maskc.compiler.lalr_path` or
:mod:`maskc.compiler.glr_path`. The header says where the artifact comes from, how large its parts
are, and what was decided.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maskc
from maskc import bits
from maskc.artifact.model import FORMAT, Contents, fit
from maskc.artifact.sections import cut_rows
from maskc.compiler import LexicalAnalysis
from maskc.compiler.emit import DecisionGraph
from maskc.compiler.emit.mask_differences import Unions
from maskc.compiler.optimise.order import OptimisedRows
from maskc.compiler.rows.unlexed import UnlexedPair
from maskc.errors import LimitError
from maskc.grammar import Grammar
from maskc.ids import AT_END, EMPTY_TEXT, END, NOT_AN_END
from maskc.lexer import End, Scanner
from maskc.lexer.boundaries import LexemeContexts, PartialLexeme
from maskc.vocab.trie import TokenTrie
from maskc.vocab.vocabulary import Vocabulary
from maskc.wording import Phrase

Ints = NDArray[np.int32]


MAX_REPORTED = 100  # pairs of terminals that cannot be lexed apart


def assemble(
    lexed: LexicalAnalysis[Grammar],
    vocabulary: Vocabulary,
    counts: Mapping[str, int],
    unlexed: Sequence[UnlexedPair],
    optimised: OptimisedRows,
    graph: DecisionGraph,
    unions: Unions,
) -> Contents:
    """Return the contents that both kinds of grammars have, without the parser's table."""
    grammar, scanner, boundaries = lexed.grammar, lexed.scanner, lexed.boundaries
    header = {
        "format": FORMAT,
        "maskc": maskc.__version__,
        # What `\w` and the flag `i` match is what Python's own tables of characters say.
        "unicode": unicodedata.unidata_version,
        "grammar": lexed.source.describe(),
        "tokenizer": vocabulary.describe(),
        "counts": {**counts, "not_lexed_apart": len(unlexed)},
        **optimised.report,
        "not_lexed_apart": [
            {"first": a.first, "second": a.second, "witness": a.witness}
            for a in unlexed[:MAX_REPORTED]
        ],
        "sizes": {
            "V": len(vocabulary.tokens),
            "C": len(grammar.lexer.contexts),
            "T": len(grammar.bnf.terminals),
            "N": len(grammar.bnf.nonterminals),
            "M": boundaries.n_lookaheads,
        },
        "scanner_start": scanner.start,
        "end_lookahead": boundaries.number[End(END, AT_END)],
        "terminals": list(grammar.bnf.terminals),
        "nonterminals": list(grammar.bnf.nonterminals),
    }
    open_lexemes = optimised.rows.sequences.open_lexemes
    arrays: dict[str, NDArray[Any]] = {
        **_token_sections(tuple(vocabulary.tokens)),
        **_scanner_sections(scanner, boundaries),
        **_boundary_sections(grammar, boundaries, open_lexemes, len(scanner.closed)),
        **_graph_sections(graph, unions),
    }
    return Contents(header, fit(arrays))


def count_parts(
    lexed: LexicalAnalysis[Grammar],
    of_parser: Mapping[str, int],
    trie: TokenTrie,
    optimised: OptimisedRows,
    graph: DecisionGraph,
    unions: Unions,
) -> dict[str, int]:
    """Return how large the parts are; ``of_parser`` is what only this parser has."""
    bnf, scanner = lexed.grammar.bnf, lexed.scanner
    rows, verdicts = optimised.rows, optimised.verdicts
    return {
        "terminals": len(bnf.terminals),
        "nonterminals": len(bnf.nonterminals),
        "productions": len(bnf.productions),
        **of_parser,
        "scanner_states": scanner.n_states,
        "byte_classes": scanner.next.shape[1],
        "boundaries": len(scanner.closed),
        "lookaheads": lexed.boundaries.n_lookaheads,
        "trie_nodes": trie.n_nodes,
        "rows": len(rows),
        "token_sets": len(np.unique(rows.token_set)),
        "words": len(verdicts.sequences),
        "word_classes": len(verdicts.flags),
        "nodes": len(graph.nodes),
        "undecided_nodes": graph.n_undecided,
        "answers": len(graph.answers),
        "masks": len(unions.base),
        "questions": graph.n_moves,
    }


def ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int32)


def offsets(lengths: Iterable[int]) -> Ints:
    """Return where lists of these lengths begin in one, and where the last ends.

    Raises:
        LimitError: together they are too long for 32 bits.

    >>> offsets([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    ends = np.cumsum([0, *lengths], dtype=np.int64)
    if ends[-1] > np.iinfo(np.int32).max:
        raise LimitError("entries in one table", np.iinfo(np.int32).max, Phrase.SMALLER_GRAMMAR)
    return ends.astype(np.int32)


def flatten(
    name: str, columns: Sequence[str], rows: Sequence[Collection[tuple[int, ...]]]
) -> dict[str, NDArray[Any]]:
    """Return lists of tuples as arrays: where each list begins, and each place of the tuples.

    >>> flatten("edge", ("from", "to"), [[(1, 2)], [], [(3, 4), (5, 6)]])["edge_to"]
    array([2, 4, 6], dtype=int32)
    """
    flat = np.array(list(chain.from_iterable(rows)), np.int32).reshape(-1, len(columns))
    found: dict[str, NDArray[Any]] = {f"{name}_first": offsets(map(len, rows))}
    return found | {f"{name}_{column}": flat[:, n].copy() for n, column in enumerate(columns)}


@lru_cache(maxsize=2)
def _token_sections(tokens: tuple[bytes | None, ...]) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a vocabulary, which many grammars share."""
    texts = [token or b"" for token in tokens]
    first = offsets(map(len, texts))
    first.setflags(write=False)
    return MappingProxyType(
        {"token_first": first, "token_bytes": np.frombuffer(b"".join(texts), dtype=np.uint8)}
    )


def _scanner_sections(scanner: Scanner, boundaries: LexemeContexts) -> dict[str, NDArray[Any]]:
    pieces, (following, entries) = cut_rows(scanner.next, scanner.entries)
    return {
        "byte_class": scanner.byte_class,
        "scanner_piece": pieces,
        "scanner_next": following,
        "scanner_entries": entries,
        "scanner_enter": scanner.enter,
        "scanner_end_of_text": ints(
            NOT_AN_END if t is None else EMPTY_TEXT if t == EMPTY_TEXT else t
            for t in scanner.end_of_text
        ),
        "scanner_final": ints(boundaries.open_lexeme_of),
        **flatten("end", ("terminal", "boundary"), scanner.ends),
    }


def _boundary_sections(
    grammar: Grammar,
    boundaries: LexemeContexts,
    open_lexemes: Sequence[PartialLexeme],
    n_boundaries: int,
) -> dict[str, NDArray[Any]]:
    n_lookaheads = boundaries.n_lookaheads
    number: dict[int, int] = {}
    rest = [[number.setdefault(mask, len(number)) for mask in row] for row in boundaries.rest]
    return {
        "final_direct": bits.pack(
            [open_lexeme.direct for open_lexeme in open_lexemes], n_lookaheads
        ),
        "final_ignored_first": offsets(len(open_lexeme.ignored) for open_lexeme in open_lexemes),
        "final_ignored": ints(b for open_lexeme in open_lexemes for b in open_lexeme.ignored),
        "rest_set": bits.pack(list(number), n_lookaheads),
        "rest": np.array(rest, dtype=np.int32).reshape(n_boundaries, boundaries.n_layout_contexts),
        "terminal_lookaheads": bits.pack(
            [boundaries.set_of(terminal) for terminal in range(len(grammar.bnf.terminals))],
            n_lookaheads,
        ),
    }


def _graph_sections(graph: DecisionGraph, unions: Unions) -> dict[str, NDArray[Any]]:
    nothing, query = np.zeros(0, np.int32), ("terminal", "column", "node")
    asked = [answer.checks for answer in graph.answers]
    checks = flatten("trial", ("final", "column", "union"), asked)
    number: dict[bytes, int] = {}
    lists = [number.setdefault(node.profiles.tobytes(), len(number)) for node in graph.nodes]
    return {
        **flatten("root", query, graph.roots),
        "node_first": offsets(len(node.profiles) for node in graph.nodes),
        "node_profiles": ints(lists),
        "profiles_first": offsets(len(content) // nothing.itemsize for content in number),
        "profiles": np.frombuffer(b"".join(number), dtype=np.int32),
        "node_answer": np.concatenate([nothing, *(node.answers for node in graph.nodes)]),
        "answer_union": unions.number_of[[answer.union for answer in graph.answers]],
        **flatten("question", query, [answer.queries for answer in graph.answers]),
        **checks,
        "trial_union": unions.number_of[checks["trial_union"]],
        "union_base": unions.base,
        "union_parent": unions.parent,
        "union_first": unions.first,
        "union_change": unions.change,
        "change_word": unions.word,
        "change_bits": unions.bits,
        "masks": unions.masks,
    }
