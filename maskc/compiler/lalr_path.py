"""What the compiler does for a grammar that Lark's LALR parser reads.

The other parser's is :mod:`maskc.compiler.glr_path`; :mod:`maskc.compiler.pipeline` takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.artifact.model import Contents, fit
from maskc.compiler.emit.assemble import Ints, ints, offsets
from maskc.compiler.emit.graph import DecisionGraph
from maskc.compiler.lalr.balance import find_bracket_depths
from maskc.compiler.lalr.conflicts import check_reads_all
from maskc.compiler.lalr.items import build_item_sets
from maskc.compiler.lalr.refine import RefinedTable, build_refined_table
from maskc.compiler.optimise.lalr_oracle import make_lalr_oracle
from maskc.compiler.optimise.order import LegalityOracle, OptimisedRows
from maskc.compiler.rows.sequences import RawRows
from maskc.compiler.rows.steps import build_steps
from maskc.compiler.rows.unlexed import Adjacency, explain_no_text, find_adjacencies
from maskc.compiler.rows.walk import build_store
from maskc.compiler.stages import LalrLanguage, LexicalAnalysis, ParserPath, Run, run_plainly
from maskc.errors import GrammarError
from maskc.frontends.dialects import LARK
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import Bnf, LalrGrammar, LalrTable, Layout, list_reductions
from maskc.ids import AT_END, NO_LOOKAHEAD, BoundaryId, TerminalId
from maskc.lexer.boundaries import Boundaries, OpenLexeme, build_boundaries
from maskc.lexer.columns import Columns, build_columns
from maskc.lexer.narrowed import WordStates, narrow_scanner
from maskc.lexer.rewritten import rewrite_scanner
from maskc.lexer.scanner import End, Scanner, build_scanner
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase


def build_language(
    source: GrammarSource,
    run: Run = run_plainly,
    holes: Mapping[str, WordStates] = MappingProxyType({}),
) -> LalrLanguage:
    """Return what a grammar for Lark's LALR parser decides, without a tokenizer.

    Args:
        source: the grammar.
        run: does a pass.
        holes: terminals that are narrowed to words.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    grammar, source = run("grammar", lambda: load_lalr_grammar(source))
    if source.is_earleys:
        check_reads_all(grammar, source.name)
    # After this point: terminals, productions, Lark's LALR table and its contexts, all numbered.

    return analyse_grammar(grammar, source, run, holes)


def analyse_grammar(
    grammar: LalrGrammar,
    source: GrammarSource,
    run: Run = run_plainly,
    holes: Mapping[str, WordStates] = MappingProxyType({}),
) -> LalrLanguage:
    """Return what a grammar that is loaded decides; as :func:`build_language`."""
    numbers = {name: TerminalId(n) for n, name in enumerate(grammar.bnf.terminals)}
    words = {numbers[name]: automaton for name, automaton in sorted(holes.items())}

    def scan() -> Scanner:
        scanner = rewrite_scanner(build_scanner(grammar.lexer), grammar.lexer)
        return narrow_scanner(scanner, words) if words else scanner

    scanner = run("scanner", scan)
    # After this point: bytes become terminals; what a lexeme's end demands is a boundary.

    columns = build_columns(grammar.lexer, scanner)
    boundaries = run("boundaries", lambda: build_boundaries(grammar.lexer, scanner, columns))
    # After this point: lookaheads; what the lexer lets follow what.

    item_sets, brackets = build_item_sets(grammar), find_bracket_depths(grammar)

    table = run("parser", lambda: build_refined_table(grammar, item_sets, boundaries, brackets))
    # After this point: a stack's top names exactly the lookaheads that lead to an end.
    return LalrLanguage(
        LexicalAnalysis(source, grammar, scanner, columns, boundaries), item_sets, table
    )


def _find_unlexed(language: LalrLanguage) -> tuple[Adjacency, ...]:
    lexed, table = language.lexed, language.table
    bnf, lexer, boundaries = lexed.grammar.bnf, lexed.grammar.lexer, lexed.boundaries
    newline = lexer.layout.newline if lexer.layout else None
    first = boundaries.first(lexed.scanner.start, table.context_of[0], newline)
    # The start of the parser may take what the lexer never gives there.
    if not table.live[0] & (first | boundaries.end):
        is_larks = lexed.source.dialect == LARK.name
        why = explain_no_text(bnf, lexer, lexed.scanner, boundaries, first) if is_larks else None
        raise GrammarError(lexed.source.name, why or Phrase.NO_TEXT)
    return find_adjacencies(lexer, lexed.scanner, boundaries, table)


def _make_decider(language: LalrLanguage) -> LegalityOracle:
    lexed = language.lexed
    return make_lalr_oracle(
        lexed.grammar,
        lexed.scanner,
        language.item_sets,
        lexed.boundaries,
        lexed.columns,
        language.table,
    )


def _walk(language: LalrLanguage, trie: TokenTrie, progress: Callable[[float], None]) -> RawRows:
    grammar, scanner = language.lexed.grammar, language.lexed.scanner
    steps = build_steps(grammar.lexer, scanner)
    return build_store(grammar, scanner, language.lexed.boundaries, steps, trie, progress)


def _count(language: LalrLanguage) -> dict[str, int]:
    grammar = language.lexed.grammar
    return {
        "lalr_states": len(grammar.lalr.states),
        "refined_states": len(language.table.live),
        "contexts": len(grammar.lexer.contexts),
    }


def _complete(
    language: LalrLanguage,
    store: RawRows,
    streamlined: OptimisedRows,
    graph: DecisionGraph,
    contents: Contents,
) -> Contents:
    del store
    lexed = language.lexed
    layout = describe_layout(lexed.grammar.lexer.layout, lexed.boundaries)
    more = lalr_sections(
        lexed.grammar,
        lexed.boundaries,
        lexed.columns,
        language.table,
        streamlined.rows.sequences.open_lexemes,
        graph.profile_of,
    )
    return Contents({**contents.header, "layout": layout}, {**contents.arrays, **more})


LALR_PATH = ParserPath(build_language, _find_unlexed, _make_decider, _walk, _count, _complete)


def describe_layout(layout: Layout | None, boundaries: Boundaries) -> dict[str, Any] | None:
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


def lalr_sections(
    grammar: LalrGrammar,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
    open_lexemes: Sequence[OpenLexeme],
    profile_of: NDArray[np.int32],
) -> dict[str, NDArray[Any]]:
    """Return the arrays.

    Args:
        grammar: with Lark's table.
        boundaries: its boundaries.
        columns: where newlines may end.
        table: its refined table.
        open_lexemes: by the numbers that the rows have.
        profile_of: int32[n_refined_states], of the decision graph.
    """
    arrays = {
        **_newline_sections(grammar.lexer.layout, boundaries, open_lexemes),
        **_table_sections(table, boundaries.n_lookaheads),
        **_action_sections(grammar.lalr),
        **_production_sections(grammar.bnf),
        **_column_sections(columns, len(boundaries.rest)),
        "profile_of": profile_of,
    }
    return fit(arrays)


def _newline_sections(
    layout: Layout | None, boundaries: Boundaries, open_lexemes: Sequence[OpenLexeme]
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
        "shift_first": offsets(map(len, table.shifts)),
        "shift_terminal": ints(t for row in table.shifts for t in row),
        "shift_state": ints(s for row in table.shifts for s in row.values()),
        "goto_first": offsets(map(len, table.gotos)),
        "goto_nonterminal": ints(n for row in table.gotos for n in row),
        "goto_state": ints(s for row in table.gotos for s in row.values()),
    }


def _action_sections(lalr: LalrTable) -> dict[str, NDArray[Any]]:
    """Return what LALR states reduce on."""
    reductions = [list_reductions(row.reduces) for row in lalr.states]
    sets: dict[tuple[int, ...], int] = {}
    set_of = [sets.setdefault(reduced, len(sets)) for row in reductions for _, reduced in row]
    return {
        "lalr_context": ints(lalr.context_of),
        "reduce_first": offsets(map(len, reductions)),
        "reduce_production": ints(production for row in reductions for production, _ in row),
        "reduce_set": ints(set_of),
        "reduce_set_first": offsets(map(len, sets)),
        "reduce_set_terminal": ints(terminal for reduced in sets for terminal in reduced),
    }


def _production_sections(bnf: Bnf) -> dict[str, NDArray[Any]]:
    return {
        "production_lhs": ints(p.lhs for p in bnf.productions),
        "production_length": ints(len(p.rhs) for p in bnf.productions),
    }


def _column_sections(columns: Columns, n_boundaries: int) -> dict[str, NDArray[Any]]:
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
