r"""Lowering of a grammar over characters to one over terminals.

The meaning of such a grammar is that of Lark's Earley with ``dynamic_complete``: every split of a
text into lexemes counts. So what is regular, a rule or a run of parts of a right side, becomes one
terminal, and the language stays the same as with a terminal a character. Two conditions:

- a terminal does not match the empty text: a part that does becomes an optional terminal;
- each of its texts is its own first match, or Lark does not find it. What is written so that
  ``re`` cuts some of it off is written again from its automaton; what has no pattern of
  reasonable size is taken apart instead.

The rest has neither optional parts nor counts, which would be multiplied out: a repetition is a
left-recursive rule.

Example: ``value ::= [0-9]+ | "(" ws value ws ")"`` with ``ws ::= [ ]*`` becomes
``value: VALUE | VALUE_2 value VALUE_3`` with ``VALUE: /[0-9]+/``, ``VALUE_2: /\( */`` and
``VALUE_3: / *\)/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from maskc.errors import GrammarError
from maskc.frontends.characters.regular import Regular
from maskc.frontends.characters.terminals import write_terminal
from maskc.frontends.translation import Side, Translation
from maskc.regular import (
    NOTHING,
    Alternation,
    CharacterGrammar,
    Expression,
    Reference,
    Repeat,
    Sequence,
    choice,
    is_nullable,
    measure,
    rebuild,
    references,
    sequence,
)

LARGE, MAX_FAILED = 200, 5


def lower_grammar(grammar: CharacterGrammar) -> Translation:
    """Return a grammar with the same language that Lark's Earley reads with every split.

    Raises:
        GrammarError: no text at all is in the language, or an exception is not regular.
        LimitError: the automaton of an exception is too large.
    """
    regular = Regular(grammar.rules, grammar.start)
    rules = {name: regular.put_in_exceptions(body) for name, body in grammar.rules.items()}
    rules = _drop_unproductive(rules)
    if grammar.start not in rules:
        raise GrammarError(
            grammar.name,
            f"no text at all matches {grammar.start}: every alternative needs the rule again; "
            "give it one that ends",
        )
    return _Lowering(rules, grammar.start).run()


def _drop_unproductive(rules: Mapping[str, Expression]) -> dict[str, Expression]:
    """Return the rules that match some text, without the alternatives that match none."""
    users: dict[str, list[str]] = {}
    for name, body in rules.items():
        for asked in references(body):
            users.setdefault(asked, []).append(name)
    productive: set[str] = set()
    waiting = list(rules)
    while waiting:
        name = waiting.pop()
        if name not in productive and _keep(rules[name], productive) != NOTHING:
            productive.add(name)
            waiting += users.get(name, ())
    return {name: _keep(body, productive) for name, body in rules.items() if name in productive}


def _keep(expression: Expression, kept: set[str]) -> Expression:
    if isinstance(expression, Reference):
        return expression if expression.name in kept else NOTHING
    return rebuild(expression, lambda part: _keep(part, kept))


class _Lowering:
    def __init__(self, rules: dict[str, Expression], start: str) -> None:
        self.rules, self.regular = rules, Regular(rules, start, LARGE)
        self.names = _name_rules(rules)
        self.waiting = [start]
        self.asked = {start}
        self.sides: dict[str, list[Side]] = {}
        self.named: dict[str, str] = {}  # pattern → terminal
        self.terminals: dict[str, str] = {}
        self.rule_of: dict[str, str] = {made: rule for rule, made in self.names.items()}
        self.folded: dict[Expression, str | None] = {}
        self.n_failed = 0
        self.helpers: dict[Expression, str] = {}
        self.taken = set(self.names.values())

    def run(self) -> Translation:
        for name in self.waiting:  # grows while it is read
            self.sides[self.names[name]] = []  # before its helpers
            whole = self._fold(Reference(name), name)
            found = self._alternatives(self.rules[name], name) if whole is None else whole
            self.sides[self.names[name]] = found
        return Translation(
            parser="earley",
            lexer="dynamic_complete",
            start=self.names[self.waiting[0]],
            rules={name: tuple(sides) for name, sides in self.sides.items()},
            terminals=self.terminals,
            rule_of=self.rule_of,
        )

    def _alternatives(self, expression: Expression, owner: str) -> list[Side]:
        """Return the right sides whose union is the expression."""
        folded = self._fold(expression, owner)
        if folded is not None:
            return folded
        match expression:
            case Alternation(parts):
                regular = [part for part in parts if self.regular.may_join(part)]
                together = choice(*regular)
                found = self._fold(together, owner) if len(regular) < len(parts) else None
                if found is not None:
                    parts = tuple(part for part in parts if part not in regular)
                alternatives = [a for part in parts for a in self._alternatives(part, owner)]
                return list(dict.fromkeys((found or []) + alternatives))
            case Repeat(body, 0, 1):
                return list(dict.fromkeys([(), *self._alternatives(body, owner)]))
        return [self._symbols(expression, owner)]

    def _symbols(self, expression: Expression, owner: str) -> Side:
        """Return symbols in a row, one for each part that cannot be joined with its neighbour."""
        if not isinstance(expression, Sequence):
            return self._symbol(expression, owner)
        side: list[str] = []
        for joins, run in groupby(expression.parts, self.regular.may_join):
            parts = list(run)
            whole = sequence(*parts)
            if joins and (len(parts) == 1 or self._fold(whole, owner) is not None):
                side += self._symbol(whole, owner)
            else:
                for part in parts:
                    side += self._symbol(part, owner)
        return tuple(side)

    def _symbol(self, expression: Expression, owner: str) -> Side:
        """Return one symbol for an expression; none for the empty text."""
        folded = self._fold(expression, owner)
        if folded is not None and len(folded) == 1:
            return folded[0]
        match expression:
            case Reference(name):
                if name not in self.asked:
                    self.asked.add(name)
                    self.waiting.append(name)
                return (self.names[name],)
            case Sequence() if folded is None:
                return self._symbols(expression, owner)
        if expression not in self.helpers:
            helper = self.helpers[expression] = self._name(owner)
            self.sides[helper] = []
            if isinstance(expression, Repeat) and expression.high != 1 and folded is None:
                self._repeat(helper, expression, owner)
            else:
                self.sides[helper] = self._alternatives(expression, owner)
        return (self.helpers[expression],)

    def _repeat(self, helper: str, expression: Repeat, owner: str) -> None:
        low, high = expression.low, expression.high
        item = self._symbols(expression.body, owner)
        if len(item) > 1 and max(low, high or 0) > 1:
            self.sides[name := self._name(owner)] = [item]
            item = (name,)
        least = item * low
        if high is None:
            self.sides[helper] = [least, (helper, *item)]
            return
        # `x{n,m}` is n times, or one more than `x{n,m-1}`: one derivation a text.
        longest = least
        for _ in range(low, high):
            self.sides[longer := self._name(owner)] = [least, longest + item]
            longest = (longer,)
        self.sides[helper] = [longest]

    def _fold(self, expression: Expression, owner: str) -> list[Side] | None:
        """Return a terminal for an expression, after an empty side if it may be empty."""
        resolved = self.regular.resolve(expression)
        if resolved is None:
            return None
        if resolved not in self.folded:
            # A thousand large rules, one inside the other, are not all tried.
            large = measure(resolved) > LARGE
            tried = not large or self.n_failed < MAX_FAILED
            self.folded[resolved] = write_terminal(resolved) if tried else None
            self.n_failed += large and self.folded[resolved] is None
        pattern = self.folded[resolved]
        if pattern is None:
            return None
        sides: list[Side] = [()] if is_nullable(resolved) else []
        if not pattern:
            return sides
        if pattern not in self.named:
            rule = expression.name if isinstance(expression, Reference) else owner
            name = self.named[pattern] = self._name(rule, self.names[rule].upper())
            self.terminals[name] = pattern
        return [*sides, (self.named[pattern],)]

    def _name(self, rule: str, base: str = "") -> str:
        """Return a name for a part of a rule: the base, or the base with the next free number."""
        name = _take_name(base or self.names[rule], self.taken)
        self.rule_of[name] = rule
        return name


def _name_rules(rules: Iterable[str]) -> dict[str, str]:
    """Return rule → a name that Lark takes.

    >>> _name_rules(["check-mate", "Check_Mate", "2nd"])
    {'check-mate': 'check_mate', 'Check_Mate': 'check_mate_2', '2nd': 'rule_2nd'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for rule in rules:
        base = re.sub(r"[^a-z0-9]+", "_", rule.lower()).strip("_")
        base = base if base[:1].isalpha() else f"rule_{base}".rstrip("_")
        names[rule] = _take_name(base, taken)
    return names


def _take_name(base: str, taken: set[str]) -> str:
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name
