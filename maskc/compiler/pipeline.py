"""THE ORDER: every pass of the compiler, one call a line (docs/lalr.md, docs/general-grammars.md).

Each pass takes frozen values and returns one; none of them times, logs or prints. The driver
measures each pass and tells ``progress`` where it is. What differs between the parsers is a
:class:`ParserPath`, and what each knows of a grammar before it meets a tokenizer, a ``Language``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from maskc.artifact.model import Contents, check
from maskc.artifact.starts import bundle_starts
from maskc.bounded import run_bounded
from maskc.budget import at
from maskc.compiler import LexicalAnalysis, analyse
from maskc.compiler.emit import DecisionGraph
from maskc.compiler.emit.assemble import assemble, count_parts
from maskc.compiler.emit.building import build_graph
from maskc.compiler.emit.mask_differences import Unions, encode_unions
from maskc.compiler.glr_path import GeneralLanguage, GeneralPath
from maskc.compiler.lalr_path import LalrLanguage, LalrPath
from maskc.compiler.optimise.order import STEPS, LegalityOracle, OptimisedRows, optimise
from maskc.errors import GrammarError
from maskc.frontends.source import GrammarSource
from maskc.grammar import Grammar
from maskc.ids import TerminalId
from maskc.lexer import Scanner
from maskc.lexer.rewritten import WordStates
from maskc.system import peak_memory
from maskc.vocab.trie import trie_of
from maskc.vocab.vocabulary import Vocabulary

Progress = Callable[[str, float], None]
T = TypeVar("T")
G = TypeVar("G", bound=Grammar)
L_co = TypeVar("L_co", covariant=True)

# What a grammar decides without a tokenizer, and what its parser adds to each later pass.
Language = LalrLanguage | GeneralLanguage

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
    """What one pass cost."""

    name: str  # of PASSES
    seconds: float  # wall-clock time
    # the process's own time, all its threads together; other work on the machine does not change it
    # much
    cpu_seconds: float
    peak_mb: float  # largest resident memory of the process so far, in MiB


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
        peak = peak_memory() / (1 << 20)
        self.records.append(PassRecord(name, seconds, cpu_seconds, peak))
        self.report(name, 1.0)
        return value

    def report(self, name: str, fraction: float) -> None:
        if self.progress:
            self.progress(name, fraction)


class PassRunner(Protocol):
    """Does a pass, by its name, and measures it."""

    def __call__(self, name: str, work: Callable[[], T], /) -> T:
        """Return what the work returns."""


def run_plainly(name: str, work: Callable[[], T], /) -> T:
    """Do a pass, and measure nothing."""
    del name
    return work()


class ParserPath(Protocol[G, L_co]):
    """What the compiler does in one way for Lark's LALR parser and in another for a general one."""

    def load(self, source: GrammarSource) -> tuple[G, GrammarSource]:
        """Return a grammar, and its source with the settings in its text."""

    def scan(
        self, grammar: G, source: GrammarSource
    ) -> tuple[Scanner, G, Mapping[TerminalId, TerminalId]]:
        """Return the scanner, the grammar over the terminals that it tells apart, and the others.

        Of the others, by terminal, the one that stands for it.
        """

    def parse(self, lexed: LexicalAnalysis[G], merged: Mapping[TerminalId, TerminalId]) -> L_co:
        """Return the language, with the parser's table."""


PATHS: Mapping[str, ParserPath[Any, Language]] = {"lalr": LalrPath(), "earley": GeneralPath()}


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """All values of one compilation."""

    language: Language  # what the grammar decides
    # the DFT pushdown automaton, interchangeable terminals, and the parser's states
    oracle: LegalityOracle
    optimised: OptimisedRows  # the rows after each step, and the verdicts on the last ones
    graph: DecisionGraph  # what is asked, in which order
    unions: Unions  # the masks, as differences
    contents: Contents  # the artifact
    records: tuple[PassRecord, ...]  # what each pass cost


def compile_contents(
    source: GrammarSource,
    vocabulary: Vocabulary,
    progress: Progress | None = None,
    *,
    up_to: str = STEPS[-1],
    see: Callable[[Language], object] | None = None,
) -> tuple[Contents, tuple[PassRecord, ...]]:
    """Return the artifact's contents, and what each pass cost.

    Args:
        progress, up_to: as for :func:`compile_stages`.
        see: called with what the grammar decides without a tokenizer.

    Raises:
        MaskcError: as :func:`compile_stages`.
    """
    stages = compile_stages(source, vocabulary, progress, up_to=up_to)
    if see is not None:
        see(stages.language)
    return stages.contents, stages.records


def compile_starts(
    sources: Sequence[GrammarSource],
    vocabulary: Vocabulary,
    progress: Progress | None = None,
    see: Callable[[Language], object] | None = None,
) -> tuple[Contents, tuple[PassRecord, ...]]:
    """Return the artifact of a grammar with several start symbols, and what each pass cost.

    ``see`` is called for each of them, as by :func:`compile_contents`.

    Raises:
        MaskcError: as :func:`compile_contents`.
    """
    made = [compile_contents(source, vocabulary, progress, see=see) for source in sources]
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
    source: GrammarSource,
    vocabulary: Vocabulary,
    progress: Progress | None = None,
    *,
    up_to: str = STEPS[-1],
    holes: Mapping[str, WordStates] | None = None,
) -> Stages:
    """Return the artifact's contents, with all that is made on the way.

    Args:
        progress: called with a pass's name and the fraction done.
        up_to: the last streamlining step that is taken: the same masks, more slowly, to compare.
        holes: words to which terminals are narrowed, of a grammar of the LALR parser.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached, or the budget is spent.
    """
    driver, path = _Driver(progress), LalrPath(holes) if holes else PATHS[source.parser]
    return run_bounded(lambda: _compile(source, vocabulary, driver, path, up_to), name=source.name)


def build_language(
    source: GrammarSource, path: ParserPath[G, L_co], run: PassRunner = run_plainly
) -> L_co:
    """Return what a grammar decides, without a tokenizer.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    grammar, source = run("grammar", lambda: path.load(source))
    # After this point: terminals, productions, Lark's LALR table and its contexts, all numbered.

    return analyse_grammar(grammar, source, path, run)


def analyse_grammar(
    grammar: G, source: GrammarSource, path: ParserPath[G, L_co], run: PassRunner = run_plainly
) -> L_co:
    """Return what a grammar that is loaded decides; as :func:`build_language`."""
    scanner, grammar, merged = run("scanner", lambda: path.scan(grammar, source))
    # After this point: bytes become terminals; what a lexeme's end demands is a boundary.

    lexed = run("boundaries", lambda: analyse(source, grammar, scanner))
    # After this point: lookaheads; what the lexer lets follow what.

    return run("parser", lambda: path.parse(lexed, merged))
    # After this point: a stack's top names what leads to an end.


def _compile(
    source: GrammarSource,
    vocabulary: Vocabulary,
    driver: _Driver,
    path: ParserPath[Any, Language],
    up_to: str,
) -> Stages:
    run = driver.run
    language = build_language(source, path, run)
    lexed = language.lexed
    why = language.explain_no_text()
    if why is not None:
        raise GrammarError(lexed.source.name, why)
    # After this point: what the grammar decides without a tokenizer.

    unlexed, oracle = run(
        "pushdown automaton", lambda: (language.find_unlexed(), language.make_oracle())
    )
    # After this point: who is asked which terminal sequences are legal.

    trie = run("token trie", lambda: trie_of(vocabulary))
    raw = run("store", lambda: language.walk(trie, lambda done: driver.report("store", done)))
    # After this point: rows, nothing decided.

    optimised = optimise(
        lexed, raw, oracle, lambda step, work: run(f"streamline {step}", work), up_to
    )
    # After this point: each row is accepted, rejected or open, by the state on top of the stack.

    graph = run("decision graph", lambda: build_graph(lexed, optimised))
    sets, n_tokens = optimised.rows.tokens, len(vocabulary.tokens)
    unions = run("masks", lambda: encode_unions(graph.unions, sets, n_tokens))
    # After this point: what a lexer state says is looked up by the state on top of the stack.

    def put_together() -> Contents:
        counts = count_parts(lexed, language.count(), trie, optimised, graph, unions)
        contents = assemble(lexed, vocabulary, counts, unlexed, optimised, graph, unions)
        return language.complete(contents, optimised, graph)

    contents = run("assemble", put_together)
    fault = check(contents)
    if fault:
        raise ValueError(f"the compiler made a broken artifact: {fault}")
    records = tuple(driver.records)
    return Stages(language, oracle, optimised, graph, unions, contents, records)
