"""General grammars: a generalised LR parser over productions that were rewritten for it.

A general parser builds no trees, so only the language counts: a grammar is a set of terminal
sequences, and each rewrite of its productions keeps it:

- :func:`drop_empties`: a production with many symbols that can be empty is first split into
  productions of two symbols. The empty sequence is kept apart from the productions.
- :func:`merge_unit_cycles`: without empty productions these are the only derivations that can go on
  for ever and read nothing.
- :func:`turn_right_recursion`: lists grow to the left.
- :func:`share_tails` (left factoring, from the right): Lark writes n optional parts in a row as 2^n
  alternatives. As words, all alternatives are a finite language; each state of its smallest
  automaton with several paths to it becomes a nonterminal that generates the rest. Grammars
  of less than ``MOST_SYMBOLS`` symbols stay as they are, and so do those that would not shrink to
  half: a tail that ends is one more reduction while a text is parsed.
- :mod:`maskc.compiler.glr.adjacency` keeps what the lexer can give.

An LR parser keeps all of a right-recursive list on its stack and reduces it at the end; a
left-recursive one it reduces item by item. Of the productions of ``A``, those that begin and end
with it are ``A -> A d A``, those that only begin with it ``A -> A s``, those that only end with it
``A -> p A``, the others ``A -> g``. Every sequence of ``A`` is then ``p* g`` and any number of
``s`` or ``d p* g``, and so is every one of::

    A -> T | A s | A d T        T -> g | P g        P -> p | P p

It does not matter that ``p``, ``g``, ``s`` and ``d`` may hold ``A`` again inside. Ambiguous lists
and expressions lose their ambiguity on the way.

Where ``A`` ends with ``B`` and ``B`` with ``A``, the alternatives of ``B`` first replace ``B`` at
the end of other alternatives. It is not done where ``B`` ends with itself or the grammar would grow
too much: then the stack grows with the list, and the language is the same. Likewise where ``A`` is
to be turned and begins with ``B``, and ``B`` with ``A``: among the ``g`` such a ``B`` would be a
list within a list, and ``- - a ++`` have as many parses as signs.

Example: ``S -> a S | b`` becomes ``S -> b | P b``, ``P -> a | P a``; ``E -> E + E | n`` becomes
``E -> T | E + T``, ``T -> n``.

Source: Hopcroft, Motwani, Ullman, section 7.1.3; Daciuk, Mihov, Watson, Watson 2000
(doi:10.1162/089120100561601).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from maskc.grammar import Bnf, Production
from maskc.grammar.sets import compute_nullable, find_components, reduce_productions

_MOST_ALTERNATIVES = 400  # of one nonterminal, by replacing its last symbols

Alternatives = dict[int, list[tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Cfg:
    """A context-free grammar over numbered symbols."""

    n_nonterminals: int  # nonterminals are below this
    reduced: Bnf  # the productions, sorted, without repetition
    has_empty: bool  # whether the empty sequence is in the language, productions or not

    @property
    def start(self) -> int:
        return self.reduced.start

    @property
    def productions(self) -> tuple[Production, ...]:
        """Those that take part in some sequence."""
        return self.reduced.productions

    def alternatives(self) -> dict[int, list[tuple[int, ...]]]:
        """Return nonterminal → right sides, in order."""
        found: dict[int, list[tuple[int, ...]]] = {}
        for production in self.productions:
            found.setdefault(production.lhs, []).append(production.rhs)
        return found


def make_cfg(
    start: int, n_nonterminals: int, productions: Iterable[Production], *, has_empty: bool
) -> Cfg:
    """Return the grammar of the productions that take part in some sequence."""
    distinct = sorted({(p.lhs, p.rhs) for p in productions})
    reduced = reduce_productions((), (), start, (Production(lhs, rhs) for lhs, rhs in distinct))
    return Cfg(n_nonterminals, reduced, has_empty)


_MOST_NULLABLE = 3  # symbols of one production that are left out in all combinations


def drop_empties(start: int, n_nonterminals: int, productions: Iterable[Production]) -> Cfg:
    """Return a grammar of the same language in which no production is empty."""
    given = list(productions)
    nullable = compute_nullable(given)
    split: list[Production] = []
    for production in given:
        if sum(-1 - s in nullable for s in production.rhs) <= _MOST_NULLABLE:
            split.append(production)
            continue
        # From the left, so that what has been read is one symbol of the stack.
        left = production.rhs[0]
        for symbol in production.rhs[1:-1]:
            split.append(Production(n_nonterminals, (left, symbol)))
            left, n_nonterminals = -1 - n_nonterminals, n_nonterminals + 1
        split.append(Production(production.lhs, (left, production.rhs[-1])))
    nullable = compute_nullable(split)
    found = [
        Production(production.lhs, rhs)
        for production in split
        for rhs in _choices(production.rhs, nullable)
        if rhs and rhs != (-1 - production.lhs,)
    ]
    return make_cfg(start, n_nonterminals, found, has_empty=start in nullable)


def _choices(rhs: tuple[int, ...], nullable: frozenset[int]) -> list[tuple[int, ...]]:
    """Return the right sides with nullable symbols left out, in every combination."""
    choices = [((), (s,)) if -1 - s in nullable else ((s,),) for s in rhs]
    return [tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*choices)]


def merge_unit_cycles(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language in which no nonterminal derives itself alone."""
    edges: dict[int, list[int]] = {n: [] for n in range(cfg.n_nonterminals)}
    for production in cfg.productions:
        if len(production.rhs) == 1 and production.rhs[0] < 0:
            edges[production.lhs].append(-1 - production.rhs[0])
    stands_for = {n: min(group) for group in find_components(edges) for n in group}

    def rename(symbol: int) -> int:
        return symbol if symbol >= 0 else -1 - stands_for[-1 - symbol]

    renamed = (Production(stands_for[p.lhs], tuple(map(rename, p.rhs))) for p in cfg.productions)
    kept = [p for p in renamed if p.rhs != (-1 - p.lhs,)]
    return make_cfg(stands_for[cfg.start], cfg.n_nonterminals, kept, has_empty=cfg.has_empty)


# Small C-like languages have 500 to 800. With sharing, one of 1,981 (panda) compiles for llama3 in
# half the time, and its masks take as long as without.
MOST_SYMBOLS = 1_000

_END = 0  # the node after which nothing is left
_Node = tuple[bool, tuple[tuple[int, int], ...]]  # whether a word may end; symbol → next node


def share_tails(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language in which large alternatives share their tails."""
    size = _measure(cfg)
    if size < MOST_SYMBOLS:
        return cfg
    shared = factor_tails(cfg)
    return shared if 2 * _measure(shared) <= size else cfg


def factor_tails(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language in which equal tails are a nonterminal each."""
    tails = _Tails()
    roots = {lhs: tails.add(sides) for lhs, sides in cfg.alternatives().items()}
    in_degree = [0] * len(tails.nodes)
    for _, targets in tails.nodes:
        for _, target in targets:
            in_degree[target] += 1
    number: dict[int, int] = {}
    for node, n in enumerate(in_degree):
        if n > 1 and node != _END and not tails.is_symbol(node):
            number[node] = cfg.n_nonterminals + len(number)
    starts = [*roots.items(), *((lhs, node) for node, lhs in number.items())]
    return make_cfg(
        cfg.start,
        cfg.n_nonterminals + len(number),
        (Production(lhs, rhs) for lhs, node in starts for rhs in tails.list_words(node, number)),
        has_empty=cfg.has_empty,
    )


def _measure(cfg: Cfg) -> int:
    return sum(len(production.rhs) for production in cfg.productions)


class _Tails:
    """The smallest automaton of several finite sets of words, without cycles."""

    def __init__(self) -> None:
        self.nodes: list[_Node] = [(True, ())]  # each after those that it leads to
        self._number: dict[_Node, int] = {self.nodes[_END]: _END}

    def add(self, words: list[tuple[int, ...]]) -> int:
        """Return the node of a set of words; equal sets have the same."""
        # One list for each letter of the word before: where it leads, once that is known.
        open_: list[dict[int, int]] = [{}]
        ends = [False]
        previous: tuple[int, ...] = ()

        def close(depth: int) -> None:
            while len(open_) > depth + 1:
                target = self._intern((ends.pop(), tuple(sorted(open_.pop().items()))))
                open_[-1][previous[len(open_) - 1]] = target

        for word in sorted(words):
            n_common = 0
            while n_common < min(len(word), len(previous)) and word[n_common] == previous[n_common]:
                n_common += 1
            close(n_common)
            for _ in word[n_common:]:
                open_.append({})
                ends.append(False)
            ends[-1] = True
            previous = word
        close(0)
        return self._intern((ends[0], tuple(sorted(open_[0].items()))))

    def _intern(self, node: _Node) -> int:
        number = self._number.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def is_symbol(self, node: int) -> bool:
        """Return whether one symbol and nothing else is left: it stands for itself."""
        ends, targets = self.nodes[node]
        return not ends and len(targets) == 1 and targets[0][1] == _END

    def list_words(self, start: int, number: dict[int, int]) -> Iterator[tuple[int, ...]]:
        """Yield the words that are left at a node, up to the nodes that are nonterminals."""
        pending: list[tuple[int, tuple[int, ...]]] = [(start, ())]
        while pending:
            node, word = pending.pop()
            ends, targets = self.nodes[node]
            if word and ends:
                yield word
            if word and node in number:
                yield (*word, -1 - number[node])
                continue
            pending += ((target, (*word, symbol)) for symbol, target in targets)


def turn_right_recursion(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language with as little right recursion as is simple.

    Args:
        cfg: without empty productions and cycles of unit productions.
    """
    alternatives = cfg.alternatives()
    for component in find_components(_last_nonterminals(alternatives)):
        if len(component) > 1:
            _break_cycle(alternatives, component)
    begins = {n: [-1 - s for s in _heads(sides) if s < 0] for n, sides in alternatives.items()}
    component_of = {n: c for c in find_components(begins) for n in c}
    n_nonterminals = cfg.n_nonterminals
    for nonterminal in sorted(alternatives):
        if any(rhs[-1] == -1 - nonterminal for rhs in alternatives[nonterminal]):
            _show_left_recursion(alternatives, nonterminal, component_of[nonterminal])
            n_nonterminals = _turn(alternatives, nonterminal, n_nonterminals)
    productions = [Production(lhs, rhs) for lhs, sides in alternatives.items() for rhs in sides]
    return make_cfg(cfg.start, n_nonterminals, productions, has_empty=cfg.has_empty)


def _last_nonterminals(alternatives: Alternatives) -> dict[int, list[int]]:
    return {
        lhs: sorted({-1 - rhs[-1] for rhs in sides if rhs[-1] < 0})
        for lhs, sides in alternatives.items()
    }


def _break_cycle(alternatives: Alternatives, component: list[int]) -> None:
    """Take nonterminals out of a cycle of last symbols, as long as one is simple to take out."""
    inside = set(component)
    while len(inside) > 1:
        last = _last_nonterminals({n: alternatives[n] for n in sorted(inside)})
        simple = [n for n in sorted(inside) if n not in last[n]]
        if not simple:
            return
        nonterminal = min(simple, key=lambda n: (len(alternatives[n]), n))
        for lhs in sorted(inside - {nonterminal}):
            if nonterminal not in last[lhs]:
                continue
            sides = [
                rhs[:-1] + end
                for rhs in alternatives[lhs]
                for end in (
                    alternatives[nonterminal] if rhs[-1] == -1 - nonterminal else [rhs[-1:]]
                )
            ]
            if len(sides) > _MOST_ALTERNATIVES:
                return
            # A unit production that came back to where it started says nothing.
            alternatives[lhs] = [rhs for rhs in dict.fromkeys(sides) if rhs != (-1 - lhs,)]
        inside.discard(nonterminal)


def _show_left_recursion(
    alternatives: Alternatives, nonterminal: int, component: Collection[int]
) -> None:
    """Replace first symbols that begin with a nonterminal again, each once.

    Args:
        alternatives: changed in place.
        nonterminal: in whose alternatives it is done.
        component: the nonterminals that begin with each other, this one among them.
    """
    own, left = -1 - nonterminal, set(component) - {nonterminal}
    while True:
        first = {-1 - head for head in _heads(alternatives[nonterminal])}
        simple = [n for n in sorted(first & left) if -1 - n not in _heads(alternatives[n])]
        if not simple:
            return
        chosen = simple[0]
        left.discard(chosen)
        sides = [
            begin + rhs[1:]
            for rhs in alternatives[nonterminal]
            for begin in (alternatives[chosen] if rhs[0] == -1 - chosen else [rhs[:1]])
        ]
        if len(sides) > _MOST_ALTERNATIVES:
            return
        alternatives[nonterminal] = [rhs for rhs in dict.fromkeys(sides) if rhs != (own,)]


def _heads(sides: list[tuple[int, ...]]) -> set[int]:
    return {rhs[0] for rhs in sides}


def _turn(alternatives: Alternatives, nonterminal: int, free: int) -> int:
    """Turn the direct right recursion of one nonterminal; return the next free number."""
    own = -1 - nonterminal
    sides = alternatives[nonterminal]
    between = [r[1:-1] for r in sides if r[0] == own and r[-1] == own]
    after = [r[1:] for r in sides if r[0] == own and r[-1] != own]
    before = [r[:-1] for r in sides if r[0] != own and r[-1] == own]
    plain = [r for r in sides if r[0] != own and r[-1] != own]
    head, free = free, free + 1
    alternatives[head] = list(plain)
    if before:
        prefix, free = free, free + 1
        alternatives[head] += [(-1 - prefix, *r) for r in plain]
        alternatives[prefix] = before + [(-1 - prefix, *r) for r in before]
    alternatives[nonterminal] = [
        (-1 - head,),
        *((own, *r) for r in after),
        *((own, *r, -1 - head) for r in between),
    ]
    return free
