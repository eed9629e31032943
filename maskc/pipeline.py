"""THE ORDER: every pass of the compiler, one call a line.

Each pass takes frozen values and returns one; none of them times, logs or prints. The driver
measures each pass and tells ``progress`` where it is.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

import maskc
from maskc.artifact.model import FORMAT, Contents, check
from maskc.budget import at, run_bounded
from maskc.emit.assemble import assemble
from maskc.emit.graph import build_graph
from maskc.emit.mask_differences import encode_unions
from maskc.emit.provenance import describe_grammar, describe_tokenizer, describe_unicode
from maskc.errors import GrammarError
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import GrammarSource
from maskc.glr.pipeline import compile_general
from maskc.grammar.model import LalrGrammar
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.scanner import build_scanner
from maskc.parser.balance import find_enclosed_items
from maskc.parser.completion import build_completions
from maskc.parser.items import build_item_sets
from maskc.parser.refine import RefinedTable, refine_states
from maskc.stages import LalrLanguage, Lexed, Run, Stages, run_plainly
from maskc.store.adjacency import find_adjacencies
from maskc.store.steps import build_steps
from maskc.store.walk import build_store
from maskc.streamline.order import STEPS, streamline
from maskc.vocab.trie import build_trie
from maskc.vocab.vocabulary import Vocabulary
from maskc.wording import Phrase

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
    *(f"streamline {step}" for step in STEPS),
    "decision graph",
    "masks",
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
        at(f"pass {name}")
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
    up_to: str = STEPS[-1],
) -> tuple[Contents, tuple[PassRecord, ...]]:
    """Return the artifact's contents, and what each pass cost.

    Args:
        source: the grammar.
        vocabulary: the tokens.
        progress: called with a pass's name and the fraction done.
        up_to: the last streamlining step that is taken: the same masks, more slowly, to compare.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached, or the budget is spent.
    """
    driver = _Driver(progress)
    stages = run_bounded(lambda: _compile(source, vocabulary, driver, up_to), name=source.name)
    return stages.contents, tuple(driver.records)


def compile_stages(
    source: GrammarSource, vocabulary: Vocabulary, progress: Progress | None = None
) -> Stages:
    """Return all that :func:`compile_contents` makes on its way.

    Raises:
        MaskcError: as :func:`compile_contents`.
    """
    driver = _Driver(progress)
    return run_bounded(lambda: _compile(source, vocabulary, driver, STEPS[-1]), name=source.name)


def build_language(source: GrammarSource, run: Run = run_plainly) -> LalrLanguage:
    """Return what a grammar for Lark's LALR parser decides, without a tokenizer.

    Args:
        source: the grammar.
        run: does a pass.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    grammar, source = run("grammar", lambda: load_lalr_grammar(source))
    # After this point: terminals, productions, Lark's LALR table and its contexts, all numbered.

    return analyse_grammar(grammar, source, run)


def analyse_grammar(
    grammar: LalrGrammar, source: GrammarSource, run: Run = run_plainly
) -> LalrLanguage:
    """Return what a grammar that is loaded decides; as :func:`build_language`."""
    scanner = run("scanner", lambda: build_scanner(grammar.lexer))
    # After this point: bytes become terminals; what a lexeme's end demands is a boundary.

    columns = build_columns(grammar.lexer, scanner)
    boundaries = run("boundaries", lambda: build_boundaries(grammar.lexer, scanner, columns))
    # After this point: lookaheads; the lexer's word on what may follow what.

    item_sets, enclosed_items = build_item_sets(grammar), find_enclosed_items(grammar)

    def refine() -> RefinedTable:
        completions = build_completions(
            grammar,
            item_sets,
            boundaries.of_terminal,
            lambda look, state, enclosed: boundaries.follow(
                look, grammar.lalr.context_of[state], enclosed=enclosed
            ),
            enclosed_items,
        )
        return refine_states(grammar, item_sets, completions, boundaries.end, enclosed_items)

    table = run("parser", refine)
    # After this point: a stack's top names exactly the lookaheads that lead to an end.
    return LalrLanguage(Lexed(source, grammar, scanner, columns, boundaries), item_sets, table)


def _compile(source: GrammarSource, vocabulary: Vocabulary, driver: _Driver, up_to: str) -> Stages:
    run = driver.run
    if source.parser == "earley":
        return compile_general(source, vocabulary, run, driver.report, up_to)

    language = build_language(source, run)
    lexed, item_sets, table = language.lexed, language.item_sets, language.table
    source, grammar, scanner = lexed.source, lexed.grammar, lexed.scanner
    columns, boundaries = lexed.columns, lexed.boundaries
    if not table.live[0]:
        raise GrammarError(
            source.name,
            Phrase.NO_TEXT,
        )
    adjacencies = find_adjacencies(grammar.lexer, scanner, boundaries, table)

    trie = run("token trie", lambda: build_trie(vocabulary.tokens))
    steps = build_steps(grammar.lexer, scanner)
    store = run(
        "store",
        lambda: build_store(
            grammar, scanner, boundaries, steps, trie, lambda f: driver.report("store", f)
        ),
    )
    # After this point: rows, nothing decided.

    streamlined = streamline(
        grammar,
        scanner,
        item_sets,
        boundaries,
        columns,
        table,
        store,
        lambda step, work: run(f"streamline {step}", work),
        up_to,
    )
    rows, verdicts = streamlined.rows, streamlined.verdicts
    # After this point: each row is accepted, rejected or open, by the state on top of the stack.

    graph = run(
        "decision graph", lambda: build_graph(grammar.lexer, scanner, table, rows, verdicts)
    )
    unions = run(
        "masks", lambda: encode_unions(graph.unions, rows.tokens.sets, len(vocabulary.tokens))
    )
    # After this point: what a lexer state says is looked up by the state on top of the stack.

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
            "lalr_states": len(grammar.lalr.states),
            "refined_states": len(table.live),
            "contexts": len(grammar.lexer.contexts),
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
            "not_lexed_apart": len(adjacencies),
        },
        **streamlined.report,
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
            rows.words.finals,
            graph,
            unions,
        ),
    )
    fault = check(contents)
    if fault:
        raise ValueError(f"the compiler made a broken artifact: {fault}")
    return Stages(language, streamlined.after, verdicts, graph, unions, contents)
