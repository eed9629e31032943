r"""What the Lark that is installed means otherwise than another version.

From 1.2.2 to 1.3 one thing changed that a text can show: how a lexeme is compared with the string
terminals that its terminal matches in full, its keywords. Lark 1.3 asks ``re.fullmatch``. Lark 1.2
asks ``re.match`` with a ``$`` after the keyword, which also holds before a line break at the end,
and with the flag ``m`` before any: so of ``/[a-z]+\n?/`` beside ``"if"`` the lexeme ``if\n`` is the
keyword there, and not in 1.3. A grammar is compiled with the meaning of the Lark that is installed,
and ``maskc verify`` holds it against the same one.

Beside that Lark 1.3 lexes slices of texts, and its lexers take nothing else.

Source: Lark 1.2.2 and 1.3.1, ``lexer.py``: ``UnlessCallback``, ``Scanner``.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

import lark
import lark.utils

from maskc.errors import GrammarError

OLDEST_LARK = (1, 2, 2)
_FIRST_WITH_FULLMATCH = (1, 3)


def check_version(name: str) -> None:
    """Refuse a Lark older than those whose language we are held against."""
    if _installed() < OLDEST_LARK:
        raise GrammarError(
            name,
            f"Lark {lark.__version__} is installed, and grammars are compiled and verified with "
            f"Lark {'.'.join(map(str, OLDEST_LARK))} or newer; install 'lark>=1.2.2', or do it "
            "in another environment: an artifact needs no Lark to be served",
        )


def keyword_tail(flags: int) -> str:
    """Return the pattern of what a lexeme may have after a keyword and still be that keyword."""
    if _installed() >= _FIRST_WITH_FULLMATCH:
        return ""
    return r"(?:\n[\s\S]*)?" if flags & re.MULTILINE else r"\n?"


def match_lexeme(lexer: Any, text: AnyStr, position: int) -> tuple[AnyStr, str] | None:
    """Return the lexeme and the terminal that one of Lark's basic lexers finds."""
    is_sliced = _installed() >= _FIRST_WITH_FULLMATCH
    given = cast(Any, lark.utils).TextSlice(text, 0, len(text)) if is_sliced else text
    found: tuple[AnyStr, str] | None = lexer.match(given, position)
    return found


def _installed() -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", lark.__version__)[:3])
