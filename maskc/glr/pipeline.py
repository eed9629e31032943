"""THE ORDER for a general grammar: ``parser=earley``, one pass a line.

As :mod:`maskc.pipeline`, which calls it; the scanner, the boundaries and the form of the store are
the same. In the place of Lark's LALR table stands a table of our own that keeps every action, over
productions that were rewritten first. What the productions and the state on top of a stack leave
open goes to the sets of stacks at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import maskc
from maskc.artifact.model import FORMAT, Contents, check
from maskc.emit.assemble import assemble
from maskc.emit.graph import build_graph
from maskc.emit.mask_differences import encode_unions
from maskc.emit.provenance import describe_grammar, describe_tokenizer, describe_unicode
from maskc.errors import GrammarError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource
from maskc.glr.adjacency import Adjacency, LexedCfg, keep_adjacent
from maskc.glr.arrays import general_sections
from maskc.glr.epsilon import drop_empties
from maskc.glr.lr0 import build_general_table
from maskc.glr.recursion import turn_right_recursion
from maskc.glr.streamline import streamline_general
from maskc.glr.unit_cycles import merge_unit_cycles
from maskc.glr.walk import build_general_store
from maskc.grammar.model import Bnf
from maskc.grammar.reduce import reduce_grammar
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.lexer.boundaries import Boundaries, build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.dynamic import build_dynamic_scanner
from maskc.lexer.scanner import Scanner, build_scanner
from maskc.stages import GeneralLanguage, Lexed, Run, Stages, run_plainly
from maskc.store.adjacency import find_unlexed
from maskc.store.steps import build_steps
from maskc.vocab.trie import build_trie
from maskc.vocab.vocabulary import Vocabulary
from maskc.wording import Phrase

MAX_REPORTED = 100  # pairs of terminals that cannot be lexed apart


def build_general_language(source: GrammarSource, run: Run = run_plainly) -> GeneralLanguage:
    """Return what a general grammar decides, without a tokenizer.

    Args:
        source: the grammar.
        run: does a pass.

    Raises:
        GrammarError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    grammar, source = run("grammar", lambda: load_grammar(source))

    def scan() -> Scanner:
        if source.lexer == "dynamic_complete":
            return build_dynamic_scanner(grammar.lexer, grammar.bnf.used_terminals())
        return build_scanner(grammar.lexer)

    scanner = run("scanner", scan)
    columns = build_columns(grammar.lexer, scanner)
    boundaries = run("boundaries", lambda: build_boundaries(grammar.lexer, scanner, columns))
    # After this point: bytes become lookaheads, in one way or in many.

    lexed = run("parser", lambda: rewrite_productions(grammar.bnf, scanner, boundaries))
    table = build_general_table(lexed.cfg)
    # After this point: a stack that the table reads is the beginning of one that ends.
    return GeneralLanguage(Lexed(source, grammar, scanner, columns, boundaries), lexed, table)


def compile_general(
    source: GrammarSource,
    vocabulary: Vocabulary,
    run: Run,
    progress: Callable[[str, float], None],
    up_to: str,
) -> Stages:
    """Return all that is made of a general grammar, its artifact's contents last.

    Args:
        source: the grammar.
        vocabulary: the tokens.
        run: does a pass.
        progress: called with a pass's name and the fraction done.
        up_to: the last streamlining step that is taken: of ``GENERAL_STEPS``.

    Raises:
        GrammarError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    language = build_general_language(source, run)
    source, grammar, scanner = language.lexed.source, language.lexed.grammar, language.lexed.scanner
    columns, boundaries = language.lexed.columns, language.lexed.boundaries
    lexed, table = language.productions, language.table
    if not lexed.cfg.productions and not lexed.cfg.has_empty:
        raise GrammarError(
            source.name,
            Phrase.NO_GENERAL_TEXT,
        )
    reduced = reduce_grammar(grammar.bnf)
    adjacent = compute_adjacent(reduced, compute_sets(reduced))
    unlexed = find_unlexed(grammar.bnf, scanner, boundaries, adjacent)

    trie = run("token trie", lambda: build_trie(vocabulary.tokens))
    steps = build_steps(grammar.lexer, scanner)
    follow = lexed.follow()
    store = run(
        "store",
        lambda: build_general_store(
            scanner, boundaries, follow, steps, trie, lambda f: progress("store", f)
        ),
    )
    streamlined, tops = streamline_general(
        grammar,
        scanner,
        boundaries,
        lexed,
        table,
        store,
        lambda step, work: run(f"streamline {step}", work),
        up_to,
    )
    rows, verdicts = streamlined.rows, streamlined.verdicts
    # After this point: each row is accepted, rejected or open, by the state on top of a stack.

    graph = run(
        "decision graph",
        lambda: build_graph(grammar.lexer, scanner, tops.states, rows, verdicts, tops.list_states),
    )
    unions = run(
        "masks", lambda: encode_unions(graph.unions, rows.tokens.sets, len(vocabulary.tokens))
    )
    # After this point: rows that wait for the same terminal are one question.

    header = {
        "format": FORMAT,
        "maskc": maskc.__version__,
        "unicode": describe_unicode(),
        "grammar": describe_grammar(source),
        "tokenizer": describe_tokenizer(vocabulary),
        "counts": {
            "terminals": len(grammar.bnf.terminals),
            "nonterminals": len(grammar.bnf.nonterminals),
            "productions": len(grammar.bnf.productions),
            "rewritten_productions": len(lexed.cfg.productions),
            "general_states": len(table.shifts),
            "scanner_states": scanner.n_states,
            "byte_classes": scanner.next.shape[1],
            "boundaries": len(scanner.closed),
            "lookaheads": boundaries.n_lookaheads,
            "trie_nodes": trie.n_nodes,
            "rows": len(rows),
            "token_sets": len(np.unique(rows.token_set)),
            "words": len(verdicts.words),
            "word_classes": len(verdicts.flags),
            "nodes": len(graph.nodes),
            "undecided_nodes": graph.n_undecided,
            "answers": len(graph.answers),
            "masks": len(unions.base),
            "questions": graph.count_moves(),
            "not_lexed_apart": len(unlexed),
        },
        **streamlined.report,
        "not_lexed_apart": [
            {"first": a.first, "second": a.second, "witness": a.witness}
            for a in unlexed[:MAX_REPORTED]
        ],
    }

    def put_together() -> Contents:
        contents = assemble(
            header,
            vocabulary.tokens,
            grammar,
            scanner,
            boundaries,
            columns,
            tops.states,
            rows.words.finals,
            graph,
            unions,
        )
        contents.header["sizes"]["GN"] = lexed.cfg.n_nonterminals
        more = general_sections(
            table, lexed.symbols, boundaries.n_lookaheads, boundaries.end, scanner.closed
        )
        return replace(contents, arrays={**contents.arrays, **more})

    contents = run("assemble", put_together)
    fault = check(contents)
    if fault:
        raise ValueError(f"the compiler made a broken artifact: {fault}")
    return Stages(language, streamlined.after, verdicts, graph, unions, contents)


def rewrite_productions(bnf: Bnf, scanner: Scanner, boundaries: Boundaries) -> LexedCfg:
    """Return the productions that the table is built from; each line keeps the language.

    The last one keeps that part of it which the lexer can give.
    """
    cfg = drop_empties(bnf.start, len(bnf.nonterminals), bnf.productions)
    cfg = merge_unit_cycles(cfg)
    cfg = turn_right_recursion(cfg)
    opened = boundaries.finals[boundaries.final_of[scanner.start]]
    first = opened.direct
    for boundary in opened.ignored:
        first |= boundaries.rest[boundary][0]
    follows = tuple(contexts[0] for contexts in boundaries.follows)
    return keep_adjacent(cfg, Adjacency(boundaries.of_terminal, follows, first))
