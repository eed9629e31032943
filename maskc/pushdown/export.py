"""Writes the grammar and its automaton in the form that pyformlang reads.

Source: appendix, section 2.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from maskc.errors import MissingPackageError
from maskc.grammar.reduce import ReducedGrammar
from maskc.pushdown.dft import BOTTOM, DftAutomaton, StackSymbol
from maskc.pushdown.nodes import END_NODE, Node, Side, format_node

if TYPE_CHECKING:
    from pyformlang.cfg import CFG
    from pyformlang.pda import PDA


def to_cfg(reduced: ReducedGrammar) -> CFG:
    """Return the reduced grammar as pyformlang's; the terminal A is called ``'A'``.

    Without the quotes its text form would read A as a variable, since it begins with a capital.

    Raises:
        MissingPackageError: pyformlang is not installed.
    """
    cfg = _import("pyformlang.cfg")

    def name(symbol: int) -> Any:
        text = reduced.symbol_name(symbol)
        return cfg.Terminal(f"'{text}'") if symbol >= 0 else cfg.Variable(text)

    productions = {
        cfg.Production(name(-1 - p.lhs), [name(symbol) for symbol in p.rhs])
        for p in reduced.productions
    }
    return cfg.CFG(start_symbol=name(-1 - reduced.start), productions=productions)


def to_pda(dft: DftAutomaton) -> PDA:
    """Return the DFT pushdown automaton as pyformlang's, which accepts by its final state.

    Raises:
        MissingPackageError: pyformlang is not installed.
    """
    pda = _import("pyformlang.pda")
    start = format_node(dft.reduced, Node(Side.START, dft.reduced.start))
    built = pda.PDA(start_state=start, start_stack_symbol=dft.format_symbol(BOTTOM))
    built.add_final_state(format_node(dft.reduced, END_NODE))

    def move(
        source: str, reads: Any, pops: StackSymbol, pushes: list[StackSymbol], to: str
    ) -> None:
        pushed = [dft.format_symbol(symbol) for symbol in pushes]
        built.add_transition(source, reads, dft.format_symbol(pops), to, pushed)

    symbols = [BOTTOM, *dict.fromkeys(t.pushes for t in dft.transitions if t.pushes is not None)]
    for t in dft.transitions:
        source, target = format_node(dft.reduced, t.source), format_node(dft.reduced, t.target)
        reads = pda.Epsilon() if t.reads is None else f"'{dft.reduced.terminals[t.reads]}'"
        pushes = [] if t.pushes is None else [t.pushes]
        # Theirs always pops: one of ours that does not, pops what is there and pushes it again.
        for top in symbols if t.pops is None else [t.pops]:
            move(source, reads, top, [*pushes, *([top] if t.pops is None else [])], target)
    return built


def format_cfg(reduced: ReducedGrammar) -> str:
    """Return the grammar as text that pyformlang's ``CFG.from_text`` reads, lines in order.

    Raises:
        MissingPackageError: pyformlang is not installed.
    """
    return "\n".join(sorted(to_cfg(reduced).to_text().splitlines()))


def format_pda(dft: DftAutomaton) -> str:
    """Return the automaton as JSON: networkx's node-link form, which ``PDA.from_networkx`` reads.

    Raises:
        MissingPackageError: pyformlang is not installed.
    """
    graph = _import("networkx").node_link_data(to_pda(dft).to_networkx(), edges="edges")
    # pyformlang keeps sets, so nodes and edges come in any order.
    for part in ("nodes", "edges"):
        graph[part].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
    return json.dumps(graph, indent=1, sort_keys=True, ensure_ascii=False)


def _import(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise MissingPackageError("pyformlang", "analyze") from None
