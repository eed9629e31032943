"""What the compiler does for a general grammar: ``parser=earley``.

The scanner, the boundaries and the form of the rows are those of :mod:`maskc.compiler.lalr_path`.
Instead of Lark's LALR table there is a table of our own that keeps every action, over
productions that were rewritten first. No conflict takes texts away, so the functions of the
appendix, asked of the productions, decide rows by themselves; then the states of the table decide
more. Both are exact about what is never legal, and have to agree. What they leave open goes to the
sets of stacks at hand.

Source: appendix, sections 2, 4.3 and 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.artifact.model import Contents
from maskc.artifact.sections import TOKENS_WITHOUT_ROWS
from maskc.budget import at
from maskc.compiler import LexicalAnalysis
from maskc.compiler.emit import DecisionGraph
from maskc.compiler.emit.assemble import flatten
from maskc.compiler.glr import drop_empties, merge_unit_cycles, share_tails, turn_right_recursion
from maskc.compiler.glr.adjacency import Adjacency, LookaheadCfg, LookaheadSymbol, keep_adjacent
from maskc.compiler.glr.lr0 import (
    GeneralTable,
    build_general_table,
    find_going_on,
)
from maskc.compiler.glr.top_state import (
    StackVerdicts,
    check_never,
    condition_on_tops,
    find_states_after,
    list_asked,
)
from maskc.compiler.glr.walk import CutRule, Triples, ask_productions, find_follow
from maskc.compiler.optimise import Rows, States, Tops, Verdicts
from maskc.compiler.optimise.order import LegalityOracle, OptimisedRows
from maskc.compiler.optimise.steps import merge_jointly_legal
from maskc.compiler.pushdown.interchangeable import (
    Classes,
    find_production_classes,
    merge_terminals,
)
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.compiler.pushdown.production_verdicts import AskedProductions, ProductionVerdicts
from maskc.compiler.rows import ParserEvent, RawRows
from maskc.compiler.rows.steps import build_steps
from maskc.compiler.rows.unlexed import UnlexedPair as Unlexed
from maskc.compiler.rows.unlexed import explain_no_text, find_unlexed
from maskc.compiler.rows.walk import walk_tokens
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar import Bnf, Grammar
from maskc.grammar.sets import compute_adjacent, compute_sets, reduce_grammar
from maskc.ids import END, ContextId, TerminalId
from maskc.lexer import Scanner, quote_terminal
from maskc.lexer.boundaries import LexemeContexts
from maskc.lexer.contextual import build_dynamic_scanner, build_scanner
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

_SCANNER_OF = {"dynamic": build_dynamic_scanner, "dynamic_complete": build_dynamic_complete_scanner}


@dataclass(frozen=True, eq=False)
class GeneralLanguage:
    """What a general grammar decides."""

    lexed: LexicalAnalysis[Grammar]  # the grammar and its scanner
    productions: LookaheadCfg  # rewritten, and cut down to what the lexer can give
    table: GeneralTable  # their LR(0) automaton, all actions kept
    # terminal → the one that stands for it in all of these, where it is another one
    merged: Mapping[TerminalId, TerminalId]

    @cached_property
    def asked(self) -> AskedProductions:
        """The productions of the table: no text of theirs is lost."""
        return ask_lexed(self.productions, self.lexed.grammar)

    def explain_no_text(self) -> str | None:
        """Return why no text at all can be parsed; ``None`` if some can."""
        lexed, cfg = self.lexed, self.productions.cfg
        if cfg.productions or cfg.has_empty:
            return None
        first = lexed.boundaries.first(lexed.scanner.start)
        return explain_no_text(lexed, first, Phrase.NO_GENERAL_TEXT)

    def find_unlexed(self) -> tuple[Unlexed, ...]:
        """Return the pairs that the productions have and the lexer never gives."""
        lexed = self.lexed
        bnf = lexed.grammar.bnf
        reduced = reduce_grammar(bnf)
        adjacent = compute_adjacent(reduced, compute_sets(reduced))
        return find_unlexed(bnf, lexed.scanner, lexed.boundaries, adjacent)

    def make_oracle(self) -> LegalityOracle:
        """Return the pushdown automaton and the LR(0) states, which decide about rows.

        Where nothing is decided by the states, each may go on with everything.
        """
        table, productions = self.table, self.productions
        goes_on = find_going_on(productions.cfg, table)
        after = find_states_after(table, productions.symbols)
        # Queries are made after a terminal, or where a text starts.
        every = tuple(sorted({0, *(state for states in after.values() for state in states)}))
        contexts = (ContextId(0),) * len(goes_on)  # a general grammar's lexer has one
        live = tuple(
            bits.unite(productions.symbols[symbol].lookaheads for symbol in bits.iterate(symbols))
            for symbols in goes_on
        )

        def decide(verdicts: ProductionVerdicts) -> GeneralLegalityOracle:
            return GeneralLegalityOracle(verdicts, StackVerdicts(table, goes_on, verdicts))

        return LegalityOracle(
            self.asked,
            _widen(find_symbol_classes(productions), self.merged),
            Tops(live, contexts, lambda t: after.get(t, ()) if t >= 0 else every),
            Tops((self.lexed.boundaries.everything,) * len(goes_on), contexts, lambda _: (0,)),
            decide,
        )

    def walk(self, trie: TokenTrie, progress: Callable[[float], None]) -> RawRows:
        lexer, asked = self.lexed.grammar.lexer, self.asked
        steps = build_steps(lexer, self.lexed.scanner)
        triples = Triples(len(lexer.terminals), find_follow(asked), ask_productions(asked))
        rule = CutRule(steps, triples)
        at(lambda: rule.describe(lambda terminal: quote_terminal(lexer, terminal)))
        return walk_tokens(self.lexed, steps, rule, trie, progress)

    def count(self) -> dict[str, int]:
        """Return how many productions and states there are."""
        return {
            "rewritten_productions": len(self.productions.cfg.productions),
            "general_states": len(self.table.shifts),
        }

    def complete(self, contents: Contents, rows: OptimisedRows, graph: DecisionGraph) -> Contents:
        """Return an artifact's contents with ``GENERAL_SECTIONS``."""
        lexed, productions = self.lexed, self.productions
        sizes = {**contents.header["sizes"], "GN": productions.cfg.n_nonterminals}
        more = general_sections(
            self.table,
            productions.symbols,
            lexed.boundaries.n_lookaheads,
            lexed.boundaries.end,
            lexed.scanner.closed,
            rows.tops.live,
            graph.profile_of,
        )
        header = {**contents.header, "sizes": sizes}
        if len(rows.without_rows):
            header[TOKENS_WITHOUT_ROWS], more[TOKENS_WITHOUT_ROWS] = (
                len(rows.without_rows),
                rows.without_rows,
            )
        return Contents(header, {**contents.arrays, **more})


def general_sections(
    table: GeneralTable,
    symbols: Sequence[LookaheadSymbol],
    n_lookaheads: int,
    end: int,
    closed: Sequence[bool],
    live: Sequence[int],
    profile_of: NDArray[np.int32],
) -> dict[str, NDArray[Any]]:
    taken = [
        bits.unite(symbols[s].lookaheads for s in row) | (end if accepts else 0)
        for row, accepts in zip(table.shifts, table.accepts, strict=True)
    ]
    shifts = [
        sorted((symbols[s].terminal, target) for s, target in row.items()) for row in table.shifts
    ]
    gotos = [sorted(row.items()) for row in table.gotos]
    return {
        "general_taken": bits.pack(taken, n_lookaheads),
        "general_live": bits.pack(live, n_lookaheads),
        **flatten("general_shift", ("terminal", "state"), shifts),
        **flatten("general_goto", ("nonterminal", "state"), gotos),
        **flatten("general_reduce", ("nonterminal", "length"), table.reduces),
        "general_closed": np.array(closed, dtype=np.uint8),
        "profile_of": profile_of,
    }


class GeneralPath:
    """From a general grammar to its language."""

    def load(self, source: GrammarSource) -> tuple[Grammar, GrammarSource]:
        """Return the productions, and what the lexer looks for."""
        return load_grammar(source)

    def scan(
        self, grammar: Grammar, source: GrammarSource
    ) -> tuple[Scanner, Grammar, Mapping[TerminalId, TerminalId]]:
        """Return the scanner, the grammar over the terminals that it tells apart, the others."""
        if source.lexer == "basic":
            return build_scanner(grammar.lexer), grammar, {}
        bnf, stands_for = merge_terminals(grammar.bnf)
        used = grammar.bnf.used_terminals
        scanner = _SCANNER_OF[source.lexer](grammar.lexer, used, stands_for)
        return scanner, replace(grammar, bnf=bnf), stands_for

    def parse(
        self, lexed: LexicalAnalysis[Grammar], merged: Mapping[TerminalId, TerminalId]
    ) -> GeneralLanguage:
        """Return the language: rewritten productions, and their LR(0) automaton."""
        productions = rewrite_productions(lexed.grammar.bnf, lexed.scanner, lexed.boundaries)
        return GeneralLanguage(lexed, productions, build_general_table(productions.cfg), merged)


def rewrite_productions(bnf: Bnf, scanner: Scanner, boundaries: LexemeContexts) -> LookaheadCfg:
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


@dataclass(frozen=True, slots=True, eq=False)
class GeneralLegalityOracle:
    """What the productions and the states of a general table decide."""

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

    def states_after(self, event: ParserEvent) -> States:
        """Return the states that can be on top when an event has happened."""
        return self.stacks.states_after(event)

    def explain_left_out(self) -> str | None:
        """Return that the states were not followed to the end, if so."""
        if self.stacks.is_spent or self.verdicts.is_spent:
            return "some rows are left to the parser: their automata are too large"
        return None


def ask_lexed(productions: LookaheadCfg, grammar: Grammar) -> AskedProductions:
    """Return the productions of a general parser's table: no text of theirs is lost."""
    return AskedProductions(
        ProductionDebts(productions.cfg.reduced),
        productions.symbols,
        grammar.lexer.contexts,
        {terminal: 1 for terminal, _ in productions.symbols},
        None,
        None,
    )


def find_symbol_classes(productions: LookaheadCfg) -> Classes:
    """Return the classes of two or more terminals that can stand for each other (6.2).

    The productions are over symbols, terminals with lookaheads. Only terminals with a single
    symbol count: where the lexer tells two of them apart, what stands for what depends on it.
    """
    symbols = productions.symbols
    symbols_of: dict[int, list[int]] = {}
    for symbol, (terminal, _) in enumerate(symbols):
        symbols_of.setdefault(terminal, []).append(symbol)
    classes = []
    for members in find_production_classes(productions.cfg.productions):
        terminals = [symbols[symbol][0] for symbol in members]
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
