"""Lark's LALR table without a copy of the same lookaheads in every row.

With n keywords beside a name most states only reduce one rule, each on the same n lookaheads; Lark
writes n rows of n entries, twice, and 2,000 keywords take 1.6 GB before anything of ours has run.
Nothing can conflict in such a state, so its row is made from the rule and one set of names that all
of them share. Everything else, conflicts and their priorities first, is still Lark's own code.

Example: in ``statement: "a" NAME | "b" NAME`` both states after NAME share ``{A, B, NAME, $END}``.

Source: Lark 1.3, ``parsers/lalr_analysis.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, cast

import lark.parsers.lalr_parser
from lark.grammar import Rule
from lark.parsers.lalr_analysis import LALR_Analyzer, Reduce, Shift, digraph

from maskc.frontends.lark.patching import patched

# Lark's annotations leave both out.
_lalr_parser, _digraph = cast(Any, lark.parsers.lalr_parser), cast(Any, digraph)

Action = tuple[Any, Any]  # (Shift, state) or (Reduce, rule), as Lark has it


class SharedRow(Mapping[str, Action]):
    """A row of Lark's table: some moves, and one reduction on names that many rows share."""

    __slots__ = ("moves", "names", "reduction")

    def __init__(self, moves: dict[str, Action], reduction: Action, names: dict[str, None]) -> None:
        self.moves, self.reduction, self.names = moves, reduction, names

    def __getitem__(self, name: str) -> Action:
        if name in self.names:
            return self.reduction
        return self.moves[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self.moves, *self.names])

    def __len__(self) -> int:
        return len(self.moves) + len(self.names)


class _SharingAnalyzer(LALR_Analyzer):
    """Keeps the lookaheads of states that reduce one rule out of Lark's rows."""

    def compute_includes_lookback(self) -> None:
        """Find the same relations as Lark, which looks for each item among all of its state."""
        by_origin: dict[Any, dict[Any, list[Any]]] = {}
        whole: dict[Any, dict[Rule, Rule]] = {}
        for state in self.lr0_itemsets:
            items = by_origin[state] = {}
            for item in state.closure:
                items.setdefault(item.rule.origin, []).append(item)
            whole[state] = {item.rule: item.rule for item in state.closure if item.is_satisfied}
        nullable_from: dict[int, int] = {}  # by rule: from where on a right side may be empty
        for transition in self.nonterminal_transitions:
            start, nonterminal = transition
            lookback = self.lookback[transition]
            for item in by_origin[start].get(nonterminal, ()):
                rule, state = item.rule, start
                right_side = rule.expansion
                last = nullable_from.get(id(rule))
                if last is None:
                    last = len(right_side)
                    while last and right_side[last - 1] in self.NULLABLE:
                        last -= 1
                    nullable_from[id(rule)] = last
                for place in range(item.index, len(right_side)):
                    symbol = right_side[place]
                    if place >= last - 1 and (state, symbol) in self.reads:
                        self.includes[state, symbol].add(transition)
                    state = state.transitions[symbol]
                if item.index == 0 and rule in whole[state]:
                    lookback.add((state, whole[state][rule]))

    def compute_lookaheads(self) -> None:
        read_sets = _digraph(self.nonterminal_transitions, self.reads, self.directly_reads)
        follow_sets = _digraph(self.nonterminal_transitions, self.includes, read_sets)
        found: dict[Any, dict[Rule, dict[int, set[Any]]]] = {}
        for transition, lookbacks in self.lookback.items():
            follow = follow_sets[transition]
            for state, rule in lookbacks:
                found.setdefault(state, {}).setdefault(rule, {})[id(follow)] = follow
        unions: dict[tuple[int, ...], set[Any]] = {}
        names: dict[tuple[int, ...], dict[str, None]] = {}
        self.shared: dict[Any, tuple[Rule, dict[str, None]]] = {}
        self.lookaheads_of: dict[Any, set[Any]] = {}
        for state, by_rule in found.items():
            for rule, follows in by_rule.items():
                key = tuple(sorted(follows))
                if key not in unions:
                    unions[key] = set().union(*follows.values())
                    names[key] = dict.fromkeys(sorted(str(s.name) for s in unions[key]))
                if len(by_rule) == 1 and not any(s in unions[key] for s in state.transitions):
                    self.shared[state] = rule, names[key]
                    self.lookaheads_of[state] = unions[key]
                    continue
                for symbol in unions[key]:
                    state.lookaheads[symbol].add(rule)

    def compute_lalr1_states(self) -> None:
        super().compute_lalr1_states()
        rows: Any = self.parse_table.states
        # Lark numbers the states as it walks the item sets. Two with equal closures are one state
        # in its table, and which of them names no number says.
        if len(rows) != len(self.lr0_itemsets):
            for state, (rule, _) in self.shared.items():
                for symbol in self.lookaheads_of[state]:
                    state.lookaheads[symbol].add(rule)
            self.shared = {}
            super().compute_lalr1_states()
        for number, state in enumerate(self.lr0_itemsets):
            if state in self.shared:
                rule, names = self.shared[state]
                rows[number] = SharedRow(rows[number], (Reduce, rule), names)


def shared_lookaheads() -> AbstractContextManager[None]:
    """Let Lark build its LALR tables with shared rows."""
    return patched(_lalr_parser, "LALR_Analyzer", _SharingAnalyzer)


def read_row(row: Mapping[str, Action]) -> tuple[dict[str, int], dict[str, Rule], SharedRow | None]:
    """Return what a row shifts or goes to, what it reduces, and the row itself if it is shared.

    What a shared row reduces is its reduction on all of its names.
    """
    shared = row if isinstance(row, SharedRow) else None
    items = sorted((row if shared is None else shared.moves).items())
    return (
        {name: argument for name, (action, argument) in items if action is Shift},
        {name: argument for name, (action, argument) in items if action is not Shift},
        shared,
    )
