"""What must the stack hold for a terminal sequence to be legal?

Behind a terminal X the DFT pushdown automaton's stack holds the places to return to: first some
``A ::= αX``, then some ``B ::= βA``, and so on down to Z0. Reading S from there, the stack is
borrowed symbol by symbol (appendix, 4.3). We do not follow single paths, of which there can be
infinitely many, but all of them at once: having borrowed down to A•, how much of S may have been
read? That set of positions is all that matters for what lies below, so the borrowed symbols drive a
finite *deterministic* automaton, the debt automaton made deterministic: its states are a
nonterminal A and a set of positions. Reading the stack downward it ends in one of two ways: S was
read, whatever lies below (*met*), or no position is left (*failed*). Hence, exactly:

- S is legal behind X on no stack iff met is unreachable;
- S is legal behind X on every stack iff failed is unreachable;
- S1 and S2 are legal on the same stacks iff the product of their automata never meets one and
  fails the other.

The first is never-legal itself. The others imply always and jointly legal, which ask less: that of
the stacks that *one* text leaves, one will do. Every ε-coaccessible start node of unlimited credit
exploration is found here too, without a maximum stack size, and so are right-recursive ends, which
its recursive definition cannot see: with ``S ::= aS | b`` the loop from S• back to S• pops the
stack each time round, and so ends.

How much of S a symbol reads is a fixpoint over nonterminals for each suffix of S, shared between
all sequences that end alike.

Example: with ``S ::= aSb | ε``, b behind b is met if the stack is ``S ::= aSb``, ``S ::= aS``, …,
and fails on ``S ::= aSb``, Z0: it depends on the stack.

Sets of positions are bit sets; the bit of the last position means that all was read.

A place of a sequence may also hold a *set* of terminals, any of which will do there: what an open
lexeme may still become is one question. A set is numbered by :meth:`Debts.number_set`, and stands
in sequences as that number, which is negative. :meth:`Debts.decide_after` takes a set in the place
of X: then the stacks after all of its terminals count.

Source: appendix, sections 2, 4.3 and 6, and its future work; Bar-Hillel, Perles, Shamir 1961 for
the fixpoint over nonterminals and positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from maskc.grammar.reduce import ReducedGrammar
from maskc.grammar.sets import Terminals, compute_sets
from maskc.ids import END

MAX_STATES = 4_000  # of one debt automaton, or of a product of two

Symbols = tuple[int, ...]
Positions = int  # bit set; ``_MET`` once everything was read, 0 once nothing can be
_MET = -1
_LONG = 32  # words that would nest Python calls too deep

Signature = tuple[tuple[int, ...], ...]
_State = tuple[int, Positions]
_ALL, _NONE = -1, -2
ALL: Signature = ((_ALL,),)  # legal on every stack
NONE: Signature = ((_NONE,),)  # legal on none


class Verdict(Enum):
    """On which stacks a sequence is legal.

    ``UNKNOWN``: the bound was reached before the answer.
    """

    NEVER = "never"
    ALWAYS = "always"
    DEPENDS = "depends"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Returns:
    """Where the automaton may return to behind a symbol, by what is left to generate there.

    Attributes:
        ends: left sides of productions that end with the symbol.
        rests: (left side, the symbols behind it), distinct.
        is_bottom: Z0 may be below: it is the start symbol.
    """

    ends: tuple[int, ...]
    rests: tuple[tuple[int, Symbols], ...]
    is_bottom: bool


_NOWHERE = Returns((), (), is_bottom=False)


class Debts:
    """The deterministic debt automata of a reduced grammar; keeps what sequences share.

    Terminals are given by id; ``$END`` may stand last in a sequence: the text ends there.

    Attributes:
        reduced: the grammar.
        sets: its nullable, FIRST and LAST.
    """

    def __init__(self, reduced: ReducedGrammar) -> None:
        self.reduced = reduced
        self.sets = compute_sets(reduced)
        self._returns = _list_returns(reduced)
        self._corners = _list_corners(reduced, self.sets.nullable)
        self._begins: dict[Symbols, tuple[int, bool]] = {(): (0, True)}
        self._read: dict[Symbols, dict[int, Positions]] = {}
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
        """Return the terminals that an element of a sequence stands for."""
        return 1 << element if element >= 0 else self._members[-1 - element]

    def _list(self, element: int) -> list[int]:
        """Return the terminals of some text that an element stands for."""
        used = self.reduced.used_terminals
        if element >= 0:
            return [element] if element in used else []
        mask = self._members[-1 - element]
        return [terminal for terminal in sorted(used) if mask >> terminal & 1]

    def decide(self, x: int, sequence: Sequence[int]) -> Verdict:
        """Return on which of the stacks behind ``x``, any symbol, the sequence is legal.

        A terminal that is in no text has no stacks, and then the verdict is ``NEVER``.
        """
        return self._decide([x], sequence)

    def decide_after(self, terminals: Terminals, sequence: Sequence[int]) -> Verdict:
        """Return on which of the stacks after any of some terminals the sequence is legal."""
        return self._decide(self._list(self.number_set(terminals)), sequence)

    def _decide(self, symbols: list[int], sequence: Sequence[int]) -> Verdict:
        word = tuple(sequence)
        if not word:
            used = not self.reduced.used_terminals.isdisjoint(symbols)
            return Verdict.ALWAYS if used else Verdict.NEVER
        met = failed = False
        pending = [(symbol, 1) for symbol in symbols]
        seen = set(pending)
        while pending:
            for below in self._borrow(*pending.pop(), word):
                if below[1] == _MET:
                    met = True
                elif below[1] == 0:
                    failed = True
                elif below not in seen:
                    seen.add(below)
                    pending.append(below)
                if met and failed:
                    return Verdict.DEPENDS
            if len(seen) > MAX_STATES:
                return Verdict.UNKNOWN
        return Verdict.ALWAYS if met else Verdict.NEVER

    def compare(self, x: int, one: Sequence[int], other: Sequence[int]) -> bool | None:
        """Return whether two sequences are legal on the same stacks behind ``x``.

        ``None``: more than ``MAX_STATES`` states were needed.
        """
        left, right = tuple(one), tuple(other)
        if x not in self.reduced.used_terminals:
            return True
        start = (x, 1 if left else _MET, 1 if right else _MET)
        seen = {start}
        pending = [start]
        while pending:
            symbol, here, there = pending.pop()
            for below in self._borrow_both(symbol, here, there, left, right):
                if below in seen or below[1] == below[2] and below[1] in (0, _MET):
                    continue
                if {below[1], below[2]} == {0, _MET}:
                    return False
                seen.add(below)
                pending.append(below)
            if len(seen) > MAX_STATES:
                return None
        return True

    def signature(
        self, x: int, sequence: Sequence[int], most: int = MAX_STATES
    ) -> Signature | None:
        """Return a value that is equal for sequences legal on the same stacks behind a terminal.

        The smallest automaton, its states numbered from the start: sequences are compared with
        many others at the price of one. ``ALL`` and ``NONE`` are its two smallest values.

        Args:
            x: a terminal.
            sequence: of terminals and sets of terminals.
            most: how many states the automaton may have before it is made smallest.

        Returns:
            ``None`` if more states were needed.
        """
        if x not in self.reduced.used_terminals:
            return NONE
        word = tuple(sequence)
        start = (x, 1 if word else _MET)
        edges: dict[_State, list[_State]] = {}
        pending = [start]
        while pending:
            state = pending.pop()
            if state in edges:
                continue
            if len(edges) > most:
                return None
            edges[state] = self._borrow(*state, word) if state[1] > 0 else []
            pending += edges[state]
        return _minimise(start, edges)

    def read(self, nonterminal: int, word: Symbols) -> Positions:
        """Return the bit set of how much of a word a nonterminal can read.

        The last bit, ``len(word)``, also stands for all that begins with the word.
        """
        if not word:
            return 1
        table = self._read.get(word)
        if table is None:
            if len(word) > _LONG:  # shortest suffix first: filling one asks for shorter ones
                for start in range(len(word) - 1, 0, -1):
                    self._read.setdefault(word[start:], self._fill(word[start:]))
            table = self._read[word] = self._fill(word)
        return table.get(nonterminal, 0) | (nonterminal in self.sets.nullable)

    def advance(self, rest: Symbols, positions: Positions, word: Symbols) -> Positions:
        """Return where in the word one may be once the symbols of ``rest`` are generated.

        ``_MET`` if the word may be read to its end on the way.
        """
        if positions <= 0 or not rest:
            return positions
        begins = self._begins.get(rest)
        if begins is None:
            begins = self._begins[rest] = self.sets.first_of(rest)
        first, can_be_empty = begins
        found = 0
        while positions:
            low = positions & -positions
            positions ^= low
            at = low.bit_length() - 1
            if can_be_empty:
                found |= low
            if first & self.terminals_at(word[at]):
                if at + 1 == len(word):
                    return _MET
                read = self._advance_from(rest, word[at:])
                if read == _MET:
                    return _MET
                found |= read << at
        return found

    def _advance_from(self, rest: Symbols, word: Symbols) -> Positions:
        """As ``advance`` from position 0 of a word that ``rest`` can begin with."""
        symbol = rest[0]
        if symbol >= 0:
            fits = self.terminals_at(word[0]) >> symbol & 1
            return self.advance(rest[1:], 2, word) if fits else 0
        here = self.read(-1 - symbol, word)
        return _MET if here >> len(word) else self.advance(rest[1:], here, word)

    def _fill(self, word: Symbols) -> dict[int, Positions]:
        """Return how much of a word each nonterminal reads, if it reads anything."""
        last = 1 << len(word)
        table: dict[int, Positions] = {}
        pending: list[tuple[int, Positions]] = [(symbol, 2) for symbol in self._list(word[0])]
        while pending:
            symbol, positions = pending.pop()
            for lhs, rest in self._corners.get(symbol, ()):
                if positions & last:
                    read = last
                else:
                    read = self.advance(rest, positions, word)
                    if read == _MET:
                        read = last
                known = table.get(lhs, 0)
                # Once everything can be read, how else it could be read does not matter.
                if read & ~known and not known & last:
                    table[lhs] = known | read
                    pending.append((-1 - lhs, read & ~known))
        return table

    def returns(self, symbol: int) -> Returns:
        """Return what a stack can hold right behind a symbol."""
        return self._returns.get(symbol, _NOWHERE)

    def _borrow(self, symbol: int, here: Positions, word: Symbols) -> list[tuple[int, Positions]]:
        returns = self.returns(symbol)
        found = [(-1 - lhs, here) for lhs in returns.ends]
        found += [(-1 - lhs, self.advance(rest, here, word)) for lhs, rest in returns.rests]
        if returns.is_bottom:
            found.append((END, self._end(here, word)))
        return found

    def _end(self, here: Positions, word: Symbols) -> Positions:
        """Return what is left at the bottom of the stack: all or nothing."""
        if here <= 0:
            return here
        return _MET if self._ends(word) and here >> (len(word) - 1) & 1 else 0

    def _ends(self, word: Symbols) -> bool:
        """Return whether the end of the text may stand last in a sequence."""
        return bool(self.terminals_at(word[-1]) >> END & 1)

    def _borrow_both(
        self, symbol: int, here: Positions, there: Positions, left: Symbols, right: Symbols
    ) -> list[tuple[int, Positions, Positions]]:
        one, other = self._borrow(symbol, here, left), self._borrow(symbol, there, right)
        return [(below, a, b) for (below, a), (_, b) in zip(one, other, strict=True)]


def _minimise(start: _State, edges: dict[_State, list[_State]]) -> Signature:
    """Return the smallest automaton's rows: a symbol, then its states in the stacks' order."""
    can_fail = _find_sources(edges, [s for s in edges if s[1] == 0])
    can_meet = _find_sources(edges, [s for s in edges if s[1] == _MET])
    block = {s: (0 if s in can_fail else _ALL) if s in can_meet else _NONE for s in edges}
    if block[start] < 0:
        return ((block[start],),)
    open_states = [state for state in edges if block[state] == 0]
    n_blocks = 0
    while True:  # Moore 1956: split until no stack symbol tells two states of a block apart
        numbers: dict[tuple[int, ...], int] = {}
        keys = [(s[0], block[s], *(block[target] for target in edges[s])) for s in open_states]
        for state, key in zip(open_states, keys, strict=True):
            block[state] = numbers.setdefault(key, len(numbers))
        if len(numbers) == n_blocks:
            break
        n_blocks = len(numbers)
    order = {_ALL: _ALL, _NONE: _NONE, block[start]: 0}
    queue = [start]
    rows = []
    for state in queue:  # grows while we walk it
        for target in edges[state]:
            if block[target] not in order:
                order[block[target]] = len(queue)
                queue.append(target)
        rows.append((state[0], *(order[block[target]] for target in edges[state])))
    return tuple(rows)


def _find_sources(edges: dict[_State, list[_State]], targets: list[_State]) -> set[_State]:
    """Return the states from which some target can be reached."""
    sources: dict[_State, list[_State]] = {}
    for state, below in edges.items():
        for target in below:
            sources.setdefault(target, []).append(state)
    found, pending = set(targets), list(targets)
    while pending:
        for source in sources.get(pending.pop(), ()):
            if source not in found:
                found.add(source)
                pending.append(source)
    return found


def _list_returns(reduced: ReducedGrammar) -> dict[int, Returns]:
    found: dict[int, dict[tuple[int, Symbols], None]] = {}
    for production in reduced.productions:
        for position, symbol in enumerate(production.rhs, 1):
            found.setdefault(symbol, {})[production.lhs, production.rhs[position:]] = None
    start = -1 - reduced.start
    if reduced.productions:
        found.setdefault(start, {})
    return {
        symbol: Returns(
            tuple(lhs for lhs, rest in pairs if not rest),
            tuple((lhs, rest) for lhs, rest in pairs if rest),
            symbol == start,
        )
        for symbol, pairs in found.items()
    }


def _list_corners(
    reduced: ReducedGrammar, nullable: frozenset[int]
) -> dict[int, tuple[tuple[int, Symbols], ...]]:
    """Return symbol → (left side, symbols behind) where only empty symbols stand before it."""
    found: dict[int, dict[tuple[int, Symbols], None]] = {}
    for production in reduced.productions:
        for position, symbol in enumerate(production.rhs, 1):
            found.setdefault(symbol, {})[production.lhs, production.rhs[position:]] = None
            if symbol >= 0 or -1 - symbol not in nullable:
                break
    return {symbol: tuple(pairs) for symbol, pairs in found.items()}
