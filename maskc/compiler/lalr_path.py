"""What the compiler does for a grammar that Lark's LALR parser reads.

The other parser's is :mod:`maskc.compiler.glr_path`; :mod:`maskc.compiler.pipeline` takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.artifact.model import Contents, fit
from maskc.compiler import LexicalAnalysis
from maskc.compiler.emit import DecisionGraph
from maskc.compiler.emit.assemble import Ints, flatten, ints, offsets
from maskc.compiler.lalr import ItemSets, build_item_sets, check_reads_all
from maskc.compiler.lalr.balance import find_bracket_depths
from maskc.compiler.lalr.refine import RefinedTable, build_refined_table
from maskc.compiler.optimise.lalr_oracle import make_lalr_oracle
from maskc.compiler.optimise.order import LegalityOracle, OptimisedRows
from maskc.compiler.pushdown.interchangeable import find_word_classes, map_to_representatives
from maskc.compiler.rows import RawRows
from maskc.compiler.rows.paths import LalrRule
from maskc.compiler.rows.steps import build_steps
from maskc.compiler.rows.unlexed import UnlexedPair, explain_no_text, find_adjacencies
from maskc.compiler.rows.walk import walk_tokens
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar import Bnf, IndenterLayout, LalrGrammar, LalrTable, list_reductions
from maskc.ids import AT_END, NO_LOOKAHEAD, BoundaryId, TerminalId
from maskc.lexer import End, Scanner, rename_ends
from maskc.lexer.boundaries import LexemeContexts, PartialLexeme
from maskc.lexer.columns import ColumnTable
from maskc.lexer.contextual import build_scanner
from maskc.lexer.rewritten import WordStates, narrow_scanner, rewrite_scanner
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase


@dataclass(frozen=True, slots=True, eq=False)
class LalrLanguage:
    """What a grammar for Lark's LALR parser decides."""

    lexed: LexicalAnalysis[LalrGrammar]  # the grammar and its scanner
    item_sets: ItemSets  # the items of each LALR state
    table: RefinedTable  # the refined table: a stack's top names the lookaheads that lead to an end
    # terminal → the one that its lexemes end as, where it is another one
    merged: Mapping[TerminalId, TerminalId]

    def explain_no_text(self) -> str | None:
        """Return why no text at all can be parsed; ``None`` if some can."""
        lexed, table, boundaries = self.lexed, self.table, self.lexed.boundaries
        first = boundaries.first(lexed.scanner.start, table.context_of[0], lexed.newline)
        # The start of the parser may take what the lexer never gives there.
        has_text = table.live[0] & (first | boundaries.end)
        return None if has_text else explain_no_text(lexed, first, Phrase.NO_TEXT)

    def find_unlexed(self) -> tuple[UnlexedPair, ...]:
        """Return the pairs that the parser would take and the lexer never gives."""
        lexed = self.lexed
        return find_adjacencies(lexed.grammar.lexer, lexed.scanner, lexed.boundaries, self.table)

    def make_oracle(self) -> LegalityOracle:
        """Return the pushdown automaton and the refined states, which decide about rows."""
        return make_lalr_oracle(self.lexed, self.item_sets, self.table)

    def walk(self, trie: TokenTrie, progress: Callable[[float], None]) -> RawRows:
        lexed = self.lexed
        steps = build_steps(lexed.grammar.lexer, lexed.scanner)
        return walk_tokens(lexed, steps, LalrRule(lexed.grammar, steps), trie, progress)

    def count(self) -> dict[str, int]:
        """Return how many states and contexts there are."""
        grammar = self.lexed.grammar
        return {
            "lalr_states": len(grammar.lalr.states),
            "refined_states": len(self.table.live),
            "contexts": len(grammar.lexer.contexts),
        }

    def complete(self, contents: Contents, rows: OptimisedRows, graph: DecisionGraph) -> Contents:
        """Return an artifact's contents with ``LALR_SECTIONS``."""
        lexed, grammar, boundaries = self.lexed, self.lexed.grammar, self.lexed.boundaries
        layout = _describe_layout(grammar.lexer.layout, boundaries)
        open_lexemes = rows.rows.sequences.open_lexemes
        more = fit(
            {
                **_newline_sections(grammar.lexer.layout, boundaries, open_lexemes),
                **_table_sections(self.table, boundaries.n_lookaheads),
                **_action_sections(grammar.lalr),
                **_production_sections(grammar.bnf),
                **_column_sections(lexed.columns, len(boundaries.rest)),
                "profile_of": graph.profile_of,
            }
        )
        header = {**contents.header, "layout": layout}
        if self.merged:
            header["merged_words"] = self._list_merged_words()
        return Contents(header, {**contents.arrays, **more})

    def _list_merged_words(self) -> list[list[str]]:
        """Return the names of the terminals that are one; first the one that stands for them."""
        groups: dict[TerminalId, list[TerminalId]] = {}
        for terminal, one in sorted(self.merged.items()):
            groups.setdefault(one, [one]).append(terminal)
        names = self.lexed.grammar.bnf.terminals
        return [[names[terminal] for terminal in group] for group in groups.values()]


@dataclass(frozen=True, slots=True)
class LalrPath:
    """From a grammar for Lark's LALR parser to its language."""

    # terminals that are narrowed to words, by name
    holes: Mapping[str, WordStates] = field(default_factory=dict)
    merges_words: bool = True  # whether one terminal stands for many interchangeable words

    def load(self, source: GrammarSource) -> tuple[LalrGrammar, GrammarSource]:
        """Return Lark's productions and table; refuse what Earley would read otherwise."""
        grammar, source = load_lalr_grammar(source)
        if source.is_earleys:
            check_reads_all(grammar, source.name)
        return grammar, source

    def scan(
        self, grammar: LalrGrammar, source: GrammarSource
    ) -> tuple[Scanner, LalrGrammar, Mapping[TerminalId, TerminalId]]:
        """Return the scanner, rewritten by the postlex, and the grammar as it was."""
        scanner = rewrite_scanner(build_scanner(grammar.lexer), grammar.lexer)
        numbers = {name: TerminalId(n) for n, name in enumerate(grammar.bnf.terminals)}
        words = {numbers[name]: automaton for name, automaton in sorted(self.holes.items())}
        if words:
            scanner = narrow_scanner(scanner, grammar.lexer, words)
        if not self.merges_words:
            return scanner, grammar, {}
        classes = find_word_classes(grammar, {numbers[name] for name in source.holes})
        merged = {t: first for t, first in map_to_representatives(classes).items() if t != first}
        return rename_ends(scanner, merged) if merged else scanner, grammar, merged

    def parse(
        self, lexed: LexicalAnalysis[LalrGrammar], merged: Mapping[TerminalId, TerminalId]
    ) -> LalrLanguage:
        item_sets = build_item_sets(lexed.grammar)
        brackets = find_bracket_depths(lexed.grammar)
        table = build_refined_table(lexed.grammar, item_sets, lexed.boundaries, brackets)
        return LalrLanguage(lexed, item_sets, table, merged)


def _describe_layout(
    layout: IndenterLayout | None, boundaries: LexemeContexts
) -> dict[str, Any] | None:
    """Return the header's entry about indentation, ``None`` without it."""
    if layout is None:
        return None
    return {
        "newline": layout.newline,
        "indent": layout.indent,
        "dedent": layout.dedent,
        "opens": sorted(layout.opens),
        "closes": sorted(layout.closes),
        "tab_len": layout.tab_len,
        "dedent_at_end": boundaries.number[End(layout.dedent, AT_END)],
    }


def _newline_sections(
    layout: IndenterLayout | None, boundaries: LexemeContexts, open_lexemes: Sequence[PartialLexeme]
) -> dict[str, NDArray[Any]]:
    def of(terminal: TerminalId | None) -> Ints:
        return ints(
            NO_LOOKAHEAD
            if terminal is None
            else boundaries.number.get(End(terminal, BoundaryId(b)), NO_LOOKAHEAD)
            for b in range(len(boundaries.rest))
        )

    return {
        "final_newline_first": offsets(len(open_lexeme.newlines) for open_lexeme in open_lexemes),
        "final_newline": ints(b for open_lexeme in open_lexemes for b in open_lexeme.newlines),
        "final_columns": ints(open_lexeme.columns for open_lexeme in open_lexemes),
        "indent_lookahead": of(layout.indent if layout else None),
        "dedent_lookahead": of(layout.dedent if layout else None),
    }


def _table_sections(table: RefinedTable, n_lookaheads: int) -> dict[str, NDArray[Any]]:
    return {
        "lalr_state": ints(table.lalr_state),
        "live": bits.pack(table.live, n_lookaheads),
        "enclosed": np.array(table.enclosed, dtype=np.uint8),
        **flatten("shift", ("terminal", "state"), [row.items() for row in table.shifts]),
        **flatten("goto", ("nonterminal", "state"), [row.items() for row in table.gotos]),
    }


def _action_sections(lalr: LalrTable) -> dict[str, NDArray[Any]]:
    """Return what LALR states reduce on."""
    sets: dict[tuple[int, ...], int] = {}
    reductions = [
        [
            (production, sets.setdefault(on, len(sets)))
            for production, on in list_reductions(reduces)
        ]
        for reduces in (row.reduces for row in lalr.states)
    ]
    return {
        "lalr_context": ints(lalr.context_of),
        **flatten("reduce", ("production", "set"), reductions),
        **flatten("reduce_set", ("terminal",), [[(terminal,) for terminal in on] for on in sets]),
    }


def _production_sections(bnf: Bnf) -> dict[str, NDArray[Any]]:
    return {
        "production_lhs": ints(p.lhs for p in bnf.productions),
        "production_length": ints(len(p.rhs) for p in bnf.productions),
    }


def _column_sections(columns: ColumnTable, n_boundaries: int) -> dict[str, NDArray[Any]]:
    lengths = [max(len(sets.reset), len(sets.more)) for sets in columns.distinct]
    first = offsets(lengths)
    reset = np.zeros((sum(lengths), n_boundaries), dtype=np.uint8)
    more = np.zeros((sum(lengths), n_boundaries), dtype=np.uint8)
    for low, length, sets in zip(first.tolist(), lengths, columns.distinct, strict=False):
        _fill_columns(reset[low : low + length], sets.reset, sets.reset_period)
        _fill_columns(more[low : low + length], sets.more, sets.more_period)
    periods = [(sets.reset_period, sets.more_period) for sets in columns.distinct]
    return {
        "column_first": first,
        "column_reset": reset,
        "column_more": more,
        "column_period": np.array(periods, dtype=np.int32).reshape(len(periods), 2),
    }


def _fill_columns(target: NDArray[np.uint8], rows: tuple[frozenset[int], ...], period: int) -> None:
    """Write the rows, and continue them by their period to the end of ``target``."""
    for k in range(len(target)):
        source = k if k < len(rows) else len(rows) - period + (k - len(rows)) % period
        target[k, sorted(rows[source])] = 1
