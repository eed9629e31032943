"""What the compiler does for a general grammar: ``parser=earley``.

The scanner, the boundaries and the form of the store are those of :mod:`maskc.lalr_path`. In the
place of Lark's LALR table stands a table of our own that keeps every action, over productions that
were rewritten first. What the productions and the state on top of a stack leave open goes to the
sets of stacks at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from maskc.artifact.model import Contents
from maskc.artifact.sections import UNLISTED
from maskc.emit.graph import DecisionGraph
from maskc.errors import GrammarError
from maskc.frontends.dialects import LARK
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource
from maskc.glr.adjacency import Adjacency, LexedCfg, keep_adjacent
from maskc.glr.arrays import general_sections
from maskc.glr.epsilon import drop_empties
from maskc.glr.interchangeable import merge_interchangeable
from maskc.glr.lr0 import build_general_table
from maskc.glr.recursion import turn_right_recursion
from maskc.glr.streamline import ask_lexed, make_general_decider
from maskc.glr.tails import share_tails
from maskc.glr.triples import Triples, ask_productions
from maskc.glr.unit_cycles import merge_unit_cycles
from maskc.glr.walk import build_general_store
from maskc.grammar.model import Bnf, Grammar
from maskc.grammar.reduce import reduce_grammar
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import TerminalId
from maskc.lexer.boundaries import Boundaries, build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.dynamic import build_dynamic_scanner
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner
from maskc.lexer.scanner import Scanner, build_scanner, quote_terminal
from maskc.stages import GeneralLanguage, Lexed, ParserPath, Run, run_plainly
from maskc.store.adjacency import Adjacency as Unlexed
from maskc.store.adjacency import find_unlexed
from maskc.store.model import MaskStore
from maskc.store.no_text import explain_no_text
from maskc.store.steps import build_steps
from maskc.streamline.order import Decider, Streamlined
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

_SCANNER_OF = {
    "dynamic": build_dynamic_scanner,
    "dynamic_complete": build_dynamic_complete_scanner,
}


def build_general_language(source: GrammarSource, run: Run = run_plainly) -> GeneralLanguage:
    """Return what a general grammar decides, without a tokenizer.

    Raises:
        GrammarError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    grammar, source = run("grammar", lambda: load_grammar(source))

    scanner, grammar, merged = run("scanner", lambda: _scan(source, grammar))
    columns = build_columns(grammar.lexer, scanner)
    boundaries = run("boundaries", lambda: build_boundaries(grammar.lexer, scanner, columns))
    # After this point: bytes become lookaheads, in one way or in many.

    lexed = run("parser", lambda: rewrite_productions(grammar.bnf, scanner, boundaries))
    table = build_general_table(lexed.cfg)
    # After this point: a stack that the table reads is the beginning of one that ends.
    whole = Lexed(source, grammar, scanner, columns, boundaries)
    return GeneralLanguage(whole, lexed, table, merged)


def _scan(
    source: GrammarSource, grammar: Grammar
) -> tuple[Scanner, Grammar, Mapping[TerminalId, TerminalId]]:
    """Return the scanner, the grammar over the terminals that it tells apart, and the others."""
    if source.lexer == "basic":
        return build_scanner(grammar.lexer), grammar, {}
    build = _SCANNER_OF[source.lexer]
    bnf, stands_for = merge_interchangeable(grammar.bnf, grammar.lexer.ignored)
    used = grammar.bnf.used_terminals()
    scanner = build(grammar.lexer, used, stands_for)
    return scanner, replace(grammar, bnf=bnf), stands_for


def rewrite_productions(bnf: Bnf, scanner: Scanner, boundaries: Boundaries) -> LexedCfg:
    """Return the productions that the table is built from; each line keeps the language.

    The last one keeps that part of it which the lexer can give.
    """
    cfg = drop_empties(bnf.start, len(bnf.nonterminals), bnf.productions)
    cfg = merge_unit_cycles(cfg)
    cfg = turn_right_recursion(cfg)
    cfg = share_tails(cfg)
    first = boundaries.first(scanner.start)
    follows = tuple(contexts[0] for contexts in boundaries.follows)
    return keep_adjacent(cfg, Adjacency(boundaries.of_terminal, follows, first))


def _find_unlexed(language: GeneralLanguage) -> tuple[Unlexed, ...]:
    lexed, cfg = language.lexed, language.productions.cfg
    reduced = reduce_grammar(lexed.grammar.bnf)
    adjacent = compute_adjacent(reduced, compute_sets(reduced))
    unlexed = find_unlexed(lexed.grammar.bnf, lexed.scanner, lexed.boundaries, adjacent)
    if not cfg.productions and not cfg.has_empty:
        why = None
        if lexed.source.dialect == LARK.name:
            bnf, lexer = lexed.grammar.bnf, lexed.grammar.lexer
            first = lexed.boundaries.first(lexed.scanner.start)
            why = explain_no_text(bnf, lexer, lexed.scanner, lexed.boundaries, first)
        raise GrammarError(lexed.source.name, why or Phrase.NO_GENERAL_TEXT)
    return unlexed


def _make_decider(language: GeneralLanguage) -> Decider:
    lexed = language.lexed
    return make_general_decider(
        lexed.grammar, lexed.boundaries, language.productions, language.table, language.merged
    )


def _walk(
    language: GeneralLanguage, trie: TokenTrie, progress: Callable[[float], None]
) -> MaskStore:
    scanner, follow = language.lexed.scanner, language.productions.follow()
    steps = build_steps(language.lexed.grammar.lexer, scanner)
    grammar = language.lexed.grammar
    asked = ask_productions(ask_lexed(language.productions, grammar))
    triples = Triples(len(grammar.lexer.terminals), follow, asked)
    return build_general_store(
        scanner,
        language.lexed.boundaries,
        triples,
        steps,
        trie,
        progress,
        lambda terminal: quote_terminal(grammar.lexer, terminal),
    )


def _count(language: GeneralLanguage) -> dict[str, int]:
    return {
        "rewritten_productions": len(language.productions.cfg.productions),
        "general_states": len(language.table.shifts),
    }


def _complete(
    language: GeneralLanguage,
    store: MaskStore,
    streamlined: Streamlined,
    graph: DecisionGraph,
    contents: Contents,
) -> Contents:
    lexed, productions = language.lexed, language.productions
    sizes = {**contents.header["sizes"], "GN": productions.cfg.n_nonterminals}
    more = general_sections(
        language.table,
        productions.symbols,
        lexed.boundaries.n_lookaheads,
        lexed.boundaries.end,
        lexed.scanner.closed,
        streamlined.tops.live,
        graph.profile_of,
    )
    header = {**contents.header, "sizes": sizes}
    if len(store.unlisted):
        header[UNLISTED], more[UNLISTED] = len(store.unlisted), store.unlisted
    return Contents(header, {**contents.arrays, **more})


GENERAL_PATH = ParserPath(
    build_general_language, _find_unlexed, _make_decider, _walk, _count, _complete
)
