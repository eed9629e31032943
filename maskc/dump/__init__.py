"""The stages that ``maskc dump`` can print, in the order of the compiler's passes.

Each function takes frozen values of a stage and yields lines; equal values give equal lines. Stages
of a language need a grammar only; those of rows need a tokenizer too. A dump is bounded: what is
left out is counted in its last line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from maskc.compiler import terminals_of
from maskc.compiler.glr.adjacency import LookaheadCfg
from maskc.compiler.glr.lr0 import GeneralTable, find_going_on
from maskc.compiler.glr.top_state import StackVerdicts
from maskc.compiler.glr_path import GeneralLanguage
from maskc.compiler.lalr import ItemSets
from maskc.compiler.lalr.refine import RefinedTable
from maskc.compiler.lalr_path import LalrLanguage
from maskc.compiler.optimise.order import STEPS
from maskc.compiler.pipeline import Language, Stages
from maskc.compiler.pushdown.debt_automaton import DebtAutomaton, Verdict, check_debt_automaton
from maskc.compiler.pushdown.dft import build_dft
from maskc.compiler.pushdown.production_debts import BOTTOM, ProductionDebts, ReturnConfiguration
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.compiler.pushdown.table_debts import TableDebts
from maskc.compiler.rows import ParserEvent, Sequences
from maskc.dump.rows import (
    LookaheadNames,
    RowNames,
    dump_boundaries,
    dump_graph,
    dump_masks,
    dump_rows,
    dump_scanner,
    dump_verdicts,
)
from maskc.errors import StageError
from maskc.grammar import Grammar, LalrGrammar, write_production
from maskc.grammar.lr0 import Item
from maskc.grammar.sets import reduce_grammar
from maskc.ids import END, ROOT, GeneralStateId, ProductionId, TerminalId
from maskc.lexer.boundaries import LexemeContexts
from maskc.vocab.vocabulary import Vocabulary


def dump_production_debts(language: Language) -> Iterator[str]:
    """Yield on which stacks each terminal, or the end, is legal after each terminal.

    These debt automata read configurations to return to, those of a parser's table its states.
    """
    reduced = reduce_grammar(language.lexed.grammar.bnf)
    debts = ProductionDebts(reduced)

    def name(symbol: Hashable) -> str:
        if not isinstance(symbol, ReturnConfiguration) or symbol == BOTTOM:
            return "Z0"
        rest = " ".join(map(reduced.symbol_name, symbol.rest))
        return f"{reduced.nonterminals[symbol.lhs]} ::= … . {rest}".rstrip()

    for x in sorted(reduced.used_terminals):
        for y in (*sorted(reduced.used_terminals), END):
            pair = f"{reduced.terminals[x]} {reduced.terminals[y]}"
            yield from _describe(pair, debts.build(x, (y,)), name)


def dump_table_debts(language: Language) -> Iterator[str]:
    """Yield on which stacks two terminals in a row are legal, by each state on top.

    Those that no stack takes are left out.
    """
    reduced = reduce_grammar(language.lexed.grammar.bnf)
    used = sorted(reduced.used_terminals)
    build, states_after = (
        _of_general(language) if isinstance(language, GeneralLanguage) else _of_lalr(language)
    )
    tops = sorted({state for x in used for state in states_after(x)})
    for top in tops:
        for y in used:
            for z in (*used, END):
                automaton = build(top, y, z)
                if automaton is None or automaton.verdict is not Verdict.NEVER:
                    pair = f"state {top}, {reduced.terminals[y]} {reduced.terminals[z]}"
                    yield from _describe(pair, automaton, lambda state: f"state {state}")


def _describe(
    what: str, automaton: DebtAutomaton | None, name: Callable[[Hashable], str]
) -> Iterator[str]:
    verdict = Verdict.UNKNOWN if automaton is None else automaton.verdict
    yield f"{what}: {verdict.value}"
    if automaton is not None and verdict is Verdict.DEPENDS:
        check_debt_automaton(automaton)
        yield from (f"  {line}" for line in automaton.minimise().format(name).splitlines())


_Build = Callable[[int, int, int], DebtAutomaton | None]  # of a state on top and two terminals
_StatesAfter = Callable[[int], tuple[int, ...]]


def _of_lalr(language: LalrLanguage) -> tuple[_Build, _StatesAfter]:
    boundaries = language.lexed.boundaries
    debts = TableDebts(language.lexed.grammar, language.table, terminals_of(boundaries))

    def build(top: int, y: int, z: int) -> DebtAutomaton | None:
        return debts.build([top], [boundaries.set_of(y), boundaries.set_of(z)])

    return build, debts.list_after


def _of_general(language: GeneralLanguage) -> tuple[_Build, _StatesAfter]:
    boundaries, productions = language.lexed.boundaries, language.productions
    sequences = Sequences(())
    verdicts = ProductionVerdicts(language.asked, boundaries, sequences)
    goes_on = find_going_on(productions.cfg, language.table)
    stacks = StackVerdicts(language.table, goes_on, verdicts)

    def build(top: int, y: int, z: int) -> DebtAutomaton | None:
        rest = sequences.open_to(boundaries.set_of(z))
        return stacks.build(
            GeneralStateId(top), sequences.extend(ParserEvent(TerminalId(y), 1, 0), rest)
        )

    return build, stacks.list_states


def dump_grammar(grammar: Grammar) -> Iterator[str]:
    """Yield the terminals in canonical order, the contexts in Lark's order, the productions."""
    yield f"terminals: {len(grammar.bnf.terminals)}"
    for terminal, (name, pattern) in enumerate(
        zip(grammar.bnf.terminals, grammar.lexer.patterns, strict=True)
    ):
        notes = []
        if terminal in grammar.lexer.ignored:
            notes.append("ignored")
        if pattern is None and terminal != END:
            notes.append("declared")
        text = "" if pattern is None else f"  /{pattern}/"
        yield f"  {terminal} {name}{text}{''.join(f'  ({note})' for note in notes)}"
    yield f"contexts: {len(grammar.lexer.contexts)}"
    for number, context in enumerate(grammar.lexer.contexts):
        yield f"  {number}: " + " | ".join(grammar.bnf.terminals[t] for t in context.alternatives)
        for terminal, keywords in context.keywords:
            named = " ".join(grammar.bnf.terminals[keyword] for keyword in keywords)
            yield f"     {grammar.bnf.terminals[terminal]} is renamed to {named}"
    if grammar.lexer.layout:
        layout = grammar.lexer.layout

        def names(terminals: frozenset[int]) -> str:
            return " ".join(grammar.bnf.terminals[t] for t in sorted(terminals)) or "nothing"

        yield (
            f"indentation: {grammar.bnf.terminals[layout.newline]} gives "
            f"{grammar.bnf.terminals[layout.indent]} and {grammar.bnf.terminals[layout.dedent]}, "
            f"not between {names(layout.opens)} and {names(layout.closes)}; "
            f"a tab is worth {layout.tab_len}"
        )
    yield f"productions: {len(grammar.bnf.productions)}"
    for number, production in enumerate(grammar.bnf.productions):
        side = map(grammar.bnf.symbol_name, production.rhs)
        yield f"  {number} {write_production(grammar.bnf.nonterminals[production.lhs], side)}"


def dump_productions(grammar: Grammar, lexed: LookaheadCfg) -> Iterator[str]:
    """Yield the productions of a general grammar after the rewrites, and what their symbols mean.

    Nonterminals have numbers here: the rewrites make more of them than the grammar names.
    """
    cfg = lexed.cfg
    names = []
    for number, (terminal, lookaheads) in enumerate(lexed.symbols):
        twins = sum(other == terminal for other, _ in lexed.symbols)
        name = grammar.bnf.terminals[terminal]
        names.append(name if twins == 1 else f"{name}/{number}")
        if twins > 1:
            yield f"symbol {names[-1]}: lookaheads {lookaheads:b}"
    yield f"start: N{cfg.start}{', or the empty text' if cfg.has_empty else ''}"
    yield f"productions: {len(cfg.productions)}"
    for number, production in enumerate(cfg.productions):
        side = " ".join(names[s] if s >= 0 else f"N{-1 - s}" for s in production.rhs)
        yield f"  {number} N{production.lhs} -> {side}"


def dump_items(grammar: LalrGrammar, item_sets: ItemSets) -> Iterator[str]:
    """Yield the kernel items of each LALR state and the actions that Lark left it."""
    yield f"{len(grammar.lalr.states)} LALR states"
    for state, (kernel, row) in enumerate(zip(item_sets.kernels, grammar.lalr.states, strict=True)):
        yield f"state {state}, context {grammar.lalr.context_of[state]}"
        for item in kernel:
            yield f"  {_format_item(grammar, item_sets, item)}"
        yield from _targets(row.shifts, grammar.bnf.terminals, "shift")
        yield from _targets(row.gotos, grammar.bnf.nonterminals, "goto")
        by_production: dict[ProductionId, list[str]] = {}
        for terminal, production in sorted(row.reduces.items()):
            by_production.setdefault(production, []).append(grammar.bnf.terminals[terminal])
        for production, terminals in sorted(by_production.items()):
            yield f"  reduce {production} before {' '.join(terminals)}"


def _format_item(grammar: LalrGrammar, item_sets: ItemSets, item: Item) -> str:
    production, dot = item
    bnf = grammar.bnf
    left = "$root" if production == ROOT else bnf.nonterminals[bnf.productions[production].lhs]
    return write_production(left, map(bnf.symbol_name, item_sets.right_sides[production]), dot)


def _targets(row: Mapping[int, int], names: Sequence[str], action: str) -> Iterator[str]:
    for symbol, target in sorted(row.items()):
        yield f"  {action} {names[symbol]} -> {target}"


def dump_table(
    grammar: LalrGrammar, boundaries: LexemeContexts, table: RefinedTable
) -> Iterator[str]:
    """Yield each refined state: its LALR state, what it can go on with, its moves."""
    names = LookaheadNames(grammar, boundaries)
    yield f"{len(table.live)} refined states of {len(grammar.lalr.states)} LALR states"
    for state, lalr_state in enumerate(table.lalr_state):
        enclosed = ", in brackets" if table.enclosed[state] else ""
        yield f"state {state} (LALR {lalr_state}{enclosed})"
        yield f"  can go on with: {names.format(table.live[state])}"
        yield from _targets(table.shifts[state], grammar.bnf.terminals, "shift")
        yield from _targets(table.gotos[state], grammar.bnf.nonterminals, "goto")


def dump_general_table(symbols: Sequence[str], table: GeneralTable) -> Iterator[str]:
    """Yield each LR(0) state of a general grammar, all its actions kept."""
    yield f"{len(table.shifts)} LR(0) states"
    for state, row in enumerate(table.shifts):
        yield f"state {state}{', where the text may end' if table.accepts[state] else ''}"
        yield from _targets(row, symbols, "shift")
        for nonterminal, target in sorted(table.gotos[state].items()):
            yield f"  goto N{nonterminal} -> {target}"
        for nonterminal, length in table.reduces[state]:
            yield f"  reduce N{nonterminal}, {length} symbols"


_OfLanguage = Callable[[Language], Iterator[str]]
_OfRows = Callable[[Stages, Vocabulary], Iterator[str]]


def _dft(language: Language) -> Iterator[str]:
    yield from build_dft(reduce_grammar(language.lexed.grammar.bnf)).format().splitlines()


def _items(language: Language) -> Iterator[str]:
    lalr = _lalr(language, "items")
    return dump_items(lalr.lexed.grammar, lalr.item_sets)


def _table(language: Language) -> Iterator[str]:
    if isinstance(language, GeneralLanguage):
        grammar = language.lexed.grammar
        names = [grammar.bnf.terminals[terminal] for terminal, _ in language.productions.symbols]
        return dump_general_table(names, language.table)
    return dump_table(language.lexed.grammar, language.lexed.boundaries, language.table)


def _productions(language: Language) -> Iterator[str]:
    if not isinstance(language, GeneralLanguage):
        raise StageError("productions", "an LALR grammar's are not rewritten", "grammar")
    return dump_productions(language.lexed.grammar, language.productions)


def _lalr(language: Language, stage: str) -> LalrLanguage:
    if not isinstance(language, LalrLanguage):
        raise StageError(stage, "a general grammar has no LALR table", "table")
    return language


def _name(step: str) -> str:
    return f"rows:{step.replace(' ', '-')}"


def _rows(step: str) -> _OfRows:
    def dump(stages: Stages, vocabulary: Vocabulary) -> Iterator[str]:
        for name, rows in stages.optimised.after:
            if name == step:
                lexed = stages.language.lexed
                names = RowNames(lexed.grammar, lexed.boundaries, rows, vocabulary.tokens)
                return dump_rows(names)
        taken = [_name(name) for name, _ in stages.optimised.after]
        raise StageError(_name(step), "this step was not taken", " or ".join(taken))

    return dump


def _last_names(stages: Stages, vocabulary: Vocabulary) -> RowNames:
    lexed = stages.language.lexed
    return RowNames(
        lexed.grammar, lexed.boundaries, stages.optimised.after[-1][1], vocabulary.tokens
    )


OF_LANGUAGE: dict[str, _OfLanguage] = {
    "grammar": lambda language: dump_grammar(language.lexed.grammar),
    "dft": _dft,
    "debts": dump_production_debts,
    "scanner": lambda language: dump_scanner(language.lexed.grammar, language.lexed.scanner),
    "boundaries": lambda language: dump_boundaries(
        language.lexed.grammar, language.lexed.scanner, language.lexed.boundaries
    ),
    "productions": _productions,
    "items": _items,
    "table": _table,
    "table-debts": dump_table_debts,
}
OF_ROWS: dict[str, _OfRows] = {
    # The last streamlining step gives verdicts, not rows.
    **{_name(step): _rows(step) for step in STEPS[:-1]},
    "verdicts": lambda stages, vocabulary: dump_verdicts(
        _last_names(stages, vocabulary), stages.optimised.verdicts
    ),
    "graph": lambda stages, vocabulary: dump_graph(_last_names(stages, vocabulary), stages.graph),
    "masks": lambda stages, vocabulary: dump_masks(
        _last_names(stages, vocabulary), stages.graph, stages.unions, vocabulary.tokens
    ),
}
STAGES = (*OF_LANGUAGE, *OF_ROWS)


def limit_lines(lines: Iterator[str], most: int) -> Iterator[str]:
    """Yield the first lines, and, if there are more, how many."""
    for number, line in enumerate(lines):
        if number == most:
            left_out = 1 + sum(1 for _ in lines)
            yield f"… {left_out:,} more line{'s' * (left_out > 1)}; --lines {number + left_out}"
            return
        yield line
