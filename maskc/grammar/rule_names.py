"""The author's rule behind a nonterminal that Lark made, and its name.

Lark names what it makes of a rule after the rule: ``__list_star_0`` is the first starred part of
``list``, ``__list_repeat_a2_b0_4`` a part of a counted repetition, and ``_sep{value,COMMA}`` a
template with its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from maskc import budget
from maskc.grammar.model import Bnf

_MADE = re.compile(r"^__(?P<rule>.+)_(?P<how>star|plus|repeat_a\d+_b\d+(?:_opt)?)_\d+$")
_SIGN = {"star": "*", "plus": "+"}
_LONGEST = 60


def rule_of(nonterminal: str) -> str:
    """Return the rule that Lark made a nonterminal from.

    >>> rule_of("__list_star_0"), rule_of("_sep{value,COMMA}"), rule_of("value")
    ('list', '_sep', 'value')
    """
    while made := _MADE.match(nonterminal):
        nonterminal = made["rule"]
    return nonterminal.partition("{")[0]


def string_of(pattern: str | None) -> str | None:
    r"""Return the text of a terminal that is one string, ``None`` for another pattern.

    >>> string_of(r"\+="), string_of("a+"), string_of("")
    ('+=', None, None)
    """
    text = re.sub(r"\\(.)", r"\1", pattern or "", flags=re.DOTALL)
    return text if text and re.escape(text) == pattern else None


def is_written(name: str, texts: Iterable[str]) -> bool:
    """Return whether an author wrote a terminal's name; else Lark named a string after its text.

    >>> is_written("LSQB", ['start: "[" A']), is_written("A", ['start: "[" A'])
    (False, True)
    """
    written = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return "__" in name[1:] or any(written.search(text) for text in texts)


def name_part(nonterminal: str) -> str:
    """Return a rule's name; ``(list…)`` for what Lark made of a part that repeats."""
    rule = rule_of(nonterminal)
    return rule if rule == nonterminal else f"({rule}…)"


def write_production(left: str, right_side: Iterable[str], dot: int | None = None) -> str:
    """Return a production, or an item of it, on one line.

    >>> write_production("x", ["A", "b"]), write_production("x", ["A", "b"], 1)
    ('x -> A b', 'x -> A . b')
    """
    names = list(right_side)
    if dot is not None:
        names.insert(dot, ".")
    return " ".join([left, "->", *names])


def is_made(nonterminal: str) -> bool:
    return _MADE.match(nonterminal) is not None


def quote_rule(bnf: Bnf, nonterminal: int) -> str:
    """Return what the author of a grammar calls a nonterminal: a rule, or a part of one.

    Example: ``__start_star_0 -> _DEDENT | __start_star_0 _DEDENT`` is "rule start (line 3), in its
    _DEDENT*".
    """
    name = bnf.nonterminals[nonterminal]
    rule = budget.quote_symbol("rule", rule_of(name))
    if not is_made(name):
        return rule
    return f"{rule}, in its {quote_symbol(bnf, -1 - nonterminal)}"


def quote_symbol(bnf: Bnf, symbol: int) -> str:
    """Return a symbol as the author wrote it; what Lark made, as what it repeats."""
    name = bnf.symbol_name(symbol)
    made = _MADE.match(name) if symbol < 0 else None
    if made is None:
        return budget.own_name(name) if symbol >= 0 else rule_of(name)
    if made["how"] not in _SIGN:
        return "counted repetition"
    items = [
        " ".join(quote_symbol(bnf, s) for s in p.rhs)
        for p in bnf.productions
        if p.lhs == -1 - symbol and symbol not in p.rhs
    ]
    text = " | ".join(items)
    if len(items) > 1 or " " in text:
        text = f"({text})"
    return f"{text}{_SIGN[made['how']]}" if len(text) <= _LONGEST else "repetition"
