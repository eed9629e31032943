"""Which LALR states can be on top of the stack once a terminal was taken?

Asked for a set of states that may be on top before it, over all stacks. Reductions look below the
top: a production goes back to every state from which its right side leads here, whatever the
stack really holds there. So no state that can be met is left out, and few others are in.

Example: behind an operand ``--`` can only be the postfix operator, and behind that no second
operand may start; sets of states know this although each of them is met somewhere.

Source: DeRemer and Pennello, *Efficient Computation of LALR(1) Look-Ahead Sets* (1982), lookback;
doi:10.1145/69622.357187.
"""

from __future__ import annotations

from maskc.grammar.model import Grammar

States = int  # a set of LALR states as bits


class Moves:
    """Sets of states before and behind a terminal.

    Attributes:
        everywhere: all states.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.everywhere: States = (1 << len(grammar.states)) - 1
        self._grammar = grammar
        self._reductions = _find_reductions(grammar)
        self._targets: dict[int, dict[int, States]] = {}
        self._known: dict[tuple[int, States], States] = {}

    def after(self, terminal: int, before: States) -> States:
        """Return the states behind a terminal; with it goes what an indenter makes of it."""
        key = (terminal, before)
        found = self._known.get(key)
        if found is None:
            found = self._take(terminal, before)
            layout = self._grammar.layout
            if layout is not None and terminal == layout.newline:
                found |= self._take(layout.indent, found)
                dedented = found
                while dedented:
                    dedented = self._take(layout.dedent, dedented) & ~found
                    found |= dedented
                # Between brackets a newline is dropped.
                found |= before
            self._known[key] = found
        return found

    def _take(self, terminal: int, before: States) -> States:
        targets = self._targets.get(terminal)
        if targets is None:
            targets = self._targets[terminal] = self._find_targets(terminal)
        found = 0
        for state, behind in targets.items():
            if before >> state & 1:
                found |= behind
        return found

    def _find_targets(self, terminal: int) -> dict[int, States]:
        """Return, for each state that acts on a terminal, the states behind it."""
        found: dict[int, States] = {}
        waiting: list[tuple[int, tuple[int, ...]]] = []
        for state, row in enumerate(self._grammar.states):
            if terminal in row.shifts:
                found[state] = 1 << row.shifts[terminal]
            elif terminal in row.reduces:
                found[state] = 0
                waiting.append((state, self._reductions[state, row.reduces[terminal]]))
        changed = True
        while changed:
            changed = False
            for state, reduced in waiting:
                behind = found[state]
                for target in reduced:
                    behind |= found.get(target, 0)
                changed |= behind != found[state]
                found[state] = behind
        return found


def _find_reductions(grammar: Grammar) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return (state, production) → the states that can be on top once it is reduced there."""
    found: dict[tuple[int, int], set[int]] = {}
    for number, production in enumerate(grammar.productions):
        for below, row in enumerate(grammar.states):
            target = row.gotos.get(production.lhs)
            if target is None:
                continue
            here: int | None = below
            for symbol in production.rhs:
                if here is None:
                    break
                row = grammar.states[here]
                here = row.shifts.get(symbol) if symbol >= 0 else row.gotos.get(-1 - symbol)
            if here is not None:
                found.setdefault((here, number), set()).add(target)
    return {key: tuple(sorted(targets)) for key, targets in found.items()}
