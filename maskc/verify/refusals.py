"""Where a text is refused, and what was expected there.

The position is Lark's own if it names one. An ``Indenter`` names none: then Lark's lexer and table
are driven one lexeme at a time (:mod:`maskc.verify.steps`) to the lexeme that it refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from lark import Lark
from lark.exceptions import LarkError, UnexpectedCharacters, UnexpectedEOF, UnexpectedToken
from lark.indenter import DedentError, Indenter
from lark.lexer import Token

from maskc.verify.characters import BYTES
from maskc.verify.general import is_two_endings
from maskc.verify.steps import ParserSteps, show_lark

_SHOWN = 40  # characters of a lexeme


@dataclass(frozen=True, slots=True)
class TextRefusal:
    """Why a text is not one of the artifact's."""

    line: int  # from 1
    column: int  # from 1, in characters
    reason: str
    expected: tuple[str, ...]  # terminals, as Lark names them, or what else must come

    def to_dict(self, file: str) -> dict[str, Any]:
        return {
            "file": file,
            "line": self.line,
            "column": self.column,
            "reason": self.reason,
            "expected": list(self.expected),
        }


def find_refusal(
    parser: Lark, text: str, find_steps: Callable[[], ParserSteps]
) -> TextRefusal | None:
    """Return why Lark refuses a text, ``None`` if it parses it."""
    try:
        parser.parse(show_lark(parser, text))
    except UnexpectedCharacters as error:
        offset = cast(int, error.pos_in_stream)
        expected = _name(parser, cast(Any, error).allowed or ())
        return refuse_at(text, offset, f"unexpected {text[offset : offset + 1]!r}", expected)
    except UnexpectedToken as error:
        return _refuse_token(parser, text, error)
    except UnexpectedEOF as error:
        expected = _name(parser, map(str, error.expected))
        return refuse_at(text, len(text), "the text ends here", expected)
    except (LarkError, IndexError, AssertionError) as error:
        # What an Indenter raises: it closes no block, or a bracket too many, or counts no line.
        is_indented = parser.lexer_conf.postlex is not None
        offset = _find_offset(find_steps(), text, error) if is_indented else len(text)
        return refuse_at(text, offset, _say(error))
    except RuntimeError as error:
        if not is_two_endings(error):
            raise
    return None


def refuse_bytes(data: bytes, offset: int) -> TextRefusal:
    """Return why a file is refused that is not UTF-8 at an offset."""
    before = data[:offset].decode(errors="replace")
    return refuse_at(before, len(before), f"byte {offset} is not UTF-8")


def refuse_at(text: str, offset: int, reason: str, expected: tuple[str, ...] = ()) -> TextRefusal:
    begin = text.rfind("\n", 0, offset) + 1
    return TextRefusal(text.count("\n", 0, offset) + 1, offset - begin + 1, reason, expected)


def _refuse_token(parser: Lark, text: str, error: UnexpectedToken) -> TextRefusal:
    token = error.token
    expected = _name(parser, error.accepts or error.expected)
    offset = token.start_pos
    if token.type == "$END" or offset is None:
        return refuse_at(text, len(text), "the text ends here", expected)
    postlex = cast(Any, parser.lexer_conf.postlex)
    blocks = (postlex.INDENT_type, postlex.DEDENT_type) if isinstance(postlex, Indenter) else ()
    if token.type in blocks:
        # They are made after the newline lexeme that begins the line.
        offset = token.end_pos if token.end_pos is not None else offset
        if offset >= len(text):
            return refuse_at(text, len(text), "the text ends here", expected)
        return refuse_at(text, offset, f"unexpected {token.type}", expected)
    return refuse_at(text, offset, f"unexpected {token.type} {_show(token)!r}", expected)


def _show(token: Token) -> str:
    value = cast(Any, token.value)
    text = value.decode(BYTES) if isinstance(value, bytes) else str(value)
    return text[:_SHOWN]


def _name(parser: Lark, names: Iterable[str]) -> tuple[str, ...]:
    """Return terminals as Lark names them: a string that it had to name, by its text."""
    said = {"$END": "the end"} | {str(t.name): str(t.user_repr()) for t in parser.terminals}
    return tuple(sorted({said.get(name, str(name)) for name in names}))


def _say(error: BaseException) -> str:
    if isinstance(error, AssertionError):
        return "a bracket is closed that was not opened"
    if isinstance(error, IndexError):
        return "a newline lexeme has no line break"
    return " ".join(str(error).split()) or type(error).__name__


def _find_offset(steps: ParserSteps, text: str, error: BaseException) -> int:
    """Return where the lexeme is that is refused; after it, if it is one of line breaks."""
    *_, (state, position) = steps.walk(steps.start, text)
    if position < len(text) and isinstance(error, DedentError):
        match = steps.match(steps.lexer_at(state), text, position)
        position += len(match[0]) if match is not None else 0
    return position
