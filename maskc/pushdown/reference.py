"""The grammar and its automaton in pyformlang's form, and whether pyformlang agrees with us.

pyformlang builds the whole Bar-Hillel intersection of L with Σ*XSΣ* and asks whether it is empty:
the textbook's way, in other people's code. It takes some 10 ms a question for csv.lark and grows
fast, so a comparison is bounded in time: pairs of terminals first, in order, then sequences of
three and four drawn by a seed.

Example: with ``S ::= aSb | ε`` both say that (b, a) is never-legal and (a, b) is not.

Source: appendix, section 2; Bar-Hillel, Perles, Shamir 1961.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskc.errors import MissingPackageError
from maskc.grammar.reduce import ReducedGrammar
from maskc.pushdown.dft import BOTTOM, DftAutomaton, StackSymbol, build_dft
from maskc.pushdown.never_legal import NeverLegal
from maskc.pushdown.nodes import END_NODE, Node, Side, format_node
from maskc.pushdown.production_debts import ProductionDebts

if TYPE_CHECKING:
    from pyformlang.cfg import CFG
    from pyformlang.pda import PDA

MAX_SEQUENCES = 10_000  # that are drawn after the pairs


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    Attributes:
        n_asked: how many questions both answered.
        n_pairs: how many pairs of terminals there are; they are asked first.
        differences: sequences on which the two differ, by name, with our answer.
        seconds: how long it took.
    """

    n_asked: int
    n_pairs: int
    differences: tuple[tuple[tuple[str, ...], bool], ...]
    seconds: float


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


def compare_never_legal(reduced: ReducedGrammar, *, seconds: float, seed: int = 0) -> Comparison:
    """Return where :class:`NeverLegal` and pyformlang differ, as far as the time goes.

    Args:
        reduced: the grammar.
        seconds: no question is begun after so many.
        seed: draws the longer sequences.

    Raises:
        MissingPackageError: pyformlang is not installed.
    """
    cfg, never = to_cfg(reduced), NeverLegal(ProductionDebts(build_dft(reduced)))
    terminals = sorted(reduced.used_terminals)
    alphabet = [f"'{reduced.terminals[terminal]}'" for terminal in terminals]
    begun = time.monotonic()
    n_asked, differences = 0, []
    for sequence in _list_sequences(terminals, seed):
        if time.monotonic() - begun > seconds:
            break
        asked = [reduced.terminals[terminal] for terminal in sequence]
        ours = never.is_never_legal(sequence[0], sequence[1:])
        held = _hold([f"'{name}'" for name in asked], alphabet)
        theirs = cfg.intersection(held).is_empty()
        n_asked += 1
        if ours != theirs:
            differences.append((tuple(asked), ours))
    took = time.monotonic() - begun
    return Comparison(n_asked, len(terminals) ** 2, tuple(differences), took)


def _list_sequences(terminals: Sequence[int], seed: int) -> Iterator[tuple[int, ...]]:
    yield from ((x, y) for x in terminals for y in terminals)
    drawn = random.Random(seed)  # noqa: S311  # nothing secret is drawn
    for _ in range(MAX_SEQUENCES if terminals else 0):
        yield tuple(drawn.choices(terminals, k=drawn.choice((3, 4))))


def _hold(sequence: Sequence[str], alphabet: Sequence[str]) -> Any:
    """Return the deterministic automaton of Σ*sequenceΣ*: how much of it has just been read."""
    automata = _import("pyformlang.finite_automaton")
    built = automata.DeterministicFiniteAutomaton()
    built.add_start_state(0)
    built.add_final_state(len(sequence))
    for name in alphabet:
        built.add_transition(len(sequence), name, len(sequence))
    for read in range(len(sequence)):
        for name in alphabet:
            after = [*sequence[:read], name]
            # As in Knuth, Morris, Pratt: the longest beginning that what was read ends with.
            longest = max(n for n in range(read + 2) if after[read + 1 - n :] == [*sequence[:n]])
            built.add_transition(read, name, longest)
    return built


def _import(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise MissingPackageError("pyformlang", "analyze") from None
