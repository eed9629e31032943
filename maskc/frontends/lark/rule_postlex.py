"""Lark's postlex for the settings of a grammar, and the attributes of an ``Indenter``.

This is what ``maskc verify`` parses with, and what the compiled scanner is held against. It shares
nothing with :mod:`maskc.lexer.rewritten`, which does the same to an automaton.

The class of an ``Indenter`` is imported once, where the user names it on the command line or in a
call, and read: from then on only its attributes count, and nothing else is imported.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from lark import Lark
from lark.exceptions import LarkError
from lark.indenter import Indenter
from lark.lexer import Token

from maskc.errors import GrammarError, PostlexError
from maskc.frontends.postlex import (
    ATTRIBUTES,
    TEXT_END,
    TEXT_START,
    Indentation,
    PostlexRules,
    build_indentation,
    format_indentation,
)
from maskc.frontends.source import GrammarSource


class _Plain(Indenter):
    """Has only what every class statement writes into a class, on this Python."""

    __slots__ = ()
    tab_len: int = 8


_OF_EVERY_CLASS = {*vars(_Plain), "__annotations_cache__", "paren_level", "indent_level"}


def load_indentation(spec: str) -> Indentation:
    """Return the attributes of an ``Indenter``, given as ``module:Class``, which is imported.

    Raises:
        PostlexError: it cannot be imported, or is no ``Indenter`` that only sets attributes.
    """
    module_name, colon, class_name = spec.partition(":")
    if not colon:
        raise PostlexError(spec, "is not of the form module:Class")
    if module_name.startswith("."):
        raise PostlexError(spec, "names its module relatively; write the module's full name")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise PostlexError(spec, f"cannot be imported ({error}); check the spelling") from None
    if not (isinstance(found, type) and issubclass(found, Indenter)):
        raise PostlexError(
            spec,
            "is not a lark.indenter.Indenter, and its code is not run; leave --postlex out and "
            "write what it drops and renames at the top of the grammar, as in "
            "// maskc: postlex=rules rule=drop:_NL:between:LPAR brackets=LPAR:RPAR",
        )
    overridden = _find_override(found)
    if overridden is not None:
        raise PostlexError(
            spec,
            f"overrides {overridden}; only an Indenter's attributes can change"
            f"{_offer_attributes(found)}",
        )
    try:
        made = found()
    except (TypeError, NotImplementedError, AssertionError) as error:
        raise PostlexError(
            spec, f"cannot be constructed ({error}); set all its attributes"
        ) from None
    try:
        return build_indentation({name: getattr(made, name) for name in ATTRIBUTES})
    except ValueError as error:
        raise PostlexError(spec, f"{error}; set it to what the grammar needs") from None


def _offer_attributes(found: type[Indenter]) -> str:
    """Return how to write the attributes of a class that has code of its own, empty if they vary.

    Many override ``handle_NL`` only to raise a nicer error, which changes no language.
    """
    try:
        written = build_indentation({name: getattr(found, name) for name in ATTRIBUTES})
    except ValueError:
        return ""
    return (
        "; if all that it does is raise other errors, leave --postlex out and write at the top of "
        f"the grammar // maskc: postlex={format_indentation(written)}"
    )


def build_indenter(indentation: Indentation) -> Indenter:
    made: Indenter = type("SettingsIndenter", (Indenter,), indentation.to_dict())()
    return made


def _find_override(found: type[Indenter]) -> str | None:
    """Return something other than an attribute that a class has in the place of Lark's."""
    for owner in found.__mro__:
        if owner is Indenter:
            return None
        for name in vars(owner):
            if name not in _OF_EVERY_CLASS and name not in ATTRIBUTES and hasattr(Indenter, name):
                return name
    return None


class BracketError(LarkError):
    """A bracket is closed that is not open."""


class RulePostlex:
    """Drops and renames lexemes."""

    def __init__(self, rules: PostlexRules) -> None:
        self.rules = rules
        self.always_accept = rules.always_accept
        self._waiting = rules.waiting()
        self._closing = {right: left for left, right in rules.brackets}

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the lexemes that the parser gets."""
        last, brackets = TEXT_START, list[str]()
        waiting: tuple[Token, str] | None = None
        for token in stream:
            if waiting is not None:
                yield from self._decide(*waiting, brackets, token.type)
            if token.type in self._waiting:
                waiting = (token, last)
            else:
                waiting = None
                yield from self._decide(token, last, brackets, None)
                self._count(token.type, brackets)
            last = token.type
        if waiting is not None:
            yield from self._decide(*waiting, brackets, TEXT_END)

    def becomes(
        self, terminal: str, last: str, innermost: str | None, following: str | None
    ) -> str | None:
        """Return what the parser gets for a lexeme; ``None`` if it gets none."""
        for rule in self.rules.rules:
            if (
                rule.terminal == terminal
                and (not rule.after or last in rule.after)
                and (not rule.between or innermost in rule.between)
                and (not rule.before or following in rule.before)
            ):
                return rule.becomes
        return terminal

    def _decide(
        self, token: Token, last: str, brackets: list[str], following: str | None
    ) -> Iterator[Token]:
        name = self.becomes(token.type, last, brackets[-1] if brackets else None, following)
        if name is not None:
            yield token if name == token.type else Token.new_borrow_pos(name, token.value, token)

    def _count(self, terminal: str, brackets: list[str]) -> None:
        if any(terminal == left for left, _ in self.rules.brackets):
            brackets.append(terminal)
        elif terminal in self._closing and (
            not brackets or brackets.pop() != self._closing[terminal]
        ):
            raise BracketError(f"{terminal} closes no bracket that is open")


def check_rules(lark: Lark, source: GrammarSource) -> None:
    """Refuse rules about terminals that Lark does not have: it drops those that nothing uses."""
    if not isinstance(source.postlex, PostlexRules):
        return
    known = {str(terminal.name) for terminal in lark.terminals}
    known |= {str(symbol.name) for rule in lark.rules for symbol in rule.expansion}
    for name in sorted(source.postlex.names() - known):
        raise GrammarError(
            source.name,
            f"postlex=rules names {name}, which no rule of the grammar uses; "
            "check its name, take it out, or add it to always_accept=",
        )


def build_postlex(postlex: Indentation | PostlexRules) -> Any:
    return build_indenter(postlex) if isinstance(postlex, Indentation) else RulePostlex(postlex)
