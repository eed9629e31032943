"""The stacks of the DFT pushdown automaton that take a terminal sequence S after a terminal X.

After X the DFT pushdown automaton's stack holds the configurations to return to: first some ``A ::=
αX``, then some ``B ::= βA``, and so on down to Z0. Reading S from there, the stack is borrowed
symbol by symbol (appendix, 4.3). Single paths are not followed: a left-recursive rule pushes for
ever, so there can be infinitely many. What matters once the stack was borrowed down to A• is
only how much of S may have been read by then. So a node of the debt automaton
(:mod:`maskc.compiler.pushdown.debt_automaton`) is a completed symbol and a set of positions in S,
and a stack symbol leads to one node: that of its left side, and of the positions that may be
reached by generating what its production still lacks (:mod:`maskc.compiler.pushdown.emptiness`).

*Legal on every stack* asks more than always-legal does: of the stacks that one text leaves, one
would do. So it implies it, and likewise for jointly legal. Every ε-coaccessible start node of
unlimited credit exploration is found here too, without a maximum stack size, and so are
right-recursive ends, which its recursive definition cannot see: with ``S ::= aS | b`` the loop from
S• back to S• pops the stack each time round, and so ends.

``is_never_legal(X, S)`` is true iff no P has PXS ∈ L_p, where L_p holds the prefixes of the
grammar's terminal language L: iff L ∩ Σ*XSΣ* is empty. Decided exactly, for S of any length. Pairs
of terminals are decided by a table, and most never-legal sequences hold a never-legal pair. The
LALR language is contained in L, so what is never-legal here is never-legal there, conflicts or not;
the reverse does not hold. Refused alternatives and times: docs/measured.md.

A position of a sequence may also hold a *set* of terminals, any of which will do there: what an
open lexeme may still become is one question. A set is numbered by
:meth:`ProductionDebts.number_set`, and stands in sequences as that number, which is negative.

Source: appendix, sections 2 (Algorithm 1), 4.3 and 6, and its future work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from maskc.compiler.pushdown.debt_automaton import (
    MAX_STATES,
    REFUSED,
    TAKEN,
    Borrow,
    DebtAutomaton,
    Verdict,
    build_debt_automaton,
    decide,
)
from maskc.compiler.pushdown.emptiness import MET, Emptiness, Positions, Reads, Suffix, Symbols
from maskc.grammar import Bnf
from maskc.grammar.sets import Terminals, compute_adjacent, compute_sets
from maskc.ids import END


class ReturnConfiguration(NamedTuple):
    """A stack symbol, as far as it matters: where the automaton returns to."""

    lhs: int  # the nonterminal whose production goes on; -1 for Z0, the bottom
    rest: Symbols  # what the production has still to generate


BOTTOM = ReturnConfiguration(-1, ())


class Below(NamedTuple):
    """A node of the debt automaton: what was just completed, and how much may have been read."""

    symbol: int  # the terminal X, or the nonterminal that was completed, as productions hold it
    positions: Positions  # bit set of the numbers of terminals that may have been read; not empty


_Ends = tuple[tuple[ReturnConfiguration, int], ...]
_Rests = tuple[tuple[ReturnConfiguration, int, int], ...]
_NO_EDGES: tuple[_Ends, _Rests, bool] = ((), (), False)


class ProductionDebts:
    """The debt automata of a grammar's DFT pushdown automaton; keeps what sequences share.

    Terminals are given by id; ``$END`` may stand last in a sequence: the text ends there.
    """

    def __init__(self, reduced: Bnf) -> None:
        self.reduced = reduced
        self.sets = compute_sets(reduced)  # its nullable, FIRST and LAST
        # terminal → the terminals, as bits, that stand right after it in some text
        self.adjacent = compute_adjacent(reduced, self.sets)
        self._after: dict[int, Terminals] = {}
        self._starts: dict[Terminals, list[int]] = {}
        self.n_edges = 0  # of all automata so far, equal ones included: a measure of the work
        returns, start = _list_returns(reduced), -1 - reduced.start
        # Symbol → the first with the same returns: the same stacks lie below both.
        first = {(r, s == start): s for s, r in reversed(returns.items())}
        self._stands_for = stands_for = {s: first[r, s == start] for s, r in returns.items()}
        self._reads = Reads(reduced, self.sets, self.list_terminals, self.terminals_at)
        self._emptiness = Emptiness(returns, start, self._reads, self.sets)
        number_rest = self._reads.number_rest
        # What is borrowed, and what it completes: of symbols with the same stacks one is enough.
        self._edges = {
            symbol: (
                tuple(
                    (ReturnConfiguration(n, ()), stands_for.get(-1 - n, -1 - n))
                    for n, rest in pairs
                    if not rest
                ),
                tuple(
                    (
                        ReturnConfiguration(n, rest),
                        stands_for.get(-1 - n, -1 - n),
                        number_rest(rest),
                    )
                    for n, rest in pairs
                    if rest
                ),
                symbol == start,
            )
            for symbol, pairs in returns.items()
        }
        self._built: dict[tuple[int, Suffix, int], DebtAutomaton | None] = {}
        self._set_number: dict[Terminals, int] = {}
        self._members: list[Terminals] = []

    def number_set(self, terminals: Terminals) -> int:
        """Return what stands for a set of terminals in a sequence: itself, if it is one."""
        if terminals > 0 and not terminals & terminals - 1:
            return terminals.bit_length() - 1
        number = self._set_number.setdefault(terminals, len(self._members))
        if number == len(self._members):
            self._members.append(terminals)
        return -1 - number

    def terminals_at(self, element: int) -> Terminals:
        return 1 << element if element >= 0 else self._members[-1 - element]

    def list_terminals(self, element: int) -> list[int]:
        used = self.reduced.used_terminals
        if element >= 0:
            return [element] if element in used else []
        mask = self._members[-1 - element]
        return [terminal for terminal in sorted(used) if mask >> terminal & 1]

    def suffix(self, sequence: Sequence[int] | Suffix) -> Suffix:
        """Return a sequence as those that end alike share it."""
        return sequence if isinstance(sequence, Suffix) else self._reads.suffix(sequence)

    def prepend(self, element: int, after: Suffix) -> Suffix:
        return self._reads.prepend(element, after)

    def is_never_legal(self, x: int, sequence: Sequence[int] | Suffix) -> bool:
        """Return whether no text of the grammar has the sequence right after ``x``."""
        suffix, after = self.suffix(sequence), self.list_after(x)
        if not len(suffix):
            return not after
        if not after & suffix.terminals or self._has_gap(suffix):
            return True
        return len(suffix) > 1 and self.is_empty(self.list_terminals(x), suffix)

    def _has_gap(self, suffix: Suffix) -> bool:
        """Return whether two positions of a sequence stand side by side in no text."""
        if suffix.has_gap is None:
            for one, after in pairwise(reversed([*suffix.tails])):
                if after.has_gap is None:
                    after.has_gap = bool(one.has_gap) or (
                        len(one) > 0 and not self.list_after(after.element) & one.terminals
                    )
        return bool(suffix.has_gap)

    def list_after(self, element: int) -> Terminals:
        """Return the terminals, as bits, that stand right after a terminal, or one of a set."""
        found = self._after.get(element)
        if found is None:
            found = 0
            for terminal in self.list_terminals(element):
                found |= self.adjacent[terminal]
            self._after[element] = found
        return found

    def is_empty(self, symbols: Iterable[int], sequence: Sequence[int] | Suffix) -> bool:
        """Return whether no stack after any of some symbols lets the sequence be read."""
        suffix, can_be_read = self.suffix(sequence), self._emptiness.can_be_read
        if not len(suffix):
            return self.reduced.used_terminals.isdisjoint(symbols)
        return not any(can_be_read(symbol, suffix) for symbol in symbols)

    def decide(self, x: int, sequence: Sequence[int] | Suffix) -> Verdict:
        """Return on which of the stacks after ``x``, any symbol, the sequence is legal.

        A terminal that is in no text has no stacks, and then the verdict is ``NEVER``.
        """
        return self._decide([x], sequence)

    def is_always_legal(self, terminals: Terminals, sequence: Sequence[int] | Suffix) -> bool:
        suffix, starts = self.suffix(sequence), self._starts.get(terminals)
        if starts is None:
            starts = self._starts[terminals] = self.list_terminals(self.number_set(terminals))
        # Nearly all others are refused by some stack, and most of these are seen at once.
        if len(suffix) and any(self._emptiness.is_refused_at_once(s, suffix) for s in starts):
            return False
        return self._decide(starts, suffix) is Verdict.ALWAYS

    def build(
        self, x: int, sequence: Sequence[int] | Suffix, *, most: int = MAX_STATES
    ) -> DebtAutomaton | None:
        """Return the smallest debt automaton of a sequence after a terminal.

        It is equal for sequences that are legal on the same stacks: many are compared with each
        other at the price of one.

        Args:
            sequence: of terminals and sets of terminals.
            most: how many states it may have before it is made smallest.

        Returns:
            ``None`` if more states were needed.
        """
        if x not in self.reduced.used_terminals:
            return DebtAutomaton((), REFUSED)
        suffix = self.suffix(sequence)
        if not len(suffix):
            return DebtAutomaton((), TAKEN)
        key = self._stands_for.get(x, x), suffix, most
        if key not in self._built:
            borrow = self._borrow_of(suffix)
            found = build_debt_automaton(Below(key[0], 1), borrow, most=most)
            self._built[key] = None if found is None else found.minimise()
        return self._built[key]

    def compare(self, x: int, one: Sequence[int], other: Sequence[int]) -> bool | None:
        """Return whether two sequences are legal on the same stacks after ``x``.

        ``None``: more than ``MAX_STATES`` states were needed.
        """
        left, right = self.build(x, one), self.build(x, other)
        return None if left is None or right is None else left == right

    def _decide(self, symbols: list[int], sequence: Sequence[int] | Suffix) -> Verdict:
        suffix, emptiness = self.suffix(sequence), self._emptiness
        if not len(suffix):
            used = not self.reduced.used_terminals.isdisjoint(symbols)
            return Verdict.ALWAYS if used else Verdict.NEVER
        starts = sorted({self._stands_for.get(symbol, symbol) for symbol in symbols})
        if not any(emptiness.can_be_read(symbol, suffix) for symbol in starts):
            return Verdict.NEVER
        # Nearly all others depend on the stack, and most of these are seen at once.
        if any(emptiness.is_refused_at_once(symbol, suffix) for symbol in starts):
            return Verdict.DEPENDS
        found = [decide(Below(symbol, 1), self._borrow_of(suffix)) for symbol in starts]
        if Verdict.DEPENDS in found or (Verdict.ALWAYS in found and Verdict.NEVER in found):
            return Verdict.DEPENDS
        return Verdict.UNKNOWN if Verdict.UNKNOWN in found else [Verdict.NEVER, *found][-1]

    def _borrow_of(self, suffix: Suffix) -> Borrow[Below, ReturnConfiguration]:
        """Return the edges of the debt automata of a sequence."""
        advance, last = self._reads.advance, len(suffix) - 1
        may_end = suffix.tails[last].terminals >> END & 1

        def borrow(node: Below) -> list[tuple[ReturnConfiguration, Below | int]]:
            symbol, here = node
            ends, rests, is_bottom = self._edges.get(symbol, _NO_EDGES)
            found: list[tuple[ReturnConfiguration, Below | int]] = [
                (configuration, Below(completed, here)) for configuration, completed in ends
            ]
            for configuration, completed, number in rests:
                left = advance(number, here, suffix)
                if left == MET:
                    found.append((configuration, TAKEN))
                else:
                    found.append((configuration, Below(completed, left) if left else REFUSED))
            if is_bottom:
                found.append((BOTTOM, TAKEN if may_end and here >> last & 1 else REFUSED))
            self.n_edges += len(found)
            return found

        return borrow


def _list_returns(reduced: Bnf) -> dict[int, tuple[tuple[int, Symbols], ...]]:
    """Return symbol → left sides, and the symbols after it there: what is popped after it.

    Distinct, those first that nothing comes after. The start symbol has an entry.
    """
    found: dict[int, dict[tuple[int, Symbols], None]] = {}
    for production in reduced.productions:
        for dot, symbol in enumerate(production.rhs, 1):
            found.setdefault(symbol, {})[production.lhs, production.rhs[dot:]] = None
    if reduced.productions:
        found.setdefault(-1 - reduced.start, {})
    return {
        symbol: tuple(sorted(pairs, key=lambda pair: bool(pair[1])))
        for symbol, pairs in found.items()
    }
