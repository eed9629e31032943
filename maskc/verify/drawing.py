"""A text of a grammar, drawn by its rules: a sentence, its lexemes, and blanks between them.

Lark's own rules and patterns are drawn from, not the compiler's. Lark need not parse what comes of
it: it resolves conflicts by shifting, and an ambiguous lexer has its own idea. Whoever asks holds
the text against a parser, and asks again.

Which rules a text must hold follows from its number: one after the other gets its turn, in an order
that the seed gives, so that many texts together hold them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from lark import Lark

from maskc.verify.lexemes import LexemeSearch
from maskc.verify.mask_texts import GeneratedText
from maskc.verify.oracle import Oracle, TextReader
from maskc.verify.sentences import Sentences
from maskc.verify.steps import ParserSteps

# What Lark calls the repeated part of a rule.
_MADE = re.compile(r"^__(?P<rule>.+)_(?P<kind>star|plus)_\d+$")
_SIGNS = {"star": "*", "plus": "+"}
_WANTED = 24  # rules that one text is to hold, as far as there is room
_FEW_WANTED, _MANY_RULES = 4, 2_000  # of a large grammar, where it takes long to find the ways


DrawLexeme = Callable[[Random, str], str | None]

_OPENS, _CLOSES = "([{", ")]}"
_COLUMNS = 4  # of a block
_MOST_REPAIRS = 60


class Drawing:
    """The texts of one grammar."""

    def __init__(self, lark: Lark, oracle: Oracle) -> None:
        self._steps, self._completer = oracle.steps, oracle.completer
        self._patterns = oracle.reader.patterns
        self._known: dict[str, LexemeSearch] = {}
        drawable = set(self._steps.terminals)
        if self._steps.indenter is not None:
            drawable |= {self._steps.indenter.INDENT_type, self._steps.indenter.DEDENT_type}
        self.sentences = Sentences(lark, frozenset(map(str, drawable)))
        self._spacing = Spacing(oracle.reader, self._draw_lexeme)
        self._order: tuple[int, list[int]] | None = None

    def draw(self, draw: Random, *, seed: int, number: int, size: int) -> GeneratedText | None:
        """Return a text of about ``size`` lexemes, ``None`` if this time none came of it."""
        if self._order is None or self._order[0] != seed:
            self._order = seed, self.sentences.order_wanted(seed)
        order = self._order[1]
        n_wanted = min(len(order), _WANTED if len(order) < _MANY_RULES else _FEW_WANTED)
        wanted = [order[(number + n * n) % len(order)] for n in range(n_wanted)]
        sentence = self.sentences.draw(draw, 2 * size, wanted)  # a rule costs as a terminal does
        text = None if sentence is None else self._spacing.write(draw, sentence.terminals)
        if sentence is None or text is None:
            return None
        return GeneratedText(text, len(sentence.terminals), rules=sentence.rules)

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
            self._known[terminal] = LexemeSearch(
                self._patterns[terminal],
                is_string=self._steps.terminals[terminal].pattern.type == "str",
                search=partial(self._completer.samples, terminal),
                encoding=self._steps.encoding,
            )
        return self._known[terminal].draw(draw)


@dataclass(slots=True)
class _Piece:
    """A lexeme, and what stands before it."""

    terminal: str
    lexeme: str
    gap: str = ""


class Spacing:
    r"""Writes the lexemes of one grammar, with blanks as people write them.

    Between two lexemes stands what a few habits say: nothing inside brackets and before a comma, a
    blank after one and between words, sometimes a line break with the depth of the open brackets
    in blanks. Only what the grammar ignores is written; a comment now and then, if it has any.
    Where an ``Indenter`` looks at lines, a newline ends in the column of the block that follows.

    The lexer need not read it like that: ``a`` and ``b`` can be one word. A blank is put where
    Lark's lexer reads something else; where that does not help, another lexeme. With a dynamic
    lexer nothing is repaired; whoever draws asks the parser.

    Example: ``LBRACE STRING COLON NUMBER COMMA`` becomes ``{"a": 1,``.
    """

    def __init__(self, reader: TextReader, draw_lexeme: DrawLexeme) -> None:
        self._steps, self._draw_lexeme = reader.steps, draw_lexeme
        ignored = {name: reader.patterns[name].regex for name in sorted(self._steps.ignored)}
        self._has_blank = any(pattern.fullmatch(" ") for pattern in ignored.values())
        self._has_break = any(pattern.fullmatch("\n") for pattern in ignored.values())
        self._comments = [
            name
            for name, pattern in ignored.items()
            if not any(pattern.match(blank) for blank in " \t\n\r\f\v\\")
        ]

    def write(self, draw: Random, terminals: Sequence[str]) -> str | None:
        """Return a text of these terminals; ``None`` if Lark's lexer does not read it as them."""
        pieces = self._draw_pieces(draw, terminals)
        if pieces is None:
            return None
        end = "\n" if pieces and self._has_break and draw.random() < 0.2 else ""
        redrawn = 0
        for _ in range(_MOST_REPAIRS):
            wrong = _find_wrong(self._steps, pieces, end)
            if wrong is None:
                return "".join(piece.gap + piece.lexeme for piece in pieces) + end
            index, can_be_blank = wrong
            if index < 0:
                return None
            if can_be_blank and self._has_blank and self._part(pieces, index):
                continue
            lexeme = self._draw_lexeme(draw, pieces[index].terminal)
            redrawn += 1
            if lexeme is None or redrawn > _MOST_REPAIRS // 4:
                return None
            pieces[index].lexeme = lexeme
        return None

    def _part(self, pieces: list[_Piece], index: int) -> bool:
        """Put a blank after or before a lexeme; return whether there was room for one."""
        for at in (index + 1, index):
            if 0 < at < len(pieces) and not pieces[at].gap:
                pieces[at].gap = " "
                return True
        return False

    def _draw_pieces(self, draw: Random, terminals: Sequence[str]) -> list[_Piece] | None:
        indenter, pieces = self._steps.indenter, list[_Piece]()
        habit = draw.choice((0.0, 0.5, 1.0))  # some write it all on one line
        layout = () if indenter is None else (indenter.INDENT_type, indenter.DEDENT_type)
        depth = columns = 0
        for index, terminal in enumerate(terminals):
            if terminal in layout:
                continue
            if terminal == self._steps.newline:
                columns += _count_steps(terminals, index + 1, *layout)
                lexeme: str | None = "\n" + " " * (_COLUMNS * max(0, columns))
            else:
                lexeme = self._draw_lexeme(draw, terminal)
            if lexeme is None:
                return None
            depth += (lexeme in _OPENS) - (lexeme in _CLOSES)
            piece = _Piece(terminal, lexeme)
            if pieces:
                piece.gap = self._draw_gap(draw, pieces[-1], piece, depth, habit)
            pieces.append(piece)
        return pieces

    def _draw_gap(self, draw: Random, left: _Piece, right: _Piece, depth: int, habit: float) -> str:
        if self._steps.newline in (left.terminal, right.terminal) and self._steps.newline:
            return ""
        often = habit * _break_after(left.lexeme, right.lexeme)
        if self._has_break and draw.random() < often:
            comment = ""
            if self._comments and draw.random() < 0.1:
                comment = self._draw_lexeme(draw, draw.choice(self._comments)) or ""
            space = " " if comment and self._has_blank else ""
            return f"{space}{comment}\n{' ' * (2 * max(0, depth)) if self._has_blank else ''}"
        is_apart = self._has_blank and draw.random() < _blank_between(left.lexeme, right.lexeme)
        return " " if is_apart else ""


def _count_steps(terminals: Sequence[str], index: int, indent: str, dedent: str) -> int:
    """Return how many blocks are opened, or closed, by a newline before an index."""
    steps = 0
    while index < len(terminals) and terminals[index] in (indent, dedent):
        steps += 1 if terminals[index] == indent else -1
        index += 1
    return steps


def _break_after(left: str, right: str) -> float:
    if left in (";", "{") or right == "}" or left == "}" and right not in (",", ";", ")", "]"):
        return 0.5
    return 0.15 if left == "," else 0.01


def _blank_between(left: str, right: str) -> float:
    before, after = left[-1:], right[:1]
    is_word = (before.isalnum() or before in "_\"'") and (after.isalnum() or after in "_\"'")
    if is_word:
        return 1.0
    if left in _OPENS or right in _CLOSES or right in (",", ";", ":", ".") or left in (".", "::"):
        return 0.03
    if right in ("(", "["):
        return 0.2
    return 0.9


def _find_wrong(steps: ParserSteps, pieces: Sequence[_Piece], end: str) -> tuple[int, bool] | None:
    """Return the first lexeme that Lark's lexer reads otherwise; ``None`` if there is none.

    With it comes whether a blank may help. Where the parser refuses it, the index is -1.
    """
    if steps.is_dynamic:
        return None
    text = "".join(piece.gap + piece.lexeme for piece in pieces) + end
    state, position, index, start = steps.start, 0, 0, len(pieces[0].gap) if pieces else 0
    while position < len(text):
        lexer = steps.lexer_at(state)
        match = steps.match(lexer, text, position)
        if match is None:
            return (index, True) if index < len(pieces) else (-1, False)
        value, terminal = match
        name = steps.name_of(lexer, terminal, value)
        position += len(value)
        if name is None and position <= start:
            continue
        if index == len(pieces):
            if name is None:
                continue
            return index - 1, True
        piece = pieces[index]
        is_there = position == start + len(piece.lexeme) and len(value) == len(piece.lexeme)
        if name != piece.terminal or not is_there:
            return index, not is_there
        after = steps.take(state, name, value)
        if after is None:
            return -1, False
        state, index = after, index + 1
        start = position + len(pieces[index].gap) if index < len(pieces) else len(text)
    if index < len(pieces):
        return index, True
    return None if steps.can_finish(state) else (-1, False)
