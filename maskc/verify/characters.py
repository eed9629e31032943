r"""Classes of characters that a grammar's terminals cannot tell apart.

A terminal looks at a character only through *atoms*: a literal, a class such as ``[^\W\d]``, a
dot. Two characters that are in the same atoms can stand for each other in any text: lexing does
not change. So a character that the text has cut in half stands for few cases, one of each class,
and a regular expression can be written out over one representative of each class, without
categories and flags.

Limits: surrogates are no characters here, since no UTF-8 text holds one.
"""

from __future__ import annotations

import bisect
import codecs
import re
import string
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

UTF8, BYTES = "utf-8", "latin-1"
N_CODE_POINTS = {UTF8: 0x110000, BYTES: 0x100}  # a text has characters below these
_SURROGATES = (0xD800, 0xE000)
_READABLE = string.ascii_lowercase + string.digits + string.ascii_uppercase + string.punctuation

Atom = tuple[str, int]
"""The text of a pattern that reads one character, and the flags of ``re`` it is read with."""


class CharacterClasses:
    """The classes of characters that a set of atoms tells apart.

    Args:
        atoms: those that the grammar's patterns look through.
        encoding: of texts.

    Attributes:
        class_of: int32[N_CODE_POINTS[encoding]], the class of each; -1 for surrogates.
        representatives: one character of each class, where possible one that is good to read.
        absent: a character that no canonical text holds.
    """

    def __init__(self, atoms: Iterable[Atom], encoding: str = UTF8) -> None:
        n_points = N_CODE_POINTS[encoding]
        edges = [_edges(atom) for atom in sorted(set(atoms))]
        starts = np.unique(np.concatenate([[0, *_SURROGATES], *edges]))
        starts = starts[starts < n_points]
        # An atom holds a range if an odd number of its edges lie at its start or before.
        held = [np.searchsorted(edge, starts, side="right") & 1 for edge in edges]
        kinds = np.stack([np.zeros(len(starts), dtype=np.int64), *held])
        is_character = (starts < _SURROGATES[0]) | (starts >= _SURROGATES[1])
        _, first, ids = np.unique(
            kinds[:, is_character], axis=1, return_index=True, return_inverse=True
        )
        lowest = starts[is_character][first]
        numbers = np.full(len(starts), -1, dtype=np.int32)
        numbers[is_character] = ids.reshape(-1)
        self.class_of: NDArray[np.int32] = np.repeat(numbers, np.diff(starts, append=n_points))
        readable = {int(self.class_of[ord(c)]): c for c in reversed(_READABLE)}
        self.representatives: tuple[str, ...] = tuple(
            readable.get(number, chr(point)) for number, point in enumerate(lowest)
        )
        self.absent = next(
            c
            for c in map(chr, range(N_CODE_POINTS[UTF8] - 1, 0, -1))
            if c not in self.representatives
        )
        self._table = _Canonical(self.class_of, self.representatives)
        self._cuts: dict[bytes, tuple[str, ...]] = {}

    def canonical(self, text: str) -> str:
        """Return the text with each character replaced by its class's representative."""
        return text.translate(self._table)

    def members(self, atom: Atom) -> tuple[str, ...]:
        """Return the representatives that an atom matches; it must be one of the given atoms."""
        pattern = re.compile(*atom)
        return tuple(c for c in self.representatives if pattern.fullmatch(c))

    def completions(self, cut: bytes) -> tuple[str, ...]:
        """Return a character of each class among those whose UTF-8 begins with ``cut``."""
        if cut not in self._cuts:
            low, high = completion_range(cut)
            _, first = np.unique(self.class_of[low:high], return_index=True)
            self._cuts[cut] = tuple(chr(low + int(i)) for i in sorted(first))
        return self._cuts[cut]


def split_cut(data: bytes, encoding: str = UTF8) -> tuple[str, bytes] | None:
    r"""Return the text that bytes hold and the bytes of a last character that is not whole.

    ``None`` if no text begins with them.

    >>> split_cut("né".encode()[:-1])
    ('n', b'\xc3')
    >>> split_cut(b"n\xff") is None
    True
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text, cut = decoder.decode(data), decoder.getstate()[0]
    except UnicodeDecodeError:
        return None
    if cut and not range(*completion_range(cut)):
        return None  # the decoder waits for the end of a surrogate
    return text, cut


def completion_range(cut: bytes) -> tuple[int, int]:
    r"""Return the range of code points, its end excluded, whose UTF-8 begins with ``cut``.

    UTF-8 has the order of the code points, so both ends are found by bisection.

    >>> [hex(n) for n in completion_range(b"\xe2\x82")]
    ['0x2080', '0x20c0']
    """
    low, high = (
        bisect.bisect_left(
            range(N_CODE_POINTS[UTF8]),
            end,
            key=lambda point: chr(point).encode(UTF8, errors="surrogatepass"),
        )
        for end in (cut, cut + b"\xff")
    )
    are_at_end = low < _SURROGATES[1] and high > _SURROGATES[0]
    return low, max(low, _SURROGATES[0]) if are_at_end else high


class _Canonical(dict[int, str]):
    """A table for ``str.translate`` that fills itself."""

    def __init__(self, class_of: NDArray[np.int32], representatives: Sequence[str]) -> None:
        super().__init__()
        self._class_of, self._representatives = class_of, representatives

    def __missing__(self, point: int) -> str:
        found = self._representatives[int(self._class_of[point])]
        self[point] = found
        return found


@lru_cache(maxsize=1)
def all_characters() -> str:
    return "".join(map(chr, range(N_CODE_POINTS[UTF8])))


@lru_cache(maxsize=512)
def _edges(atom: Atom) -> NDArray[np.int64]:
    """Return int64[2 n]: where each run of code points that an atom matches begins and ends."""
    text, flags = atom
    runs = re.compile(f"(?:{text})+", flags).finditer(all_characters())
    return np.array([edge for run in runs for edge in run.span()], dtype=np.int64)
