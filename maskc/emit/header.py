"""What an artifact's header says: its origin, how large its parts are, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import maskc
from maskc.artifact.model import FORMAT
from maskc.emit.graph import DecisionGraph
from maskc.emit.mask_differences import Unions
from maskc.emit.provenance import describe_grammar, describe_tokenizer, describe_unicode
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import Grammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner
from maskc.store.adjacency import Adjacency
from maskc.streamline.order import Streamlined
from maskc.vocab.trie import TokenTrie
from maskc.vocab.vocabulary import Vocabulary

MAX_REPORTED = 100  # pairs of terminals that cannot be lexed apart


def build_header(
    source: GrammarSource,
    vocabulary: Vocabulary,
    *,
    counts: Mapping[str, int],
    streamlined: Streamlined,
    unlexed: Sequence[Adjacency],
) -> dict[str, Any]:
    """Return the header, without the entries that the arrays are read with.

    Args:
        source: the grammar.
        vocabulary: the tokens.
        counts: how large the parts are.
        streamlined: what the steps left.
        unlexed: terminals that stand side by side in the grammar and never in a text.
    """
    return {
        "format": FORMAT,
        "maskc": maskc.__version__,
        "unicode": describe_unicode(),
        "grammar": describe_grammar(source),
        "tokenizer": describe_tokenizer(vocabulary),
        "counts": {**counts, "not_lexed_apart": len(unlexed)},
        **streamlined.report,
        "not_lexed_apart": [
            {"first": a.first, "second": a.second, "witness": a.witness}
            for a in unlexed[:MAX_REPORTED]
        ],
    }


def count_parts(
    grammar: Grammar,
    scanner: Scanner,
    boundaries: Boundaries,
    of_parser: Mapping[str, int],
    trie: TokenTrie,
    streamlined: Streamlined,
    graph: DecisionGraph,
    unions: Unions,
) -> dict[str, int]:
    """Return how large the parts are; ``of_parser`` is what only this parser has."""
    rows, verdicts = streamlined.rows, streamlined.verdicts
    return {
        "terminals": len(grammar.bnf.terminals),
        "nonterminals": len(grammar.bnf.nonterminals),
        "productions": len(grammar.bnf.productions),
        **of_parser,
        "scanner_states": scanner.n_states,
        "byte_classes": scanner.next.shape[1],
        "boundaries": len(scanner.closed),
        "lookaheads": boundaries.n_lookaheads,
        "trie_nodes": trie.n_nodes,
        "rows": len(rows),
        "token_sets": len(np.unique(rows.token_set)),
        "words": len(verdicts.sequences),
        "word_classes": len(verdicts.flags),
        "nodes": len(graph.nodes),
        "undecided_nodes": graph.n_undecided,
        "answers": len(graph.answers),
        "masks": len(unions.base),
        "questions": graph.count_moves(),
    }
