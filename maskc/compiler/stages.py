"""What the compiler knows after each pass: one frozen value for all of it.

:mod:`maskc.compiler.pipeline` fills it in; ``maskc dump`` prints it,
``maskc lint`` reads its first half. A *language* is what a grammar decides without a tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from maskc.artifact.model import Contents
from maskc.compiler.emit.graph import DecisionGraph
from maskc.compiler.emit.mask_differences import Unions
from maskc.compiler.glr.adjacency import LexedCfg
from maskc.compiler.glr.lr0 import GeneralTable
from maskc.compiler.lalr.items import ItemSets
from maskc.compiler.lalr.refine import RefinedTable
from maskc.compiler.optimise.order import LegalityOracle, OptimisedRows
from maskc.compiler.optimise.rows import Rows
from maskc.compiler.optimise.state import Verdicts
from maskc.compiler.rows.sequences import RawRows
from maskc.compiler.rows.unlexed import Adjacency
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import Grammar, LalrGrammar
from maskc.ids import TerminalId
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.columns import Columns
from maskc.lexer.scanner import Scanner
from maskc.vocab.trie import TokenTrie

T = TypeVar("T")
G_co = TypeVar("G_co", bound=Grammar, covariant=True)


class Run(Protocol):
    """Does a pass, by its name, and measures it."""

    def __call__(self, name: str, work: Callable[[], T], /) -> T:
        """Return what the work returns."""


def run_plainly(name: str, work: Callable[[], T], /) -> T:
    """Do a pass, and measure nothing."""
    del name
    return work()


@dataclass(frozen=True, slots=True, eq=False)
class LexicalAnalysis(Generic[G_co]):
    """A grammar and its scanner, whatever its parser is.

    Attributes:
        source: the grammar's text, with what it imports.
        grammar: what Lark made of it.
        scanner: bytes into terminals.
        columns: where newlines may end, with indentation.
        boundaries: lookaheads, and what the lexer lets follow what.
    """

    source: GrammarSource
    grammar: G_co
    scanner: Scanner
    columns: Columns
    boundaries: Boundaries


@dataclass(frozen=True, slots=True, eq=False)
class LalrLanguage:
    """What a grammar for Lark's LALR parser decides.

    Attributes:
        lexed: the grammar and its scanner.
        item_sets: the items of each LALR state.
        table: the refined table: a stack's top names the lookaheads that lead to an end.
    """

    lexed: LexicalAnalysis[LalrGrammar]
    item_sets: ItemSets
    table: RefinedTable


@dataclass(frozen=True, slots=True, eq=False)
class GeneralLanguage:
    """What a general grammar decides.

    Attributes:
        lexed: the grammar and its scanner.
        productions: rewritten, and cut down to what the lexer can give.
        table: their LR(0) automaton, all actions kept.
        merged: terminal → the one that stands for it in all of these, where it is another one.
    """

    lexed: LexicalAnalysis[Grammar]
    productions: LexedCfg
    table: GeneralTable
    merged: Mapping[TerminalId, TerminalId]


Language = LalrLanguage | GeneralLanguage


L = TypeVar("L", bound=Language)


@dataclass(frozen=True, slots=True)
class ParserPath(Generic[L]):
    """What the compiler does in one way for Lark's LALR parser and in another for a general one.

    Attributes:
        build_language: a grammar → what it decides without a tokenizer.
        find_unlexed: → pairs of terminals that cannot be lexed apart; raises ``GrammarError`` if
            no text at all can be parsed.
        make_decider: → the pushdown automaton and the parser's states, which decide about rows.
        walk: with a token trie, and what is told the fraction done → the store.
        count: → how large the parts are that only this parser has.
        complete: with the store, what streamlining left, the decision graph and an artifact's
            contents → the same with what only this parser needs.
    """

    build_language: Callable[[GrammarSource, Run], L]
    find_unlexed: Callable[[L], tuple[Adjacency, ...]]
    make_decider: Callable[[L], LegalityOracle]
    walk: Callable[[L, TokenTrie, Callable[[float], None]], RawRows]
    count: Callable[[L], dict[str, int]]
    complete: Callable[[L, RawRows, OptimisedRows, DecisionGraph, Contents], Contents]


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """All values of one compilation.

    Attributes:
        language: what the grammar decides.
        decider: the DFT pushdown automaton, interchangeable terminals, and the parser's states.
        rows: the rows after each streamlining step, by the step's name, in order.
        verdicts: the answers for the last rows' terminal sequences, by the state on top.
        graph: what is asked, in which order.
        unions: the masks, as differences.
        contents: the artifact.
    """

    language: Language
    decider: LegalityOracle
    rows: tuple[tuple[str, Rows], ...]
    verdicts: Verdicts
    graph: DecisionGraph
    unions: Unions
    contents: Contents
