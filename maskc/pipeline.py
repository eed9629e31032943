"""THE ORDER: every pass of the compiler, one call a line.

Each pass takes frozen values and returns one; none of them times, logs or prints. The driver
measures each pass and tells ``progress`` where it is.
"""

from __future__ import annotations

import hashlib
import json
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

import maskc
from maskc.analysis.interchangeable import find_classes
from maskc.analysis.successors import build_follow_graph, build_successor_graph
from maskc.artifact.assemble import assemble
from maskc.artifact.model import FORMAT, Contents, check
from maskc.errors import GrammarError
from maskc.frontends.lark import load_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import Grammar
from maskc.grammar.reduce import reduce_grammar
from maskc.lexer.boundaries import Boundaries, build_boundaries
from maskc.lexer.columns import Columns, build_columns
from maskc.lexer.scanner import Scanner, build_scanner
from maskc.parser.balance import find_enclosed_items
from maskc.parser.completion import build_completions
from maskc.parser.items import ItemSets, build_item_sets
from maskc.parser.refine import RefinedTable, refine_states
from maskc.store.adjacency import find_adjacencies
from maskc.store.model import MaskStore
from maskc.store.steps import build_steps
from maskc.store.walk import build_store
from maskc.streamline.closings import merge_closings
from maskc.streamline.counting import count_questions, count_rows, count_sequences, percentiles
from maskc.streamline.decisions import Decisions
from maskc.streamline.follow import drop_unfollowed
from maskc.streamline.interchangeable import merge_interchangeable
from maskc.streamline.lalr_state import (
    Verdicts,
    condition_on_states,
    describe_residue,
    leave_open,
)
from maskc.streamline.model import Rows
from maskc.streamline.pairs import decide_pairs
from maskc.streamline.raw import collect_rows
from maskc.streamline.sequences import decide_sequences
from maskc.vocab.trie import build_trie
from maskc.vocab.vocabulary import Vocabulary

Progress = Callable[[str, float], None]
T = TypeVar("T")

MAX_REPORTED = 100

PASSES = (
    "grammar",
    "scanner",
    "boundaries",
    "parser",
    "token trie",
    "store",
    "streamline raw",
    "streamline closings",
    "streamline interchangeable",
    "streamline follow",
    "streamline pairs",
    "streamline sequences",
    "streamline state",
    "assemble",
)


@dataclass(frozen=True, slots=True)
class PassRecord:
    """What one pass cost.

    Attributes:
        name: of ``PASSES``.
        seconds: wall-clock time.
        peak_mb: largest resident memory of the process so far, in MiB.
    """

    name: str
    seconds: float
    peak_mb: float


@dataclass(slots=True)
class _Driver:
    progress: Progress | None
    records: list[PassRecord] = field(default_factory=list)

    def run(self, name: str, work: Callable[[], T]) -> T:
        self.report(name, 0.0)
        start = time.perf_counter()
        value = work()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.records.append(PassRecord(name, time.perf_counter() - start, peak))
        self.report(name, 1.0)
        return value

    def report(self, name: str, fraction: float) -> None:
        if self.progress:
            self.progress(name, fraction)


def compile_contents(
    source: GrammarSource,
    vocabulary: Vocabulary,
    progress: Progress | None = None,
    *,
    streamline: bool = True,
) -> tuple[Contents, tuple[PassRecord, ...]]:
    """Return the artifact's contents, and what each pass cost.

    Args:
        source: the grammar.
        vocabulary: the tokens.
        progress: called with a pass's name and the fraction done.
        streamline: without it the rows stay as the walk found them and nothing is decided: the
            same masks, slowly, for comparison.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    driver = _Driver(progress)
    run = driver.run

    grammar, source = run("grammar", lambda: load_grammar(source))
    enclosed_items = find_enclosed_items(grammar)
    # After this point: terminals, productions, Lark's LALR table and its contexts, all numbered.

    scanner = run("scanner", lambda: build_scanner(grammar))
    # After this point: bytes become terminals; what a lexeme's end demands is a boundary.

    columns = build_columns(grammar, scanner)
    boundaries = run("boundaries", lambda: build_boundaries(grammar, scanner, columns))
    # After this point: lookaheads; the lexer's word on what may follow what.

    item_sets = build_item_sets(grammar)

    def refine() -> RefinedTable:
        completions = build_completions(
            grammar,
            item_sets,
            boundaries.of_terminal,
            lambda look, state: boundaries.follows[look][grammar.context_of[state]],
        )
        return refine_states(grammar, item_sets, completions, boundaries.end, enclosed_items)

    table = run("parser", refine)
    if not table.live[0]:
        raise GrammarError(
            source.name,
            "no text at all can be parsed: every start runs into terminals that cannot be lexed "
            "apart, or into a conflict that Lark resolved by shifting",
        )
    adjacencies = find_adjacencies(grammar, scanner, boundaries, table)
    # After this point: a stack's top names exactly the lookaheads that lead to an end.

    trie = run("token trie", lambda: build_trie(vocabulary.tokens))
    steps = build_steps(grammar, scanner)
    store = run(
        "store",
        lambda: build_store(
            grammar, scanner, boundaries, steps, trie, lambda f: driver.report("store", f)
        ),
    )
    # After this point: rows, nothing decided.

    rows, verdicts, report = _streamline(
        driver, grammar, scanner, item_sets, boundaries, columns, table, store, decide=streamline
    )
    # After this point: each row is accepted, rejected or open, by the state on top of the stack.

    header = {
        "format": FORMAT,
        "maskc": maskc.__version__,
        "grammar": {
            "name": source.name,
            "text": source.text,
            "imports": dict(source.imports),
            "start": source.start,
            "lexer": source.lexer,
            "postlex": source.postlex,
            "sha256": _hash_source(source),
        },
        "tokenizer": {
            "name": vocabulary.name,
            "fingerprint": vocabulary.fingerprint,
            "vocab_size": vocabulary.vocab_size,
            "eos_ids": list(vocabulary.eos_ids),
            "n_tokens": sum(token is not None for token in vocabulary.tokens),
        },
        "counts": {
            "terminals": len(grammar.terminals),
            "nonterminals": len(grammar.nonterminals),
            "productions": len(grammar.productions),
            "lalr_states": len(grammar.states),
            "refined_states": len(table.live),
            "contexts": len(grammar.contexts),
            "scanner_states": scanner.n_states,
            "byte_classes": scanner.next.shape[1],
            "boundaries": len(scanner.closed),
            "lookaheads": boundaries.n_lookaheads,
            "trie_nodes": trie.n_nodes,
            "rows": len(rows),
            "masks": len(np.unique(rows.token_set)),
            "words": len(verdicts.words),
            "word_classes": len(verdicts.flags),
            "questions": count_questions(rows, verdicts),
            "not_lexed_apart": len(adjacencies),
        },
        **report,
        # Terminals that stand side by side in the grammar and never in a text.
        "not_lexed_apart": [
            {"first": a.first, "second": a.second, "witness": a.witness}
            for a in adjacencies[:MAX_REPORTED]
        ],
    }
    contents = run(
        "assemble",
        lambda: assemble(
            header,
            vocabulary.tokens,
            grammar,
            scanner,
            boundaries,
            columns,
            table,
            rows,
            verdicts,
        ),
    )
    fault = check(contents)
    if fault:
        raise ValueError(f"the compiler made a broken artifact: {fault}")
    return contents, tuple(driver.records)


def _streamline(
    driver: _Driver,
    grammar: Grammar,
    scanner: Scanner,
    item_sets: ItemSets,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
    store: MaskStore,
    *,
    decide: bool,
) -> tuple[Rows, Verdicts, dict[str, Any]]:
    """Return the rows after each step in turn, the last one's verdicts, and a report."""
    run = driver.run
    classes = find_classes(grammar)
    steps: list[dict[str, Any]] = []

    def report(step: str, rows: Rows, per_state: list[int]) -> None:
        counts = {"rows": sum(per_state), "stored": len(rows)}
        steps.append({"step": step, **counts, "per_state": percentiles(per_state)})

    rows = run("streamline raw", lambda: collect_rows(grammar, scanner, boundaries, store))
    newline = grammar.layout.newline if grammar.layout else None
    report("raw", rows, count_sequences(rows, boundaries, newline))
    if not decide:
        verdicts = leave_open(rows, len(table.live))
        return rows, verdicts, {"streamlining": steps, "classes": [], "residue": {}}

    rows = run("streamline closings", lambda: merge_closings(rows, boundaries))
    report("closings", rows, count_rows(rows))

    rows = run(
        "streamline interchangeable",
        lambda: merge_interchangeable(rows, classes, boundaries, table),
    )
    report("interchangeable", rows, count_rows(rows))

    follow = build_follow_graph(build_successor_graph(reduce_grammar(grammar)))
    rows = run("streamline follow", lambda: drop_unfollowed(rows, follow, grammar, boundaries))
    report("follow", rows, count_rows(rows))

    decisions = Decisions(grammar, item_sets, table, boundaries, columns, rows.words, classes)
    rows = run("streamline pairs", lambda: decide_pairs(rows, decisions, boundaries, table))
    report("pairs", rows, count_rows(rows))

    rows = run("streamline sequences", lambda: decide_sequences(rows, decisions, boundaries))
    report("sequences", rows, count_rows(rows))

    verdicts = run("streamline state", lambda: condition_on_states(rows, decisions))
    residue = describe_residue(rows, decisions, boundaries, grammar.terminals)
    names = [[grammar.terminals[terminal] for terminal in members] for members in classes]
    return rows, verdicts, {"streamlining": steps, "classes": names, "residue": residue}


def _hash_source(source: GrammarSource) -> str:
    fields = [source.text, source.start, source.lexer, source.postlex, dict(source.imports)]
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
