"""The part of a language in which each terminal may stand after the one before it.

The lexer does not let every terminal follow every other: after a NAME no NAME can start at once.
Lookaheads say what it allows (:mod:`maskc.lexer.boundaries`): each terminal has one or several,
and after each only some can come. The sequences that the lexer can give are those of a finite
automaton whose state is what the last lookahead allows; we intersect the grammar with it. What is
left of the grammar has no dead ends, whatever the lexer forbids.

What the lexer forbids and the grammar never asks for is taken as allowed, and states that allow the
same sequences of terminals are one. In most grammars the automaton has one state then, and nothing
grows.

Source: Bar-Hillel, Perles, Shamir 1961.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from maskc import bits
from maskc.compiler.glr import Cfg, make_cfg
from maskc.errors import LimitError
from maskc.grammar import Production
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END
from maskc.lexer.boundaries import Lookaheads
from maskc.regular.partition import refine_by_signature
from maskc.wording import Phrase

MAX_PRODUCTIONS = 100_000


@dataclass(frozen=True, slots=True)
class Adjacency:
    """What the lexer allows after what."""

    # terminal → its lookaheads; END stands for the end of the text
    of_terminal: Mapping[int, tuple[int, ...]]
    follows: Sequence[Lookaheads]  # lookahead → the lookaheads that may come after it
    first: Lookaheads  # the lookaheads that a text may begin with


class LookaheadSymbol(NamedTuple):
    """A terminal, and those of its lookaheads that are meant, as bits."""

    terminal: int
    lookaheads: Lookaheads


@dataclass(frozen=True, slots=True)
class LookaheadCfg:
    """A grammar over terminals with lookaheads: what its productions hold is a symbol's number."""

    cfg: Cfg  # the grammar; its empty sequence is that of the grammar it came from
    symbols: tuple[LookaheadSymbol, ...]  # by number; the first one is the end of the text


def keep_adjacent(cfg: Cfg, adjacency: Adjacency) -> LookaheadCfg:
    """Return the sequences of a grammar that the lexer can give.

    Raises:
        LimitError: it has more than ``MAX_PRODUCTIONS`` productions.
    """
    automaton = _Automaton(cfg, adjacency)
    alternatives = cfg.alternatives()
    spans = _find_spans(cfg, automaton)
    number: dict[tuple[int, int, int], int] = {}
    pending: list[tuple[int, int, int]] = []

    def enter(before: int, nonterminal: int, after: int) -> int:
        key = (before, nonterminal, after)
        if key not in number:
            number[key] = len(number) + 1
            pending.append(key)
        return -1 - number[key]

    productions = [
        Production(0, (enter(automaton.start, cfg.start, after),))
        for after in sorted(spans.get((cfg.start, automaton.start), ()))
        if automaton.may_end[after]
    ]
    for before, nonterminal, after in pending:  # grows while we walk it
        lhs = number[before, nonterminal, after]
        for rhs in alternatives.get(nonterminal, ()):
            for path in _list_paths(rhs, before, after, automaton, spans):
                symbols = tuple(
                    automaton.symbol(here, symbol, there)
                    if symbol >= 0
                    else enter(here, -1 - symbol, there)
                    for here, symbol, there in zip((before, *path), rhs, path, strict=False)
                )
                productions.append(Production(lhs, symbols))
                if len(productions) > MAX_PRODUCTIONS:
                    raise LimitError(Phrase.WITH_THE_LEXER, MAX_PRODUCTIONS, Phrase.IGNORE_BLANKS)
    lexed = make_cfg(0, len(number) + 1, productions, has_empty=cfg.has_empty)
    return LookaheadCfg(lexed, tuple(automaton.symbols))


class _Automaton:
    """The sequences of lookaheads that the lexer can give, as far as the grammar asks."""

    def __init__(self, cfg: Cfg, adjacency: Adjacency) -> None:
        reduced = cfg.reduced
        used = sorted(reduced.used_terminals)
        sets = compute_sets(reduced)
        adjacent = compute_adjacent(reduced, sets)
        lookaheads = {t: adjacency.of_terminal.get(t, ()) for t in (END, *used)}

        def relevant(allowed: Lookaheads, asked: int) -> frozenset[int]:
            """Return the lookaheads that may come; those that nobody asks for may."""
            return frozenset(
                lookahead
                for terminal, own in lookaheads.items()
                for lookahead in own
                if not asked >> terminal & 1 or allowed >> lookahead & 1
            )

        states: dict[frozenset[int], int] = {}
        start = states.setdefault(relevant(adjacency.first, sets.first.get(cfg.start, 0)), 0)
        after = {
            lookahead: states.setdefault(
                relevant(adjacency.follows[lookahead], adjacent[terminal]), len(states)
            )
            for terminal in used
            for lookahead in lookaheads[terminal]
        }
        terminal_of = {
            lookahead: terminal for terminal in used for lookahead in lookaheads[terminal]
        }
        class_of = _refine(list(states), terminal_of, after, frozenset(lookaheads[END]))
        n_classes = max(class_of) + 1
        self.start = class_of[start]  # the state before the first lookahead
        self.may_end = [False] * n_classes  # state → whether the text may end there
        # state → terminal → next state → the lookaheads that lead there
        self.moves: list[dict[int, dict[int, Lookaheads]]] = [{} for _ in range(n_classes)]
        for allowed, state in states.items():
            self.may_end[class_of[state]] = not allowed.isdisjoint(lookaheads[END])
            for lookahead in sorted(allowed & terminal_of.keys()):
                targets = self.moves[class_of[state]].setdefault(terminal_of[lookahead], {})
                target = class_of[after[lookahead]]
                targets[target] = targets.get(target, 0) | 1 << lookahead
        # distinct ones, as they were asked for
        self.symbols = [LookaheadSymbol(END, bits.from_members(lookaheads[END]))]
        self._number: dict[LookaheadSymbol, int] = {}

    def symbol(self, here: int, terminal: int, there: int) -> int:
        """Return the number of a terminal with the lookaheads between two states."""
        key = LookaheadSymbol(terminal, self.moves[here][terminal][there])
        number = self._number.setdefault(key, len(self.symbols))
        if number == len(self.symbols):
            self.symbols.append(key)
        return number


def _refine(
    states: list[frozenset[int]],
    terminal_of: Mapping[int, int],
    after: Mapping[int, int],
    end: frozenset[int],
) -> list[int]:
    """Return the class of each state: states of a class allow the same sequences of terminals."""

    def sign(class_of: Sequence[int]) -> Iterator[Hashable]:
        for allowed in states:
            yield (
                allowed.isdisjoint(end),
                frozenset(
                    (terminal_of[lookahead], class_of[after[lookahead]])
                    for lookahead in allowed & terminal_of.keys()
                ),
            )

    return refine_by_signature([0] * len(states), sign)


Spans = dict[tuple[int, int], set[int]]


def _find_spans(cfg: Cfg, automaton: _Automaton) -> Spans:
    """Return (nonterminal, state) → the states that the nonterminal's sequences lead to."""
    spans: Spans = {}
    n_states = len(automaton.moves)
    grown = True
    while grown:
        grown = False
        for production in cfg.productions:
            for before in range(n_states):
                reached = {before}
                for symbol in production.rhs:
                    reached = {t for s in reached for t in _targets(symbol, s, automaton, spans)}
                known = spans.setdefault((production.lhs, before), set())
                if not reached <= known:
                    known |= reached
                    grown = True
    return spans


def _targets(symbol: int, state: int, automaton: _Automaton, spans: Spans) -> set[int]:
    if symbol >= 0:
        return set(automaton.moves[state].get(symbol, ()))
    return spans.get((-1 - symbol, state), set())


def _list_paths(
    rhs: tuple[int, ...], before: int, after: int, automaton: _Automaton, spans: Spans
) -> Iterator[tuple[int, ...]]:
    """Yield the states after each symbol, the last one being ``after``."""
    if len(rhs) == 1:
        if after in _targets(rhs[0], before, automaton, spans):
            yield (after,)
        return
    for state in sorted(_targets(rhs[0], before, automaton, spans)):
        for path in _list_paths(rhs[1:], state, after, automaton, spans):
            yield (state, *path)
