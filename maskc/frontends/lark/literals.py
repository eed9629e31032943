r"""Can Lark's own lexer read the text of a grammar in bounded time?

Lark reads a grammar with regular expressions of ``re``, and two of them try ever more ways where
they fail. ``"(\\"|\\\\|[^"\n])*?"`` reads two backslashes as one part or as two, so that a string
with n of them that nothing closes is tried in about 1.6\ :sup:`n` ways; so are patterns between
slashes. A run of n line breaks that no ``|`` follows is tried in n² ways. All of it is one call of
C code, which nothing interrupts. So we look first, with patterns that do not go back.

What is refused here, Lark would refuse much later, or not in our time: texts that it reads are
read as before, save those with tens of thousands of blank lines in a row.
"""

from __future__ import annotations

import re

from maskc.errors import GrammarError, LimitError

MOST_BLANKS = 20_000  # in a row: some seconds of C code
MOST_BACKSLASHES = 24  # in what nothing closes: 75,000 ways

# Possessive: what was read once is read as it was.
_PART = re.compile(
    r"(?P<blanks>\s+)"
    r"|(?P<comment>//[^\n]*|\#[^\n]*)"
    r'|(?P<string>"(?:\\["\\]|[^"\n])*+)'
    r"|(?P<pattern>/(?:\\[/\\]|[^/])*+)"
    r'|[^\s/\#"]++',
    re.VERBOSE,
)
_CLOSING = {"string": ('"', "a string", "a quotation mark"), "pattern": ("/", "a pattern", "/")}


def check_literals(text: str, name: str) -> None:
    """Check that nothing in a grammar's text keeps Lark's lexer from coming to an end.

    Raises:
        GrammarError: a string or pattern is not closed.
        LimitError: too many blank characters in a row.
    """
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            at += 1
            continue
        kind, at = found.lastgroup, found.end()
        if kind == "blanks" and len(found[0]) > MOST_BLANKS:
            raise LimitError(
                "blank characters in a row",
                MOST_BLANKS,
                "delete most of them",
                _place(text, found.start(), name),
            )
        if kind in _CLOSING:
            sign, what, wanted = _CLOSING[kind]
            if text.startswith(sign, at):
                at += 1
                continue
            # As Lark does when nothing else is left: an escaped sign closes after all.
            last = found[0].rfind(sign, 1)
            if last > 0:
                at = found.start() + last + 1
            elif found[0].count("\\") > MOST_BACKSLASHES:
                raise GrammarError(
                    _place(text, found.start(), name), f"{what} is not closed; end it with {wanted}"
                )
            else:
                at = found.start() + 1


def _place(text: str, at: int, name: str) -> str:
    return f"{name}:{text.count(chr(10), 0, at) + 1}"
