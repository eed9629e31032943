"""Of which rule is a nonterminal that Lark made?

Lark names what it makes of a rule after the rule: ``__list_star_0`` is the first starred part of
``list``, and ``_sep{value,COMMA}`` a template with its arguments.
"""

from __future__ import annotations

import re

_MADE = re.compile(r"^__(?P<rule>.+)_(?:star|plus)_\d+$")


def rule_of(nonterminal: str) -> str:
    """Return the rule that Lark made a nonterminal from.

    >>> rule_of("__list_star_0"), rule_of("_sep{value,COMMA}"), rule_of("value")
    ('list', '_sep', 'value')
    """
    while made := _MADE.match(nonterminal):
        nonterminal = made["rule"]
    return nonterminal.partition("{")[0]
