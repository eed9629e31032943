"""Lark's contextual lexer, its terminals checked and put in order once for all contexts.

Lark makes a lexer for each set of terminals that a state of its table acts on, and each of them
compiles, measures and sorts the patterns of all of its terminals anew. Their order is one of all
terminals, names last, so that of a part is the whole one's; and a pattern that is refused in one
context is refused in all.

Example: of 30 rules the 90 contexts have 60 terminals, checked 1,400 times.

Source: Lark 1.3, ``lexer.py``: ``ContextualLexer``, ``BasicLexer``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, cast

import lark.parser_frontends
from lark.lexer import BasicLexer, ContextualLexer

from maskc.frontends.lark.patching import patched


class _SharingLexer(ContextualLexer):
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
        BasicLexer(checked)
        unchecked = copy(conf)
        unchecked.skip_validation = True
        self.root_lexer = BasicLexer(unchecked)
        parts: dict[frozenset[str], BasicLexer] = {}
        self.lexers = cast(Any, {})
        for state, accepts in accepted.items():
            if accepts not in parts:
                parts[accepts] = _take_part(self.root_lexer, accepts | everywhere)
            self.lexers[state] = parts[accepts]


def _take_part(whole: BasicLexer, names: frozenset[str]) -> BasicLexer:
    """Return a lexer of some of the terminals of another one, which has made no scanner yet."""
    part = copy(whole)
    part.terminals = [t for t in whole.terminals if t.name in names]
    return part


def sharing_lexers() -> AbstractContextManager[None]:
    """Let Lark make the lexers of its contexts as parts of one."""
    return patched(lark.parser_frontends, "ContextualLexer", _SharingLexer)
