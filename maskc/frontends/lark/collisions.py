"""What does Lark's refusal of a grammar that is not LALR(1) mean to its author?

Lark lists every terminal on which two rules could end at once, with the names that it made for
repetitions. We say the first two rules as they stand in the grammar, with their lines, one of the
terminals, and what helps: Earley needs no decision.

Example: with ``start: a | b``, ``a: "x"`` and ``b: "x"``, after ``x`` both a and b could end.
"""

from __future__ import annotations

import re

from maskc.budget import quote_symbol

# A terminal, and the rules after it up to the next collision.
_COLLISION = re.compile(
    r"Reduce/Reduce collision in Terminal\('(\S+)'\) between((?:(?!Reduce/Reduce).)*)"
)
_RULE = re.compile(r"- <(\S+) : ?([^<>]*)>")
# Lark's names for (…)*, (…)+ and templates: __statement_star_0, _block_plus_12.
_REPEATED = re.compile(r"_*(?P<rule>[a-z_0-9]*?)_(?:star|plus)_\d+$")


def explain_collisions(text: str) -> str:
    """Return what to say about Lark's message of Reduce/Reduce collisions.

    Args:
        text: Lark's message, in one line.
    """
    # Lark lists them as its sets have it.
    found = sorted(
        (terminal, sorted(_describe(name, side) for name, side in _RULE.findall(rules)))
        for terminal, rules in _COLLISION.findall(text)
    )
    if not found or not found[0][1]:
        return f"Lark refuses it: {text[:600]}"
    (terminal, rules), n_more = found[0], len({name for name, _ in found}) - 1
    before = "the end of the text" if terminal == "$END" else terminal
    more = f" and {n_more} other terminals" if n_more > 1 else " and another" if n_more else ""
    return (
        f"Lark refuses it: Reduce/Reduce collision, {' and '.join(rules)} can end at the same "
        f"place before {before}{more}; compile with --parser earley, which needs no decision "
        "there, or write both as one rule"
    )


def _describe(name: str, side: str) -> str:
    """Return what a rule of Lark's is called in the grammar, and which of its sides it is."""
    repeated = _REPEATED.fullmatch(name)
    if repeated:
        return f"a repetition in {quote_symbol('rule', repeated['rule'])}"
    symbols = [_shorten(symbol) for symbol in side.split()]
    shown = " ".join(symbols if len(symbols) <= 8 else [*symbols[:8], "…"])
    return f"{quote_symbol('rule', name)} as `{shown}`"


def _shorten(symbol: str) -> str:
    repeated = _REPEATED.fullmatch(symbol)
    return f"({repeated['rule']}'s repetition)" if repeated else symbol
