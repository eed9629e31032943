"""THE ORDER: every pass of the compiler, one call a line.

A grammar is parsed; its DFT pushdown automaton is built; sequences that Bar-Hillel's intersection
finds empty are never legal, those whose debt automaton no stack fails are always legal, terminals
that stand for each other are interchangeable; what is left is decided by the parser's state on top
of the stack, and becomes an artifact.

Each pass takes frozen values and returns one; none of them times, logs or prints. The driver
measures each pass and tells ``progress`` where it is. What differs between the parsers is a
:class:`~maskc.compiler.stages.ParserPath`.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from maskc.artifact.model import Contents, check
from maskc.artifact.starts import bundle_starts
from maskc.bounded import run_bounded
from maskc.budget import at
from maskc.compiler.emit.assemble import assemble, build_header, count_parts
from maskc.compiler.emit.building import build_graph
from maskc.compiler.emit.graph import DecisionGraph
from maskc.compiler.emit.mask_differences import Unions, encode_unions
from maskc.compiler.glr_path import GENERAL_PATH
from maskc.compiler.lalr_path import LALR_PATH, build_language
from maskc.compiler.optimise.order import STEPS, OptimisedRows, streamline
from maskc.compiler.stages import LexicalAnalysis, ParserPath, Stages
from maskc.frontends.source import GrammarSource
from maskc.lexer.narrowed import WordStates
from maskc.vocab.trie import trie_of
from maskc.vocab.vocabulary import Vocabulary

Progress = Callable[[str, float], None]
T = TypeVar("T")

PATHS: Mapping[str, ParserPath[Any]] = {"lalr": LALR_PATH, "earley": GENERAL_PATH}

PASSES = (
    "grammar",
    "scanner",
    "boundaries",
    "parser",
    "pushdown automaton",
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
        cpu_seconds: the process's own time, all its threads together; other work on the machine
            does not change it much.
        peak_mb: largest resident memory of the process so far, in MiB.
    """

    name: str
    seconds: float
    cpu_seconds: float
    peak_mb: float


@dataclass(slots=True)
class _Driver:
    progress: Progress | None
    records: list[PassRecord] = field(default_factory=list)

    def run(self, name: str, work: Callable[[], T]) -> T:
        at(f"pass {name}")
        self.report(name, 0.0)
        start, cpu_start = time.perf_counter(), time.process_time()
        value = work()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.records.append(PassRecord(name, seconds, cpu_seconds, peak))
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
    path = PATHS[source.parser]
    stages = run_bounded(
        lambda: _compile(source, vocabulary, driver, up_to, path), name=source.name
    )
    return stages.contents, tuple(driver.records)


def compile_narrowed(
    source: GrammarSource, vocabulary: Vocabulary, holes: Mapping[str, WordStates]
) -> Contents:
    """Return the contents for a grammar of the LALR parser whose terminals are narrowed.

    Args:
        source: the grammar.
        vocabulary: the tokens.
        holes: by the terminal's name its words.

    Raises:
        MaskcError: as :func:`compile_contents`.
    """
    path = replace(LALR_PATH, build_language=partial(build_language, holes=holes))
    work = partial(_compile, source, vocabulary, _Driver(None), STEPS[-1], path)
    return run_bounded(work, name=source.name).contents


def compile_starts(
    sources: Sequence[GrammarSource], vocabulary: Vocabulary, progress: Progress | None = None
) -> tuple[Contents, tuple[PassRecord, ...]]:
    """Return the artifact of a grammar with several start symbols, and what each pass cost.

    Args:
        sources: the grammar as it is read with each of them.
        vocabulary: the tokens.
        progress: called with a pass's name and the fraction done, for each of them.

    Raises:
        MaskcError: as :func:`compile_contents`.
    """
    made = [compile_contents(source, vocabulary, progress) for source in sources]
    costs = [records for _, records in made]
    together = tuple(
        PassRecord(
            same[0].name,
            sum(r.seconds for r in same),
            sum(r.cpu_seconds for r in same),
            max(r.peak_mb for r in same),
        )
        for same in zip(*costs, strict=True)
    )
    return bundle_starts([contents for contents, _ in made]), together


def compile_stages(
    source: GrammarSource, vocabulary: Vocabulary, progress: Progress | None = None
) -> Stages:
    """Return all that :func:`compile_contents` makes on its way.

    Raises:
        MaskcError: as :func:`compile_contents`.
    """
    path = PATHS[source.parser]
    work = partial(_compile, source, vocabulary, _Driver(progress), STEPS[-1], path)
    return run_bounded(work, name=source.name)


def _compile(
    source: GrammarSource,
    vocabulary: Vocabulary,
    driver: _Driver,
    up_to: str,
    path: ParserPath[Any],
) -> Stages:
    run = driver.run
    language = path.build_language(source, run)
    lexed, unlexed = language.lexed, path.find_unlexed(language)
    # After this point: what the grammar decides without a tokenizer.

    decider = run("pushdown automaton", lambda: path.make_decider(language))
    # After this point: who is asked which terminal sequences are legal.

    trie = run("token trie", lambda: trie_of(vocabulary))
    store = run("store", lambda: path.walk(language, trie, lambda f: driver.report("store", f)))
    # After this point: rows, nothing decided.

    streamlined = streamline(
        lexed.grammar,
        lexed.scanner,
        lexed.boundaries,
        store,
        decider,
        lambda step, work: run(f"streamline {step}", work),
        up_to,
    )
    # After this point: each row is accepted, rejected or open, by the state on top of the stack.

    graph = run("decision graph", lambda: _build_graph(lexed, streamlined))
    sets, n_tokens = streamlined.rows.tokens, len(vocabulary.tokens)
    unions = run("masks", lambda: encode_unions(graph.unions, sets, n_tokens))
    # After this point: what a lexer state says is looked up by the state on top of the stack.

    sizes = path.count(language)
    counts = count_parts(
        lexed.grammar, lexed.scanner, lexed.boundaries, sizes, trie, streamlined, graph, unions
    )
    header = build_header(
        lexed.source, vocabulary, counts=counts, streamlined=streamlined, unlexed=unlexed
    )

    def put_together() -> Contents:
        contents = _assemble(header, vocabulary, lexed, streamlined, graph, unions)
        return path.complete(language, store, streamlined, graph, contents)

    contents = run("assemble", put_together)
    fault = check(contents)
    if fault:
        raise ValueError(f"the compiler made a broken artifact: {fault}")
    after, verdicts = streamlined.after, streamlined.verdicts
    return Stages(language, decider, after, verdicts, graph, unions, contents)


def _build_graph(lexed: LexicalAnalysis[Any], streamlined: OptimisedRows) -> DecisionGraph:
    tops, rows, verdicts = streamlined.tops, streamlined.rows, streamlined.verdicts
    return build_graph(lexed.grammar.lexer, lexed.scanner, tops, rows, verdicts)


def _assemble(
    header: dict[str, Any],
    vocabulary: Vocabulary,
    lexed: LexicalAnalysis[Any],
    streamlined: OptimisedRows,
    graph: DecisionGraph,
    unions: Unions,
) -> Contents:
    return assemble(
        header,
        vocabulary.tokens,
        lexed.grammar,
        lexed.scanner,
        lexed.boundaries,
        streamlined.rows.sequences.open_lexemes,
        graph,
        unions,
    )
