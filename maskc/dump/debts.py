"""Prints debt automata of productions and of tables: on which stacks terminals are legal.

The productions' automata read configurations to return to, those of a parser's table its states. A
state says which terminal may come next, so of a table it is two terminals in a row that are asked
about.

Example: with ``S -> a S b | c``, after c two b in a row are legal where two a are open. The state
after c is on top, and further down it is seen whether another a is below.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from maskc.compiler.glr.lr0 import find_going_on
from maskc.compiler.glr.top_state import StackVerdicts
from maskc.compiler.glr_path import GeneralLanguage
from maskc.compiler.lalr_path import LalrLanguage
from maskc.compiler.lexical_analysis import terminals_of
from maskc.compiler.pipeline import Language
from maskc.compiler.pushdown.debt_automaton import DebtAutomaton, Verdict, check_debt_automaton
from maskc.compiler.pushdown.dft import build_dft
from maskc.compiler.pushdown.production_debts import BOTTOM, ProductionDebts, ReturnConfiguration
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.compiler.pushdown.table_debts import TableDebts
from maskc.compiler.rows.sequences import ParserEvent, Sequences
from maskc.grammar.sets import reduce_grammar
from maskc.ids import END, GeneralStateId, TerminalId


def dump_production_debts(language: Language) -> Iterator[str]:
    """Yield on which stacks each terminal, or the end, is legal after each terminal."""
    reduced = reduce_grammar(language.lexed.grammar.bnf)
    debts = ProductionDebts(build_dft(reduced))

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
