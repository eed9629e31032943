"""The same language, with lists that grow to the left.

An LR parser keeps all of a right-recursive list on its stack and reduces it at the end; a
left-recursive one it reduces item by item. As only the language counts, right recursion is turned
round. Of the productions of ``A``, those that begin and end with it are ``A -> A d A``, those that
only begin with it ``A -> A s``, those that only end with it ``A -> p A``, the others ``A -> g``.
Every sequence of ``A`` is then ``p* g`` and any number of ``s`` or ``d p* g``, and so is every one
of::

    A -> T | A s | A d T        T -> g | P g        P -> p | P p

It does not matter that ``p``, ``g``, ``s`` and ``d`` may hold ``A`` again inside. Ambiguous lists
and expressions lose their ambiguity on the way.

Where ``A`` ends with ``B`` and ``B`` with ``A``, the alternatives of ``B`` first replace
``B`` at the end of other alternatives. It is not done where ``B`` ends with itself or the
grammar would grow too much: then the stack grows with the list, and the language is the same.
Likewise where ``A`` is to be turned and begins with ``B``, and ``B`` with ``A``: among the ``g``
such a ``B`` would be a list within a list, and ``- - a ++`` have as many parses as signs.

Example: ``S -> a S | b`` becomes ``S -> b | P b``, ``P -> a | P a``; ``E -> E + E | n`` becomes
``E -> T | E + T``, ``T -> n``.
"""

from __future__ import annotations

from collections.abc import Collection

from maskc.compiler.glr.cfg import Cfg, make_cfg
from maskc.grammar.model import Production
from maskc.grammar.sets import find_components

_MOST_ALTERNATIVES = 400  # of one nonterminal, by replacing its last symbols

Alternatives = dict[int, list[tuple[int, ...]]]


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
