"""What does Lark do next, where its postlex is written as rules?

The lexer is asked in the state of the parser as it stands, and that has not got a lexeme yet which
waits for the next one. The rules themselves are those of the postlex that Lark has
(:mod:`maskc.frontends.lark.rule_postlex`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from lark import Lark

from maskc.frontends.lark.rule_postlex import RulePostlex
from maskc.frontends.postlex import TEXT_END, TEXT_START
from maskc.verify.steps import State, Steps


class RuleSteps(Steps):
    """Lark's parser for a grammar whose postlex drops and renames lexemes, a step at a time."""

    def __init__(self, lark: Lark, postlex: RulePostlex) -> None:
        super().__init__(lark)
        self._postlex, self._rules = postlex, postlex.rules
        self._waiting = postlex.rules.waiting()
        self._opening = dict(postlex.rules.brackets)
        self._closing = frozenset(self._opening.values())
        self._asked = frozenset(name for rule in postlex.rules.rules for name in rule.after)
        self._targets = {
            rule.becomes: rule.terminal for rule in postlex.rules.rules if rule.becomes is not None
        }
        self.start = self.start._replace(last=TEXT_START)

    def take(self, state: State, terminal: str, value: str) -> State | None:
        """Return the state after a lexeme that is not ignored, ``None`` if it is refused."""
        del value
        fed = self._settle(state, terminal)
        if fed is None:
            return None
        last = terminal if terminal in self._asked else ""
        if terminal in self._waiting:
            return fed._replace(waiting=(terminal, state.last), last=last)
        innermost = fed.brackets[-1] if fed.brackets else None
        after = self._feed(fed, self._postlex.becomes(terminal, state.last, innermost, None))
        if after is None:
            return None
        brackets = after.brackets
        if terminal in self._opening:
            brackets = (*brackets, terminal)
        elif terminal in self._closing:
            if not brackets or self._opening[brackets[-1]] != terminal:
                return None
            brackets = brackets[:-1]
        return after._replace(last=last, brackets=brackets)

    def can_finish(self, state: State) -> bool:
        """Return whether Lark accepts the end of the text here."""
        settled = self._settle(state, TEXT_END)
        return settled is not None and super().can_finish(settled)

    def names_at(self, state: State) -> list[str]:
        """Return the terminals, and nonterminals, with which a text may go on."""
        found = set(self.rows[state.stack[-1]])
        if state.waiting is not None:
            found |= set(self.terminals)
        return sorted(found | {self._targets[name] for name in found & self._targets.keys()})

    def can_go_on(self, state: State) -> bool:
        """Return whether more of the text, or its end, may follow; ``False`` is a proof."""
        if self.can_finish(state):
            return True
        return any(
            self.remaining.can_be_finished(settled.stack)
            and any(
                self.feed(settled.stack, name) is not None
                for name in self.rows[settled.stack[-1]]
                if name in self.terminals or name in self._targets
            )
            for settled in self._settlements(state)
        )

    def _settlements(self, state: State) -> Iterator[State]:
        """Yield the states in which the parser has got what waits, whatever comes next."""
        if state.waiting is None:
            yield state
            return
        for following in sorted({*self.terminals, TEXT_END}):
            settled = self._settle(state, following)
            if settled is not None:
                yield settled

    def _settle(self, state: State, following: str) -> State | None:
        """Return the state once the parser has got what waited; ``None`` if it refuses it."""
        if state.waiting is None:
            return state
        innermost = state.brackets[-1] if state.brackets else None
        name = self._postlex.becomes(*state.waiting, innermost, following)
        return self._feed(state._replace(waiting=None), name)

    def _feed(self, state: State, name: str | None) -> State | None:
        stack = state.stack if name is None else self.feed(state.stack, name)
        return None if stack is None else state._replace(stack=stack)


def build_steps(lark: Lark) -> Steps:
    """Return Lark's parser of a grammar, a step at a time, whatever its postlex is."""
    postlex = cast(Any, lark.lexer_conf.postlex)
    return RuleSteps(lark, postlex) if isinstance(postlex, RulePostlex) else Steps(lark)
