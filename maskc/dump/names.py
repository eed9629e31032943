r"""Writes symbols, bytes, and sets of them in a dump.

>>> format_bytes([*range(97, 123), 48, 10])
'\\n 0 a-z'
>>> format_tokens([b"a", b"\xc3"], limit=8)
"'a' b'\\xc3'"
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from maskc import bits
from maskc.grammar.model import Grammar
from maskc.ids import IGNORED
from maskc.lexer.boundaries import LexemeContexts, Lookaheads
from maskc.vocab.vocabulary import quote_bytes

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 32: "' '", 45: "'-'", 92: "\\\\"}


def format_byte(byte: int) -> str:
    """Return one byte: a printable character as itself, another one escaped."""
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 32 < byte < 127 else f"\\x{byte:02x}"


def format_bytes(values: Iterable[int]) -> str:
    """Return a set of bytes in ascending order, three and more in a row as a range."""
    ordered = sorted(set(values))
    if len(ordered) == 256:
        return "any byte"
    runs: list[list[int]] = [ordered[:1]] if ordered else []
    for before, value in pairwise(ordered):
        if value == before + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts: list[str] = []
    for run in runs:
        if len(run) > 2:
            parts.append(f"{format_byte(run[0])}-{format_byte(run[-1])}")
        else:
            parts += map(format_byte, run)
    return " ".join(parts)


def format_token(token: bytes | None) -> str:
    """Return a token as its text in quotes, as bytes if it is no whole text."""
    return "no text" if token is None else quote_bytes(token)


def format_tokens(tokens: Sequence[bytes | None], *, limit: int) -> str:
    """Return some tokens, the first ones if there are more than ``limit``."""
    shown = " ".join(map(format_token, tokens[:limit]))
    return shown if len(tokens) <= limit else f"{shown} and {len(tokens) - limit:,} more"


def name_terminal(grammar: Grammar, terminal: int) -> str:
    """Return a terminal's name; that of what the lexer drops is ``(ignored)``."""
    return "(ignored)" if terminal == IGNORED else grammar.bnf.terminals[terminal]


class LookaheadNames:
    """What lookaheads are called: the terminal, and which of its boundary classes if it has many.

    Args:
        grammar: names the terminals.
        boundaries: the lookaheads.
    """

    def __init__(self, grammar: Grammar, boundaries: LexemeContexts) -> None:
        self._names: dict[int, str] = {}
        for terminal, lookaheads in boundaries.of_terminal.items():
            name = name_terminal(grammar, terminal)
            for number, lookahead in enumerate(lookaheads):
                self._names[lookahead] = name if len(lookaheads) == 1 else f"{name}/{number}"
        self._all: Lookaheads = boundaries.everything

    def name(self, lookahead: int) -> str:
        """Return the name of one lookahead."""
        return self._names.get(lookahead, f"lookahead {lookahead}")

    def format(self, lookaheads: Lookaheads) -> str:
        """Return the names of a set, in order; ``anything`` for all of them."""
        if lookaheads == self._all:
            return "anything"
        return " ".join(sorted(map(self.name, bits.iterate(lookaheads)))) or "nothing"
