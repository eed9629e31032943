r"""What do a grammar's patterns match where Lark's texts are bytes, with ``use_bytes=True``?

Lark writes each pattern as bytes and gives it to ``re``: by Latin-1 where terminals are lexed, so
that ``\xe9`` is one byte, and by UTF-8 with ``lexer=dynamic`` and ``dynamic_complete``, where it is
the two bytes C3 A9. To a pattern of bytes a character is a byte, and ``\w``, ``\s``, ``\b`` and
letters of either case are those of ASCII. Here such a pattern is kept as the text that Latin-1
makes of its bytes, with the flag ``a``, and the scanner reads character n as byte n.

Which strings are keywords of which pattern Lark still asks of texts; that is taken as it is.

Example: ``/[\x80-\xff]+/`` matches a run of bytes that are not ASCII, whatever characters they are.
"""

from __future__ import annotations

import re
import warnings

from lark import Lark

from maskc.budget import quote_symbol
from maskc.errors import GrammarError
from maskc.frontends.lark.contexts import is_dynamic


def write_pattern(lark: Lark, pattern: str) -> str:
    """Return a pattern as the scanner takes it: that of bytes as Latin-1, any other as it is."""
    return _encode(lark, pattern).decode("latin-1") if lark.lexer_conf.use_bytes else pattern


def find_flags(lark: Lark) -> int:
    """Return the flags of ``re`` for all patterns."""
    flags: int = lark.lexer_conf.g_regex_flags
    return flags | re.ASCII if lark.lexer_conf.use_bytes else flags


def check_bytes(lark: Lark) -> None:
    """Check what Lark finds out when it lexes first: that each pattern is one of bytes.

    Raises:
        GrammarError: one has a character that is no byte, or ``re`` refuses it, or its terminal's
            name, as Python 3.12 does beyond ASCII.
    """
    flags = lark.lexer_conf.g_regex_flags
    for terminal in lark.terminals:
        name, pattern = str(terminal.name), terminal.pattern.to_regexp()
        try:
            re.compile(_encode(lark, pattern), flags)
        except UnicodeEncodeError as error:
            raise _refuse(
                lark,
                name,
                f"{error.object[error.start]!a} is no byte; write its bytes, as \\xc4\\x81, or "
                "leave use_bytes=true out",
            ) from None
        except (re.error, ValueError) as error:
            raise _refuse(
                lark, name, f"re refuses it as a pattern of bytes ({error}); correct the pattern"
            ) from None
        if is_dynamic(lark) or name.isascii():
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.11
                re.compile(_encode(lark, f"(?P<{name}>)"))
        except re.error:
            raise _refuse(
                lark,
                name,
                "in bytes, the re of this Python takes names of ASCII alone, and Lark names a "
                "terminal after its text; define one for it, as "
                f'LETTER: "{ascii(terminal.pattern.value)[1:-1]}"',
            ) from None


def _refuse(lark: Lark, name: str, fact: str) -> GrammarError:
    return GrammarError(str(lark.source_path), f"{quote_symbol('terminal', name)}: {fact}")


def _encode(lark: Lark, pattern: str) -> bytes:
    return pattern.encode("utf-8" if is_dynamic(lark) else "latin-1")
