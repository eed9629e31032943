r"""As which bytes is a text written, and what of it does Lark get?

A text is UTF-8, and Lark gets its characters. With ``use_bytes=True`` Lark gets bytes: then a text
is here what Latin-1 makes of them, one character for each byte. So is a pattern, which Lark itself
writes as Latin-1 for its lexers, and as UTF-8 for ``dynamic`` and ``dynamic_complete``.

Example: for a grammar of bytes the text ``\xe9`` is the one byte E9, for any other it is C3 A9.
"""

from __future__ import annotations

import re
from typing import Any, cast

from lark import Lark

UTF8, BYTES = "utf-8", "latin-1"
N_CODE_POINTS = {UTF8: 0x110000, BYTES: 0x100}  # a text has characters below these


def find_encoding(lark: Lark) -> str:
    """Return the encoding of a parser's texts."""
    return BYTES if lark.lexer_conf.use_bytes else UTF8


def show_lark(lark: Lark, text: str) -> Any:
    """Return a text as Lark takes it: characters, or bytes."""
    return text.encode(BYTES) if lark.lexer_conf.use_bytes else text


def read_pattern(lark: Lark, terminal: Any) -> str:
    """Return the pattern of a terminal of Lark's, to be matched against texts."""
    pattern = str(terminal.pattern.to_regexp())
    if not lark.lexer_conf.use_bytes:
        return pattern
    is_dynamic = str(lark.lexer_conf.lexer_type).startswith("dynamic")
    return pattern.encode(UTF8 if is_dynamic else BYTES).decode(BYTES)


def read_flags(lark: Lark) -> int:
    """Return the flags of ``re`` for all patterns; in bytes, letters and blanks are ASCII's."""
    flags: int = cast(Any, lark.lexer_conf).g_regex_flags
    return flags | re.ASCII if lark.lexer_conf.use_bytes else flags
