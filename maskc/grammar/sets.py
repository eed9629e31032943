"""Sets of symbols of a grammar, and the closures that compute them, in linear time.

What can be derived: a nonterminal derives something once all nonterminals of one of its right
sides do; and the shortest that it derives. What can be reached: a set is united along edges,
components taken as one node. The strongly connected components of a graph, without recursion.

A nonterminal is *productive* if it derives some terminal sequence, and a symbol is *reachable* if
some sequence derived from the start symbol holds it. The reduced grammar keeps the productions
whose symbols are all productive and reachable. It has the same language, and what it can begin it
can end: the DFT pushdown automaton of a reduced grammar has no dead ends. Symbols keep their ids,
so that a fact about the reduced grammar is one about the grammar.

*Nullable* nonterminals derive the empty sequence. FIRST(A) holds the terminals that a sequence
derived from A can begin with, LAST(A) those it can end with. Two terminals are *adjacent* if some
terminal sequence of the language holds one right after the other; FOLLOW, over terminals. Sets of
terminals are bit sets, bit ``t`` for terminal ``t``.

Source: Dowling, Gallier 1984 (doi:10.1016/0743-1066(84)90014-1), for Horn clauses; Tarjan 1972
(doi:10.1137/0201010), with a stack of our own; appendix, section 4.2 (Lemma 2 needs the reduced
grammar); Hopcroft, Motwani, Ullman, section 7.1; Aho, Lam, Sethi, Ullman, *Compilers* (2nd ed.),
section 4.4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from maskc import bits
from maskc.grammar import Bnf, Production
from maskc.ids import END


def find_derivable(rules: Iterable[tuple[int, Sequence[int]]]) -> set[int]:
    """Return the nonterminals that derive something.

    Args:
        rules: left and right sides; nonterminal n is -1 - n in a right side, and what is not
            negative is derived already.

    >>> sorted(find_derivable([(0, (-2, -3)), (1, (7,)), (2, (-1,))]))
    [1]
    """
    waiting: dict[int, list[int]] = {}  # symbol → rules that lack it, once for each time
    missing, heads, pending = list[int](), list[int](), list[int]()
    for rule, (head, right_side) in enumerate(rules):
        n_missing = 0
        for symbol in right_side:
            if symbol < 0:
                waiting.setdefault(symbol, []).append(rule)
                n_missing += 1
        missing.append(n_missing)
        heads.append(head)
        if not n_missing:
            pending.append(head)
    found = set[int]()
    while pending:
        nonterminal = pending.pop()
        if nonterminal in found:
            continue
        found.add(nonterminal)
        for rule in waiting.get(-1 - nonterminal, ()):
            missing[rule] -= 1
            if not missing[rule]:
                pending.append(heads[rule])
    return found


def find_shortest(rules: Iterable[tuple[int, Sequence[int]]]) -> dict[int, tuple[int, ...]]:
    """Return, for each nonterminal that derives one, a shortest sequence of terminals.

    >>> find_shortest([(0, (7, -2)), (1, (-1,)), (1, (5, 6)), (2, (-3,))])
    {1: (5, 6), 0: (7, 5, 6)}
    """
    rules, found, changed = list(rules), dict[int, tuple[int, ...]](), True
    while changed:
        changed = False
        for head, right_side in rules:
            if all(symbol >= 0 or -1 - symbol in found for symbol in right_side):
                whole = write_shortest(right_side, found)
                if head not in found or len(whole) < len(found[head]):
                    found[head], changed = whole, True
    return found


def write_shortest(
    symbols: Iterable[int], shortest: Mapping[int, tuple[int, ...]]
) -> tuple[int, ...]:
    """Return a shortest sequence of terminals that symbols derive; each must derive one."""
    return tuple(t for s in symbols for t in ((s,) if s >= 0 else shortest[-1 - s]))


Node = TypeVar("Node", int, str)


def find_reachable(
    starts: Iterable[int], list_following: Callable[[int], Iterable[int]]
) -> set[int]:
    """Return what some nodes lead to, and these.

    >>> sorted(find_reachable([0], {0: [3], 3: [4, 0], 4: [], 5: [0]}.__getitem__))
    [0, 3, 4]
    """
    found = set(starts)
    pending = list(found)
    while pending:
        for node in list_following(pending.pop()):
            if node not in found:
                found.add(node)
                pending.append(node)
    return found


def find_components(edges: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Return the components, each in ascending order, those that others lead to first.

    >>> find_components({0: [1], 1: [0], 2: [0]})
    [[0, 1], [2]]
    """
    nodes = list(edges)
    number = {node: i for i, node in enumerate(nodes)}
    found = _find_components([[number[target] for target in edges[node]] for node in nodes])
    return [sorted(nodes[i] for i in component) for component in found]


def unite_along(
    edges: Sequence[Sequence[int]], values: Sequence[int]
) -> tuple[list[int], list[list[int]]]:
    """Return, for each node, the union of the values of all nodes that it leads to, and its own.

    Returns:
        The unions, and the strongly connected components of several nodes.

    >>> unite_along([[1], [0], [1]], [1, 2, 4])
    ([3, 3, 7], [[0, 1]])
    """
    united, components = list(values), _find_components(edges)
    for component in components:  # those that others lead to first
        together = 0
        for node in component:
            together |= united[node]
            for target in edges[node]:
                together |= united[target]
        for node in component:
            united[node] = together
    return united, [component for component in components if len(component) > 1]


def _find_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    found: list[list[int]] = []
    depth = [0] * len(edges)  # 0: not entered; once a component is done, more than all others
    done = len(edges) + 1
    path: list[int] = []
    for root in range(len(edges)):
        if depth[root]:
            continue
        if not edges[root]:
            found.append([root])
            depth[root] = done
            continue
        path.append(root)
        entered = depth[root] = len(path)
        calls = [(root, entered, iter(edges[root]))]
        while calls:
            node, entered, targets = calls[-1]
            for target in targets:
                if not depth[target]:
                    path.append(target)
                    depth[target] = len(path)
                    calls.append((target, len(path), iter(edges[target])))
                    break
                if depth[target] < depth[node]:
                    depth[node] = depth[target]
            else:
                calls.pop()
                if calls:
                    above = calls[-1][0]
                    depth[above] = min(depth[above], depth[node])
                if depth[node] == entered:
                    found.append(path[entered - 1 :])
                    del path[entered - 1 :]
                    for member in found[-1]:
                        depth[member] = done
    return found


def reduce_grammar(bnf: Bnf) -> Bnf:
    """Return the grammar without the productions that take part in no text."""
    return reduce_productions(bnf.terminals, bnf.nonterminals, bnf.start, bnf.productions)


def reduce_productions(
    terminals: tuple[str, ...],
    nonterminals: tuple[str, ...],
    start: int,
    productions: Iterable[Production],
) -> Bnf:
    """Return the reduced grammar of productions that need not come from Lark."""
    productions = tuple(productions)
    productive = find_derivable((p.lhs, p.rhs) for p in productions)
    # Unproductive first: removing them can make others unreachable, never the reverse.
    left = [p for p in productions if all(s >= 0 or -1 - s in productive for s in p.rhs)]
    used: dict[int, list[int]] = {}
    for production in left:
        used.setdefault(production.lhs, []).extend(-1 - s for s in production.rhs if s < 0)
    reachable = find_reachable([start], lambda nonterminal: used.get(nonterminal, ()))
    return Bnf(terminals, nonterminals, start, tuple(p for p in left if p.lhs in reachable))


Terminals = int


@dataclass(frozen=True, slots=True)
class SymbolSets:
    """Nullable, FIRST and LAST of a reduced grammar's nonterminals."""

    nullable: frozenset[int]  # nonterminals that derive the empty sequence
    first: Mapping[int, Terminals]  # nonterminal → the terminals it can begin with
    last: Mapping[int, Terminals]  # nonterminal → the terminals it can end with

    def first_of(self, symbols: Iterable[int]) -> tuple[Terminals, bool]:
        """Return what a sequence of symbols can begin with, and whether it can be empty."""
        return _begin(symbols, self.first, self.nullable)

    def last_of(self, symbols: Sequence[int]) -> tuple[Terminals, bool]:
        """Return what a sequence of symbols can end with, and whether it can be empty."""
        return _begin(reversed(symbols), self.last, self.nullable)


def compute_sets(reduced: Bnf) -> SymbolSets:
    """Return nullable, FIRST and LAST."""
    nullable = compute_nullable(reduced.productions)
    forward = [(p.lhs, p.rhs) for p in reduced.productions]
    backward = [(lhs, rhs[::-1]) for lhs, rhs in forward]
    return SymbolSets(nullable, _close(forward, nullable), _close(backward, nullable))


def compute_nullable(productions: Iterable[Production]) -> frozenset[int]:
    """Return the nonterminals that derive the empty sequence."""
    return frozenset(
        find_derivable((p.lhs, p.rhs) for p in productions if all(s < 0 for s in p.rhs))
    )


def compute_adjacent(reduced: Bnf, sets: SymbolSets) -> dict[int, Terminals]:
    """Return terminal → the terminals, or the end, that come right after it in some text."""
    adjacent: dict[int, Terminals] = dict.fromkeys(sorted(reduced.used_terminals), 0)
    rules = [p.rhs for p in reduced.productions]
    if reduced.productions:
        rules.append((-1 - reduced.start, END))
    for rhs in rules:
        for position in range(1, len(rhs)):
            begins, _ = sets.first_of(rhs[position:])
            # Only the symbol next to the gap: what reaches it through empty symbols is found
            # at the gap before those, where it is next.
            ends, _ = sets.last_of(rhs[position - 1 : position])
            for terminal in bits.iterate(ends):
                adjacent[terminal] |= begins
    return adjacent


def _close(
    rules: Sequence[tuple[int, tuple[int, ...]]], nullable: frozenset[int]
) -> dict[int, Terminals]:
    """Return nonterminal → the terminals that a sequence derived from it can begin with."""
    number_of = {lhs: n for n, lhs in enumerate(sorted({lhs for lhs, _ in rules}))}
    edges: list[list[int]] = [[] for _ in number_of]
    values = [0] * len(number_of)
    for lhs, rhs in rules:
        here = number_of[lhs]
        for symbol in rhs:
            if symbol >= 0:
                values[here] |= 1 << symbol
                break
            if -1 - symbol in number_of:
                edges[here].append(number_of[-1 - symbol])
            if -1 - symbol not in nullable:
                break
    return dict(zip(number_of, unite_along(edges, values)[0], strict=True))


def _begin(
    symbols: Iterable[int], known: Mapping[int, Terminals], nullable: frozenset[int]
) -> tuple[Terminals, bool]:
    begins = 0
    for symbol in symbols:
        if symbol >= 0:
            return begins | 1 << symbol, False
        begins |= known.get(-1 - symbol, 0)
        if -1 - symbol not in nullable:
            return begins, False
    return begins, True
