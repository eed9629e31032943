"""A postlex for Lark that does what rules say; the meaning of :mod:`maskc.frontends.postlex_rules`.

This is what ``maskc verify`` parses with, and what the compiled scanner is held against. It shares
nothing with :mod:`maskc.lexer.rewritten`, which does the same to an automaton.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lark import Lark
from lark.exceptions import LarkError
from lark.lexer import Token

from maskc.errors import GrammarError
from maskc.frontends.indentation import Indentation
from maskc.frontends.lark.indenters import build_indenter
from maskc.frontends.postlex_rules import TEXT_END, TEXT_START, PostlexRules
from maskc.frontends.source import GrammarSource


class BracketError(LarkError):
    """A bracket is closed that is not open."""


class RulePostlex:
    """Drops and renames lexemes.

    Attributes:
        rules: what it does.
        always_accept: terminals that Lark lexes in every context.
    """

    def __init__(self, rules: PostlexRules) -> None:
        self.rules = rules
        self.always_accept = rules.always_accept
        self._waiting = rules.waiting()
        self._closing = {right: left for left, right in rules.brackets}

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the lexemes that the parser gets.

        Raises:
            BracketError: a bracket is closed that is not the innermost open one.
        """
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
        """Return what the parser gets for a lexeme; ``None`` if it gets none.

        Args:
            terminal: the lexeme's.
            last: that of the lexeme before it.
            innermost: the innermost open bracket, if any.
            following: the next lexeme's, if the rules ask for it.
        """
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
    """Refuse rules about terminals that Lark does not have: it drops those that nothing uses.

    Raises:
        GrammarError: there is one.
    """
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
    """Return Lark's postlex for the settings of a grammar; nothing is imported."""
    return build_indenter(postlex) if isinstance(postlex, Indentation) else RulePostlex(postlex)
