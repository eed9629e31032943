"""Random texts of a Lark grammar, derived from its productions.

The masks are not involved: a derivation replaces nonterminals by right-hand sides that are drawn
by a seed, shortest ones first once the text is long, and each terminal by one of the lexemes given
for its name. What Lark makes of the text is then asked of Lark, and of a judge of the language.
"""

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from lark import Lark
from lark.exceptions import LarkError
from lark.lexer import PatternStr
from lark.utils import logger


def accepts(parser: Lark, text: str) -> bool:
    try:
        parser.parse(text)
    except LarkError:
        return False
    return True


def conflicts(text: str, start: str) -> list[str]:
    """Return what Lark says about shift/reduce choices in a grammar; others make it raise."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    others = [h for h in logger.handlers if h is not handler]
    for other in others:
        logger.removeHandler(other)
    try:
        Lark(text, parser="lalr", lexer="contextual", start=start, debug=True)
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)
        for other in others:
            logger.addHandler(other)
    return [line for line in lines if line.startswith("Shift/Reduce")]


class Deriver:
    """Draws texts of a grammar.

    Attributes:
        lexemes: for each terminal that is not a string, what it may be written as.
    """

    def __init__(self, parser: Lark, lexemes: Mapping[str, Sequence[str]]) -> None:
        self.lexemes = {
            t.name: [t.pattern.value] for t in parser.terminals if isinstance(t.pattern, PatternStr)
        }
        self.lexemes.update(lexemes)
        self.rules: dict[str, list[list[tuple[str, bool]]]] = {}
        for rule in parser.rules:
            self.rules.setdefault(rule.origin.name, []).append(
                [(symbol.name, symbol.is_term) for symbol in rule.expansion]
            )
        self.cost = dict.fromkeys(self.rules, 10_000)
        changed = True
        while changed:
            changed = False
            for name, expansions in self.rules.items():
                best = min(map(self._cost, expansions))
                if best < self.cost[name]:
                    self.cost[name] = best
                    changed = True

    def _cost(self, expansion: list[tuple[str, bool]]) -> int:
        return 1 + sum(1 if is_term else self.cost[name] for name, is_term in expansion)

    def words(self, start: str, draw: random.Random, length: int) -> Iterator[str]:
        """Yield lexemes of a text that stops growing after about ``length`` of them."""
        stack = [(start, False)]
        n_yielded = 0
        while stack:
            name, is_term = stack.pop()
            if is_term:
                n_yielded += 1
                yield draw.choice(self.lexemes[name])
                continue
            expansions = self.rules[name]
            if n_yielded + len(stack) > length:
                low = min(map(self._cost, expansions))
                expansions = [e for e in expansions if self._cost(e) == low]
            stack.extend(reversed(draw.choice(expansions)))

    def text(
        self,
        start: str,
        draw: random.Random,
        length: int,
        join: Callable[[list[str]], str] = " ".join,
    ) -> str:
        return join(list(self.words(start, draw, length)))

    def change(self, words: Sequence[str], draw: random.Random) -> list[str]:
        """Return the lexemes with one of them left out, doubled, replaced or put in."""
        changed = list(words)
        at = draw.randrange(len(changed) + 1)
        other = draw.choice(self.lexemes[draw.choice(sorted(self.lexemes))])
        how = draw.randrange(4) if at < len(changed) else 3
        if how == 0:
            del changed[at]
        elif how == 1:
            changed.insert(at, changed[at])
        elif how == 2:
            changed[at] = other
        else:
            changed.insert(at, other)
        return changed
