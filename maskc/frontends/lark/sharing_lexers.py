"""Lark's lexers without its look for collisions, and contexts that share one.

Where interegular is installed, Lark looks for terminals that collide, and only logs them. It raises
an AttributeError if interegular can read none of several terminals, as with ``/a++/`` and
``/(?>b)/``, which Lark parses if it is not installed. So these lexers do not look.

Lark makes a lexer for each set of terminals that a state of its table acts on, and each of them
compiles, measures and sorts the patterns of all of its terminals anew. Their order is one of all
terminals, names last, so that of a part is the whole one's; and a pattern that is refused in one
context is refused in all.

Example: of 30 rules the 90 contexts have 60 terminals, checked 1,400 times.

Source: Lark 1.3, ``lexer.py``: ``ContextualLexer``, ``BasicLexer``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any, cast

from lark.lexer import BasicLexer, ContextualLexer

from maskc.frontends.lark.rebinding import rebound
from maskc.frontends.lark.roles import create_unless


class PlainLexer(BasicLexer):
    """Looks for no collisions, and renames lexemes to the roles that they play."""

    __init__ = rebound(BasicLexer.__init__, has_interegular=False)
    _build_scanner = rebound(BasicLexer._build_scanner, _create_unless=create_unless)


class PlainContexts(ContextualLexer):
    """A lexer of this kind for each context."""

    BasicLexer = PlainLexer
    __init__ = rebound(ContextualLexer.__init__, has_interegular=False, BasicLexer=PlainLexer)


class SharingContexts(ContextualLexer):
    """Makes the lexers of contexts as parts of one lexer of all terminals."""

    def __init__(
        self,
        conf: Any,
        states: Mapping[int, Collection[str]],
        always_accept: Collection[str] = (),
    ) -> None:
        everywhere = {*conf.ignore, *always_accept}
        accepted = {state: frozenset(accepts) for state, accepts in states.items()}
        checked = copy(conf)
        looked_for = everywhere.union(*accepted.values())
        # What no state acts on is looked for nowhere, and Lark does not check it.
        checked.terminals = [t for t in conf.terminals if t.name in looked_for]
        PlainLexer(checked)
        unchecked = copy(conf)
        unchecked.skip_validation = True
        whole = PlainLexer(unchecked)
        self.root_lexer = whole
        parts: dict[frozenset[str], BasicLexer] = {}
        self.lexers = cast(Any, {})
        for state, accepts in accepted.items():
            if accepts not in parts:
                parts[accepts] = _take_part(whole, accepts | everywhere)
            self.lexers[state] = parts[accepts]


def _take_part(whole: BasicLexer, names: frozenset[str]) -> BasicLexer:
    """Return a lexer of some of the terminals of another one, which has made no scanner yet."""
    part = copy(whole)
    part.terminals = [t for t in whole.terminals if t.name in names]
    return part


# What Lark is given as ``_plugins``.
PLAIN: Mapping[str, type] = {"BasicLexer": PlainLexer, "ContextualLexer": PlainContexts}
SHARING_CONTEXTS: Mapping[str, type] = {**PLAIN, "ContextualLexer": SharingContexts}
