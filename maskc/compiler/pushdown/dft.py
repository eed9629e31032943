"""An automaton that walks the syntax tree depth first, from left to right.

Definition 1. The *DFT pushdown automaton* of a grammar has the states Σ ∪ {•X, X•} ∪ {$END}: what
is being generated. Its stack symbols are Z0 and, for each production ``X ::= α1…αn`` and 0 < k ≤ n,
``X ::= α1…αk``: the configuration to return to. For each production it has the transitions

- from •X to start(α1), pushing ``X ::= α1``, and reading α1 if that is a terminal;
- from end(αk) to start(αk+1), replacing ``X ::= α1…αk`` by ``X ::= α1…αk+1``, reading likewise;
- from end(αn) to X•, popping ``X ::= α1…αn``; for n = 0, from •X to X•;

and one from S• to $END, popping Z0. It starts in •S with Z0 and accepts in $END. It accepts exactly
the language (Lemma 1), and on a reduced grammar it has no dead ends (Lemma 2). A terminal is its
own start and end. Grammar and automaton can be written in the form that pyformlang reads.

Example: ``S ::= aSb | ε`` gives six transitions; aabb is accepted in ten steps.

>>> from maskc.grammar import Production
>>> from maskc.grammar.sets import reduce_productions
>>> rules = [Production(0, (1, -1, 2)), Production(0, ())]
>>> print(build_dft(reduce_productions(("$END", "a", "b"), ("S",), 0, rules)).format())
start •S, Z0
•S  a  ε            S ::= a      a
a   ε  S ::= a      S ::= a S    •S
S•  b  S ::= a S    S ::= a S b  b
b   ε  S ::= a S b  ε            S•
•S  ε  ε            ε            S•
S•  ε  Z0           ε            $END

Source: appendix, sections 2 and 4.1, Definition 1, Figures 2 and 3; blog, Figures 3 and 4.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from maskc.errors import MissingPackageError
from maskc.grammar import Bnf
from maskc.ids import END


class NodeSide(Enum):
    """What a node stands for."""

    TERMINAL = ""
    START = "•X"
    END = "X•"


class DftNode(NamedTuple):
    """A terminal (``$END`` is terminal 0), or the start or the end of a nonterminal."""

    side: NodeSide  # which of the three
    symbol: int  # the terminal's or the nonterminal's id


END_NODE = DftNode(NodeSide.TERMINAL, END)


def start_of(symbol: int) -> DftNode:
    """Return ``start(α)`` for a symbol of a production's right side."""
    return (
        DftNode(NodeSide.TERMINAL, symbol) if symbol >= 0 else DftNode(NodeSide.START, -1 - symbol)
    )


def end_of(symbol: int) -> DftNode:
    """Return ``end(α)`` for a symbol of a production's right side."""
    return DftNode(NodeSide.TERMINAL, symbol) if symbol >= 0 else DftNode(NodeSide.END, -1 - symbol)


def format_node(reduced: Bnf, node: DftNode) -> str:
    if node.side is NodeSide.TERMINAL:
        return reduced.terminals[node.symbol]
    name = reduced.nonterminals[node.symbol]
    return f"•{name}" if node.side is NodeSide.START else f"{name}•"


class StackSymbol(NamedTuple):
    """``X ::= α1…αk``."""

    production: int  # its number in the reduced grammar; -1 for Z0
    dot: int  # k


BOTTOM = StackSymbol(-1, 0)


class Transition(NamedTuple):
    """One transition; ``None`` is ε."""

    source: DftNode  # the state it leaves
    reads: int | None  # terminal
    pops: StackSymbol | None  # stack symbol taken off
    pushes: StackSymbol | None  # stack symbol put on
    target: DftNode  # the state it enters


@dataclass(frozen=True, slots=True)
class DftAutomaton:
    """The DFT pushdown automaton of a reduced grammar."""

    reduced: Bnf
    transitions: tuple[Transition, ...]  # in the order of the productions, the one to `$END` last

    @property
    def states(self) -> tuple[DftNode, ...]:
        """All states: terminals, then starts and ends of nonterminals, then ``$END``."""
        terminals = [DftNode(NodeSide.TERMINAL, t) for t in sorted(self.reduced.used_terminals)]
        nonterminals = sorted(self.reduced.used_nonterminals)
        sides = [DftNode(side, n) for n in nonterminals for side in (NodeSide.START, NodeSide.END)]
        return (*terminals, *sides, END_NODE)

    def format_symbol(self, symbol: StackSymbol | None) -> str:
        if symbol is None:
            return "ε"
        if symbol == BOTTOM:
            return "Z0"
        production = self.reduced.productions[symbol.production]
        read = [self.reduced.symbol_name(s) for s in production.rhs[: symbol.dot]]
        return " ".join([self.reduced.nonterminals[production.lhs], "::=", *read])

    def format(self) -> str:
        """Return one transition a line: state, reads, pops, pushes, next state."""
        rows = self._list_rows()
        widths = [max((len(row[i]) for row in rows), default=0) for i in range(5)]
        start = format_node(self.reduced, DftNode(NodeSide.START, self.reduced.start))
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([f"start {start}, Z0", *(line.rstrip() for line in lines)])

    def to_dot(self) -> str:
        """Return the automaton in Graphviz' language; an edge's label is read, pop / push."""
        number = {state: i for i, state in enumerate(self.states)}
        lines = ["digraph dft {", "  rankdir=LR;", '  "" [shape=none];']
        for state, i in number.items():
            shape = "doublecircle" if state == END_NODE else "circle"
            lines.append(
                f"  {i} [label={_quote(format_node(self.reduced, state))}, shape={shape}];"
            )
        lines.append(f'  "" -> {number[DftNode(NodeSide.START, self.reduced.start)]};')
        for t in self.transitions:
            label = (
                f"{self._format_read(t)}, {self.format_symbol(t.pops)} / "
                f"{self.format_symbol(t.pushes)}"
            )
            lines.append(f"  {number[t.source]} -> {number[t.target]} [label={_quote(label)}];")
        return "\n".join([*lines, "}"])

    def to_dict(self) -> dict[str, Any]:
        """Return states and transitions by name, for JSON; ``None`` is ε."""
        keys = ("state", "reads", "pops", "pushes", "next")
        return {
            "start": format_node(self.reduced, DftNode(NodeSide.START, self.reduced.start)),
            "states": [format_node(self.reduced, state) for state in self.states],
            "transitions": [
                {k: None if v == "ε" else v for k, v in zip(keys, row, strict=True)}
                for row in self._list_rows()
            ],
        }

    def _list_rows(self) -> list[tuple[str, ...]]:
        return [
            (
                format_node(self.reduced, t.source),
                self._format_read(t),
                self.format_symbol(t.pops),
                self.format_symbol(t.pushes),
                format_node(self.reduced, t.target),
            )
            for t in self.transitions
        ]

    def _format_read(self, transition: Transition) -> str:
        return "ε" if transition.reads is None else self.reduced.terminals[transition.reads]


def build_dft(reduced: Bnf) -> DftAutomaton:
    transitions = []
    for number, production in enumerate(reduced.productions):
        here = DftNode(NodeSide.START, production.lhs)
        top: StackSymbol | None = None
        for dot, symbol in enumerate(production.rhs, 1):
            pushed = StackSymbol(number, dot)
            reads = symbol if symbol >= 0 else None
            transitions.append(Transition(here, reads, top, pushed, start_of(symbol)))
            here, top = end_of(symbol), pushed
        transitions.append(Transition(here, None, top, None, DftNode(NodeSide.END, production.lhs)))
    if reduced.productions:
        transitions.append(
            Transition(DftNode(NodeSide.END, reduced.start), None, BOTTOM, None, END_NODE)
        )
    return DftAutomaton(reduced, tuple(transitions))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


if TYPE_CHECKING:
    from pyformlang.cfg import CFG
    from pyformlang.pda import PDA


def to_cfg(reduced: Bnf) -> CFG:
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
    start = format_node(dft.reduced, DftNode(NodeSide.START, dft.reduced.start))
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


def format_cfg(reduced: Bnf) -> str:
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
