"""The two rules between which Lark's LALR parser cannot choose, and a text after which.

Lark refuses a grammar in which the next terminal does not say which of two rules has ended, and
names what collides in an order that changes from run to run, with names of its own making. Here the
same is said of the first pair in order, in the words of the grammar, with the terminals that lead
there: the shortest path through the LR(0) automaton to a state in which both rules end.

Limits: of more than ``_MOST_STATES`` states no path is searched, and the rules alone are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from maskc.budget import quote_symbol
from maskc.errors import LimitError, escape
from maskc.frontends.translation import number_names
from maskc.grammar import Bnf, is_made, rule_of
from maskc.grammar.lr0 import add_roots, build_lr0
from maskc.grammar.sets import find_shortest, write_shortest

_COLLISION = re.compile(
    r"collision in Terminal\('(?P<next>[^']*)'\) between the following rules:"
    r"(?P<rules>(?:\s+- <[^>]*>)+)"
)
_RULE = re.compile(r"<([^ >]+) :([^>]*)>")
_MOST_STATES = 20_000

Rule = tuple[str, tuple[str, ...]]


def describe_collision(
    message: str, grammar: Any, starts: list[str], *, is_earleys: bool = False
) -> str | None:
    """Return what Lark's refusal means; ``None`` if it is about something else."""
    collisions = sorted(
        (sorted((m[1], tuple(m[2].split())) for m in _RULE.finditer(found["rules"])), found["next"])
        for found in _COLLISION.finditer(message)
    )
    if not collisions:
        return None
    rules, following = collisions[0]
    terminals, compiled, _ = grammar.compile(starts, "*")
    texts = {
        str(t.name): quote_text(t.pattern.value) if t.pattern.type == "str" else str(t.name)
        for t in terminals
    }
    sides = [
        (str(rule.origin.name), [(str(s.name), bool(s.is_term)) for s in rule.expansion])
        for rule in compiled
    ]
    numbering = number_names(
        (name for _, side in sides for name, is_terminal in side if is_terminal),
        (origin for origin, _ in sides),
    )
    bnf = numbering.make_bnf(starts[0], (numbering.produce(*side) for side in sides))
    path = _find_path(bnf, starts, set(rules[:2]))
    shown = " and ".join(_format(rule, texts) for rule in rules[:2])
    after = "" if path is None else f"after {_join(path, texts) or 'nothing'}, "
    at = "at the end of the text" if following == "$END" else f"before {texts.get(following)}"
    more = len(collisions) - 1
    others = f" (and {more} more such conflict{'s' * (more > 1)})" if more else ""
    if is_earleys:
        return (
            f"{after}{at}, {shown} may have ended{others}; with a postlex a grammar for Earley is "
            "read as LALR, which cannot choose between them; write one rule for both"
        )
    return (
        f"{after}{at}, {shown} may have ended, and Lark's LALR parser cannot choose "
        f"between them (a reduce/reduce conflict){others}; write one rule for both, or use "
        "--parser earley, which reads any grammar"
    )


def quote_text(text: str) -> str:
    return f'"{escape(text)}"'


def _format(rule: Rule, texts: Mapping[str, str]) -> str:
    origin, side = rule
    name = quote_symbol("rule", rule_of(origin))
    shown = _join(side, texts) or "nothing"
    return f"{'a repetition in ' if is_made(origin) else ''}{name} as `{shown}`"


def _join(symbols: Iterable[str], texts: Mapping[str, str]) -> str:
    return " ".join("(…)" if is_made(s) else texts.get(s, s) for s in symbols)


def _find_path(bnf: Bnf, starts: Iterable[str], colliding: set[Rule]) -> tuple[str, ...] | None:
    """Return the terminals of a shortest path to a state in which some rules end."""
    shortest = find_shortest((p.lhs, p.rhs) for p in bnf.productions)
    productions = [p for p in bnf.productions if all(s >= 0 or -1 - s in shortest for s in p.rhs)]
    wanted = {
        number
        for number, p in enumerate(productions)
        if (bnf.nonterminals[p.lhs], tuple(map(bnf.symbol_name, p.rhs))) in colliding
    }
    if len(wanted) < len(colliding):
        return None
    try:
        rules = add_roots(productions, *map(bnf.nonterminals.index, starts))
        states = build_lr0(rules, _MOST_STATES)
    except LimitError:
        return None
    paths: dict[int, tuple[int, ...]] = dict.fromkeys(range(len(rules.roots)), ())
    for number, state in enumerate(states):
        ended = {p for p, dot in state.kernel if dot == len(rules.right_sides[p])}
        ended |= {p for begun in state.begun.values() for p in begun if not rules.right_sides[p]}
        if wanted <= ended:
            return tuple(bnf.terminals[t] for t in write_shortest(paths[number], shortest))
        for symbol, target in state.moves.items():
            paths.setdefault(target, (*paths[number], symbol))
    return None
