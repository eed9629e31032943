"""What the compiler does for a general grammar: ``parser=earley``.

The scanner, the boundaries and the form of the rows are those of :mod:`maskc.compiler.lalr_path`.
In the place of Lark's LALR table stands a table of our own that keeps every action, over
productions that were rewritten first. No conflict takes texts away, so the functions of the
appendix, asked of the productions, decide rows by themselves; then the states of the table decide
more. Both are exact about what is never legal, and have to agree. What they leave open goes to the
sets of stacks at hand.

Source: appendix, sections 2, 4.3 and 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from maskc import bits
from maskc.artifact.model import Contents
from maskc.artifact.sections import UNLISTED
from maskc.compiler.emit.graph import DecisionGraph
from maskc.compiler.glr.adjacency import Adjacency, LexedCfg, keep_adjacent
from maskc.compiler.glr.cfg import drop_empties, merge_unit_cycles, share_tails
from maskc.compiler.glr.lr0 import (
    GeneralTable,
    build_general_table,
    find_going_on,
    general_sections,
)
from maskc.compiler.glr.recursion import turn_right_recursion
from maskc.compiler.glr.top_state import (
    StackVerdicts,
    check_never,
    condition_on_tops,
    find_states_after,
    list_asked,
)
from maskc.compiler.glr.triples import Triples, ask_productions
from maskc.compiler.glr.walk import build_general_store
from maskc.compiler.lalr.completion import Lookaheads
from maskc.compiler.optimise.order import LegalityOracle, OptimisedRows
from maskc.compiler.optimise.rows import Rows
from maskc.compiler.optimise.state import States, Tops, Verdicts
from maskc.compiler.optimise.steps import merge_jointly_legal
from maskc.compiler.pushdown.dft import build_dft
from maskc.compiler.pushdown.interchangeable import (
    Classes,
    find_production_classes,
    merge_interchangeable,
)
from maskc.compiler.pushdown.production_verdicts import AskedProductions, ProductionVerdicts
from maskc.compiler.rows.sequences import Event, RawRows
from maskc.compiler.rows.steps import build_steps
from maskc.compiler.rows.unlexed import Adjacency as Unlexed
from maskc.compiler.rows.unlexed import explain_no_text, find_unlexed
from maskc.compiler.stages import GeneralLanguage, LexicalAnalysis, ParserPath, Run, run_plainly
from maskc.errors import GrammarError
from maskc.frontends.dialects import LARK
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import Bnf, Grammar
from maskc.grammar.sets import compute_adjacent, compute_sets, reduce_grammar, reduce_productions
from maskc.ids import END, ContextId, TerminalId
from maskc.lexer.boundaries import Boundaries, build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.dynamic import build_dynamic_scanner
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner
from maskc.lexer.scanner import Scanner, build_scanner, quote_terminal
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
    whole = LexicalAnalysis(source, grammar, scanner, columns, boundaries)
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


def _make_decider(language: GeneralLanguage) -> LegalityOracle:
    lexed = language.lexed
    return make_general_oracle(
        lexed.grammar, lexed.boundaries, language.productions, language.table, language.merged
    )


def _walk(language: GeneralLanguage, trie: TokenTrie, progress: Callable[[float], None]) -> RawRows:
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
    store: RawRows,
    streamlined: OptimisedRows,
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


def make_general_oracle(
    grammar: Grammar,
    boundaries: Boundaries,
    lexed: LexedCfg,
    table: GeneralTable,
    merged: Mapping[TerminalId, TerminalId],
) -> LegalityOracle:
    """Return who is asked about the rows of a general grammar.

    Where nothing is decided by the states, each may go on with everything. ``merged`` are terminals
    for which others stand already.
    """
    goes_on = find_going_on(lexed.cfg, table)
    after = find_states_after(table, lexed.symbols)
    # Questions are asked after a terminal, or where a text starts.
    every = tuple(sorted({0, *(state for states in after.values() for state in states)}))
    n_states = len(goes_on)
    contexts = (ContextId(0),) * n_states  # a general grammar's lexer has one

    def decide(verdicts: ProductionVerdicts) -> GeneralOracle:
        return GeneralOracle(verdicts, StackVerdicts(table, goes_on, verdicts))

    return LegalityOracle(
        ask_lexed(lexed, grammar),
        _widen(find_symbol_classes(lexed), merged),
        Tops(
            _list_live(lexed, goes_on),
            contexts,
            lambda terminal: after.get(terminal, ()) if terminal >= 0 else every,
        ),
        Tops((boundaries.everything,) * n_states, contexts, lambda _: (0,)),
        decide,
    )


@dataclass(frozen=True, slots=True, eq=False)
class GeneralOracle:
    """What the productions and the states of a general table decide.

    Attributes:
        verdicts: the productions' answers.
        stacks: the states' answers.
    """

    verdicts: ProductionVerdicts
    stacks: StackVerdicts

    def merge_jointly_legal(self, rows: Rows) -> Rows:
        """Return the rows with one sequence for all whose debt automata are equal."""
        return merge_jointly_legal(rows, self.verdicts)

    def decide_by_state(self, rows: Rows) -> Verdicts:
        """Return the answers for the rows' sequences, by the LR(0) state on top.

        Raises:
            ValueError: the states contradict the productions.
        """
        asked = list_asked(rows)
        found = condition_on_tops(rows, asked, self.stacks)
        check_never(rows, asked, found, self.stacks)
        return found

    def states_after(self, event: Event) -> States:
        """Return the states that can be on top when an event has happened."""
        return self.stacks.states_after(event)

    def explain_left_out(self) -> str | None:
        """Return that the states were not followed to the end, if so."""
        if self.stacks.is_spent or self.verdicts.is_spent:
            return "some rows are left to the parser: their automata are too large"
        return None


def ask_lexed(lexed: LexedCfg, grammar: Grammar) -> AskedProductions:
    """Return the productions of a general parser's table: no text of theirs is lost."""
    return AskedProductions(
        build_dft(reduce_productions((), (), lexed.cfg.start, lexed.cfg.productions)),
        lexed.symbols,
        grammar.lexer.contexts,
        {terminal: 1 for terminal, _ in lexed.symbols},
        None,
        None,
    )


def find_symbol_classes(lexed: LexedCfg) -> Classes:
    """Return the classes of two or more terminals that can stand for each other (6.2).

    The productions are over symbols, terminals with lookaheads. Only terminals with a single
    symbol count: where the lexer tells two of them apart, what stands for what depends on it.
    """
    reduced = reduce_productions((), (), lexed.cfg.start, lexed.cfg.productions)
    symbols_of: dict[int, list[int]] = {}
    for symbol, (terminal, _) in enumerate(lexed.symbols):
        symbols_of.setdefault(terminal, []).append(symbol)
    classes = []
    for members in find_production_classes(reduced):
        terminals = [lexed.symbols[symbol][0] for symbol in members]
        single = sorted(TerminalId(t) for t in terminals if len(symbols_of[t]) == 1 and t != END)
        if len(single) > 1:
            classes.append(tuple(single))
    return tuple(sorted(classes))


def _widen(classes: Classes, merged: Mapping[TerminalId, TerminalId]) -> Classes:
    """Return the classes with the terminals for which one of theirs stands already."""
    first = {terminal: members[0] for members in classes for terminal in members}
    groups = {members[0]: set(members) for members in classes}
    for terminal, one in sorted(merged.items()):
        groups.setdefault(first.get(one, one), {one}).add(terminal)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values()))


def _list_live(lexed: LexedCfg, goes_on: tuple[int, ...]) -> tuple[Lookaheads, ...]:
    """Return the lookaheads that each state of the general table can go on with."""
    return tuple(
        bits.unite(own for symbol, (_, own) in enumerate(lexed.symbols) if symbols >> symbol & 1)
        for symbols in goes_on
    )
