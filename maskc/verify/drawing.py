"""A text of a grammar, drawn by its rules: a sentence, its lexemes, and blanks between them.

Lark's own rules and patterns are drawn from, not the compiler's. Lark need not parse what comes of
it: it resolves conflicts by shifting, and an ambiguous lexer has its own idea. Whoever asks holds
the text against a parser, and asks again.

Example: of ``start: NAME "=" NUMBER`` it is ``total = 12``.

Which rules a text must hold follows from its number: one after the other gets its turn, in an order
that the seed gives, so that many texts together hold them all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from random import Random

from lark import Lark

from maskc.verify.lexemes import Lexemes
from maskc.verify.oracle import Oracle
from maskc.verify.sentences import Sentences
from maskc.verify.spacing import Spacing

# What Lark calls the repeated part of a rule.
_MADE = re.compile(r"^__(?P<rule>.+)_(?P<kind>star|plus)_\d+$")
_SIGNS = {"star": "*", "plus": "+"}
_WANTED = 24  # rules that one text is to hold, as far as there is room
_FEW_WANTED, _MANY_RULES = 4, 2_000  # of a large grammar, where it takes long to find the ways


@dataclass(frozen=True, slots=True)
class Drawn:
    """A text that may be one of the grammar's.

    Attributes:
        text: what was written.
        n_lexemes: how many terminals it was made of.
        rules: numbers of the rules that it was made with.
    """

    text: str
    n_lexemes: int
    rules: frozenset[int]


class Drawing:
    """The texts of one grammar.

    Args:
        lark: its parser.
        oracle: its terminals and lexer.
    """

    def __init__(self, lark: Lark, oracle: Oracle) -> None:
        self._steps, self._completer = oracle.steps, oracle.completer
        self._patterns = oracle.reader.patterns
        self._known: dict[str, Lexemes] = {}
        drawable = set(self._steps.terminals)
        if self._steps.indenter is not None:
            drawable |= {self._steps.indenter.INDENT_type, self._steps.indenter.DEDENT_type}
        self.sentences = Sentences(lark, frozenset(map(str, drawable)))
        self._spacing = Spacing(oracle.reader, self._draw_lexeme)
        self._order: tuple[int, list[int]] | None = None

    def draw(self, draw: Random, *, seed: int, number: int, size: int) -> Drawn | None:
        """Return a text, ``None`` if this time none came of it.

        Args:
            draw: of the choices; asked again, it gives another text.
            seed: by which rules get their turn.
            number: of the text.
            size: about how many lexemes it may have.
        """
        if self._order is None or self._order[0] != seed:
            self._order = seed, self.sentences.order_wanted(seed)
        order = self._order[1]
        n_wanted = min(len(order), _WANTED if len(order) < _MANY_RULES else _FEW_WANTED)
        wanted = [order[(number + n * n) % len(order)] for n in range(n_wanted)]
        sentence = self.sentences.draw(draw, 2 * size, wanted)  # a rule costs as a terminal does
        text = None if sentence is None else self._spacing.write(draw, sentence.terminals)
        if sentence is None or text is None:
            return None
        return Drawn(text, len(sentence.terminals), sentence.rules)

    def list_others(self, rules: frozenset[int]) -> tuple[int, tuple[str, ...]]:
        """Return how many rules texts can be made with, and those that are not among some."""
        useful = self.sentences.useful
        return len(useful), tuple(self._format(n) for n in useful if n not in rules)

    def _format(self, number: int) -> str:
        """Return a rule in its author's words: Lark's names for repetitions are left out."""
        origin, side = self.sentences.rules[number]
        shown = " ".join(self._name(name, is_terminal=t) for name, t in side) or "nothing"
        made = _MADE.match(origin)
        return f"{made['rule']}: ({shown}){_SIGNS[made['kind']]}" if made else f"{origin}: {shown}"

    def _name(self, name: str, *, is_terminal: bool) -> str:
        if not is_terminal:
            made = _MADE.match(name)
            return f"(…){_SIGNS[made['kind']]}" if made else name
        definition = self._steps.terminals.get(name)
        if definition is not None and definition.pattern.type == "str":
            return f'"{definition.pattern.value}"'
        if definition is not None and name.startswith("__"):
            return f"/{definition.pattern.value}/"
        return name

    def _draw_lexeme(self, draw: Random, terminal: str) -> str | None:
        if terminal not in self._known:
            self._known[terminal] = Lexemes(
                self._patterns[terminal],
                is_string=self._steps.terminals[terminal].pattern.type == "str",
                search=partial(self._completer.samples, terminal),
                encoding=self._steps.encoding,
            )
        return self._known[terminal].draw(draw)
