r"""Checks of a grammar's patterns that Lark makes late, or without a way out.

Lark says "Cannot compile token" and the pattern, or with ``lexer=dynamic`` only what the pattern's
module says, so there it is read before Lark does. Mostly it is one of the module ``regex``, and the
project loads its grammar with ``regex=True``; so that module is asked: for ``A: /\p{L}+/`` the
message says what ``re`` says (bad escape \p at position 0), and to write ``// maskc: regex=true``.

With ``use_bytes=True`` Lark writes each pattern as bytes and gives it to ``re``: by Latin-1 where
terminals are lexed, so that ``\xe9`` is one byte, and by UTF-8 with ``lexer=dynamic`` and
``dynamic_complete``, where it is the two bytes C3 A9. To a pattern of bytes a character is a byte,
and ``\w``, ``\s``, ``\b`` and letters of either case are those of ASCII. Such a pattern is kept as
the text that Latin-1 makes of its bytes, with the flag ``a``, and the scanner reads character n
as byte n. Which strings are keywords of which pattern Lark still asks of texts.
"""

from __future__ import annotations

import ast
import re
import warnings

from lark import Lark

from maskc.budget import quote_symbol
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.contexts import is_dynamic

_REFUSED = re.compile(r"Cannot compile token (\w+): (.+)", re.DOTALL)
_LONGEST = 200


def write_pattern(lark: Lark, pattern: str) -> str:
    """Return a pattern as the scanner takes it: that of bytes as Latin-1, any other as it is."""
    return _encode(lark, pattern).decode("latin-1") if lark.lexer_conf.use_bytes else pattern


def find_flags(lark: Lark) -> int:
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
        fact = ""
        try:
            re.compile(_encode(lark, pattern), flags)
        except UnicodeEncodeError as error:
            fact = (
                f"{error.object[error.start]!a} is no byte; write its bytes, as \\xc4\\x81, or "
                "leave use_bytes=true out"
            )
        except (re.error, ValueError) as error:
            fact = f"re refuses it as a pattern of bytes ({error}); correct the pattern"
        if not fact and not is_dynamic(lark) and not name.isascii() and not _is_name_of_bytes(name):
            fact = (
                "in bytes, the re of this Python takes names of ASCII alone, and Lark names a "
                "terminal after its text; define one for it, as "
                f'LETTER: "{ascii(terminal.pattern.value)[1:-1]}"'
            )
        if fact:
            quoted = quote_symbol("terminal", name)
            raise GrammarError(str(lark.source_path), f"{quoted}: {fact}")


def _is_name_of_bytes(name: str) -> bool:
    """Return whether ``re`` takes a group's name in a pattern of bytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.11
            re.compile(f"(?P<{name}>)".encode("latin-1"))
    except re.error:
        return False
    return True


def _encode(lark: Lark, pattern: str) -> bytes:
    return pattern.encode("utf-8" if is_dynamic(lark) else "latin-1")


def explain_unreadable(text: str) -> str | None:
    """Return the message for what Lark says of a pattern; ``None`` if it says something else."""
    refused = _REFUSED.search(text)
    if refused is None:
        return None
    return _explain(refused[1], str(ast.literal_eval(refused[2])))


def check_readable(source: str, name: str, pattern: str, flags: int, *, by_regex: bool) -> None:
    if by_regex:
        # Loading it takes longer than all of a small grammar.
        import regex

        try:
            regex.compile(pattern)
        except (regex.error, RecursionError, OverflowError) as error:
            fact = f"{_locate(name, pattern)}: the module regex cannot read it ({error})"
            raise GrammarError(source, f"{fact}; correct the pattern") from None
        return
    try:
        re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError):
        raise GrammarError(source, _explain(name, pattern)) from None


def _explain(name: str, pattern: str) -> str:
    what = "it" if name.startswith("__") else f"its pattern {_show(pattern)}"
    fact = f"re cannot read {what} ({_complaint(pattern)})"
    return f"{_locate(name, pattern)}: {fact}; {_advise(name, pattern)}"


def _locate(name: str, pattern: str) -> str:
    if name.startswith("__"):
        return f"terminal /{_show(pattern)}/"
    return quote_symbol("terminal", name)


def _show(pattern: str) -> str:
    return pattern if len(pattern) <= _LONGEST else f"{pattern[:_LONGEST]}…"


def _complaint(pattern: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            return str(error)
    return "Lark refuses it"


def _advise(name: str, pattern: str) -> str:
    # Loading it takes longer than all of a small grammar.
    import regex

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            regex.compile(pattern)
        except (regex.error, RecursionError, OverflowError):
            return "correct the pattern"
        # Importing it takes as long.
        from maskc.frontends.lark.regex_module import translate

        try:
            re.compile(translate(name, pattern))
        except (UnsupportedTerminalError, re.error, RecursionError, OverflowError) as error:
            fact = error.construct if isinstance(error, UnsupportedTerminalError) else error
            return (
                f"the module regex can, but no automaton here follows it ({fact}): write the "
                "pattern without it"
            )
    return (
        "the module regex can: if the project has Lark(…, regex=True), write "
        "// maskc: regex=true at the top"
    )
