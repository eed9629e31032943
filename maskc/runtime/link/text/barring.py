r"""Which words can JSON always be written without?

A word that has a character that only stands in strings and in no escape, and neither a quote nor a
backslash: all of it stands in one string, and a character of it can be an escape.

Example: ``</call>`` can be written ``\u003c/call>``; the word ``}}`` may be needed.
"""

from __future__ import annotations

_NEVER = frozenset(b'"\\')
# What stands outside of strings, and in escapes.
_ELSEWHERE = frozenset(b'0123456789abcdefABCDEF{}[],:+-. \t\r\n"\\/rtunls')


def may_be_barred(word: bytes) -> bool:
    r"""Return whether each JSON value can be written without a word, with all escapes.

    >>> may_be_barred(b"</a>"), may_be_barred(b"<\\"), may_be_barred(b"}}"), may_be_barred(b"u00e9")
    (True, False, False, False)
    """
    return _NEVER.isdisjoint(word) and not _ELSEWHERE.issuperset(word)
