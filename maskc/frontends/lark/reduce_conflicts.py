"""The two rules between which Lark's LALR parser cannot choose, and a text after which.

Lark refuses a grammar in which the next terminal does not say which of two rules has ended, and
names what collides in an order that changes from run to run, with names of its own making. Here the
same is said of the first pair in order, in the words of the grammar, with the terminals that lead
there: the shortest path through the LR(0) automaton to a state in which both rules end.

Example: of ``start: a | b`` with ``a: "x" y``, ``b: "x" z``, ``y: "k"`` and ``z: "k"``, the rules
``y`` and ``z`` both end after ``x k``, at the end of the text.

Limits: of more than ``_MOST_STATES`` states no path is searched, and the rules alone are named.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from maskc.budget import quote_symbol
from maskc.grammar.rule_names import is_made, rule_of

_COLLISION = re.compile(
    r"collision in Terminal\('(?P<next>[^']*)'\) between the following rules:"
    r"(?P<rules>(?:\s+- <[^>]*>)+)"
)
_RULE = re.compile(r"<([^ >]+) :([^>]*)>")
_MOST_STATES = 20_000

Rule = tuple[str, tuple[str, ...]]
Item = tuple[int, int]  # a rule's number, and the position of the dot


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
    known: list[Rule] = sorted(
        {(str(r.origin.name), tuple(str(s.name) for s in r.expansion)) for r in compiled}
    )
    path = _find_path(known, starts, set(rules[:2]))
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
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f'"{"".join(shown)}"'


def _format(rule: Rule, texts: Mapping[str, str]) -> str:
    origin, side = rule
    name = quote_symbol("rule", rule_of(origin))
    shown = _join(side, texts) or "nothing"
    return f"{'a repetition in ' if is_made(origin) else ''}{name} as `{shown}`"


def _join(symbols: Iterable[str], texts: Mapping[str, str]) -> str:
    return " ".join("(…)" if is_made(s) else texts.get(s, s) for s in symbols)


def _find_path(
    rules: list[Rule], starts: list[str], colliding: set[Rule]
) -> tuple[str, ...] | None:
    """Return the terminals of a shortest path to a state in which some rules end."""
    by_origin: dict[str, list[int]] = {}
    for number, (origin, _) in enumerate(rules):
        by_origin.setdefault(origin, []).append(number)
    yields = _find_yields(rules, by_origin)
    wanted = {number for number, rule in enumerate(rules) if rule in colliding}
    first = frozenset((n, 0) for start in starts for n in by_origin.get(start, ()))
    seen = {first}
    pending: deque[tuple[frozenset[Item], tuple[str, ...]]] = deque([(first, ())])
    while pending and len(seen) < _MOST_STATES:
        kernel, path = pending.popleft()
        items = _close(kernel, rules, by_origin)
        if wanted <= {number for number, dot in items if dot == len(rules[number][1])}:
            terminals = [yields.get(s) if s in by_origin else (s,) for s in path]
            if all(part is not None for part in terminals):
                return tuple(t for part in terminals if part is not None for t in part)
        moves: dict[str, set[Item]] = {}
        for number, dot in items:
            if dot < len(rules[number][1]):
                moves.setdefault(rules[number][1][dot], set()).add((number, dot + 1))
        for symbol in sorted(moves):
            target = frozenset(moves[symbol])
            if target not in seen:
                seen.add(target)
                pending.append((target, (*path, symbol)))
    return None


def _close(
    kernel: frozenset[Item], rules: list[Rule], by_origin: Mapping[str, list[int]]
) -> set[Item]:
    items, pending = set(kernel), list(kernel)
    while pending:
        number, dot = pending.pop()
        side = rules[number][1]
        for other in by_origin.get(side[dot], ()) if dot < len(side) else ():
            if (other, 0) not in items:
                items.add((other, 0))
                pending.append((other, 0))
    return items


def _find_yields(
    rules: list[Rule], by_origin: Mapping[str, list[int]]
) -> dict[str, tuple[str, ...]]:
    """Return nonterminal → a shortest terminal sequence."""
    found: dict[str, tuple[str, ...]] = {}
    changed = True
    while changed:
        changed = False
        for origin, side in rules:
            parts = [found.get(s) if s in by_origin else (s,) for s in side]
            if any(part is None for part in parts):
                continue
            whole = tuple(t for part in parts if part is not None for t in part)
            if origin not in found or len(whole) < len(found[origin]):
                found[origin], changed = whole, True
    return found
