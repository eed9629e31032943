r"""How are lexemes put together, with blanks as people write them?

Between two lexemes stands what a few habits say: nothing inside brackets and before a comma, a
blank after one and between words, sometimes a line break with the depth of the open brackets in
blanks. Only what the grammar ignores is written; a comment now and then, if it has any. Where an
``Indenter`` looks at lines, a newline ends in the column of the block that follows.

Example: ``LBRACE STRING COLON NUMBER COMMA`` becomes ``{"a": 1,``.

The lexer need not read it like that: ``a`` and ``b`` can be one word, ``+`` and ``+`` one sign. A
blank is put where Lark's lexer reads something else; where that does not help, another lexeme.

Limits: with a dynamic lexer nothing is repaired; whoever draws asks the parser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from maskc.verify.general import GeneralSteps
from maskc.verify.readings import Reader
from maskc.verify.steps import Steps

DrawLexeme = Callable[[Random, str], str | None]

_OPENS, _CLOSES = "([{", ")]}"
_COLUMNS = 4  # of a block
_MOST_REPAIRS = 60


@dataclass(slots=True)
class _Piece:
    """A lexeme, and what stands before it."""

    terminal: str
    lexeme: str
    gap: str = ""


class Spacing:
    """Writes the lexemes of one grammar.

    Args:
        reader: its terminals, and Lark's lexer.
        draw_lexeme: returns a lexeme of a terminal.
    """

    def __init__(self, reader: Reader, draw_lexeme: DrawLexeme) -> None:
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
            place, can_be_blank = wrong
            if place < 0:
                return None
            if can_be_blank and self._has_blank and self._part(pieces, place):
                continue
            lexeme = self._draw_lexeme(draw, pieces[place].terminal)
            redrawn += 1
            if lexeme is None or redrawn > _MOST_REPAIRS // 4:
                return None
            pieces[place].lexeme = lexeme
        return None

    def _part(self, pieces: list[_Piece], place: int) -> bool:
        """Put a blank after or before a lexeme; return whether there was room for one."""
        for at in (place + 1, place):
            if 0 < at < len(pieces) and not pieces[at].gap:
                pieces[at].gap = " "
                return True
        return False

    def _draw_pieces(self, draw: Random, terminals: Sequence[str]) -> list[_Piece] | None:
        indenter, pieces = self._steps.indenter, list[_Piece]()
        habit = draw.choice((0.0, 0.5, 1.0))  # some write it all on one line
        layout = () if indenter is None else (indenter.INDENT_type, indenter.DEDENT_type)
        depth = columns = 0
        for place, terminal in enumerate(terminals):
            if terminal in layout:
                continue
            if terminal == self._steps.newline:
                columns += _count_steps(terminals, place + 1, *layout)
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


def _count_steps(terminals: Sequence[str], place: int, indent: str, dedent: str) -> int:
    """Return how many blocks are opened, or closed, by a newline before a place."""
    steps = 0
    while place < len(terminals) and terminals[place] in (indent, dedent):
        steps += 1 if terminals[place] == indent else -1
        place += 1
    return steps


def _break_after(left: str, right: str) -> float:
    """Return how often a line ends between two lexemes."""
    if left in (";", "{") or right == "}" or left == "}" and right not in (",", ";", ")", "]"):
        return 0.5
    return 0.15 if left == "," else 0.01


def _blank_between(left: str, right: str) -> float:
    """Return how often a blank stands between two lexemes."""
    before, after = left[-1:], right[:1]
    is_word = (before.isalnum() or before in "_\"'") and (after.isalnum() or after in "_\"'")
    if is_word:
        return 1.0
    if left in _OPENS or right in _CLOSES or right in (",", ";", ":", ".") or left in (".", "::"):
        return 0.03
    if right in ("(", "["):
        return 0.2
    return 0.9


def _find_wrong(steps: Steps, pieces: Sequence[_Piece], end: str) -> tuple[int, bool] | None:
    """Return the first lexeme that Lark's lexer reads otherwise; ``None`` if there is none.

    With it comes whether a blank may help. Where the parser refuses it, its place is -1.
    """
    if isinstance(steps, GeneralSteps) and steps.basic is None:
        return None
    text = "".join(piece.gap + piece.lexeme for piece in pieces) + end
    state, position, place, start = steps.start, 0, 0, len(pieces[0].gap) if pieces else 0
    while position < len(text):
        basic = steps.basic if isinstance(steps, GeneralSteps) else None
        lexer = basic if basic is not None else steps.lexer_at(state)
        match = steps.match(lexer, text, position)
        if match is None:
            return (place, True) if place < len(pieces) else (-1, False)
        value, terminal = match
        name = steps.name_of(lexer, terminal, value)
        position += len(value)
        if name is None and position <= start:
            continue
        if place == len(pieces):
            if name is None:
                continue
            return place - 1, True
        piece = pieces[place]
        is_there = position == start + len(piece.lexeme) and len(value) == len(piece.lexeme)
        if name != piece.terminal or not is_there:
            return place, not is_there
        after = steps.take(state, name, value)
        if after is None:
            return -1, False
        state, place = after, place + 1
        start = position + len(pieces[place].gap) if place < len(pieces) else len(text)
    if place < len(pieces):
        return place, True
    is_whole = isinstance(steps, GeneralSteps) or steps.can_finish(state)
    return None if is_whole else (-1, False)
