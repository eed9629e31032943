"""``idn-hostname`` and ``idn-email`` as automata, smaller than the standard's languages.

The length of a label in Punycode and its direction are no regular properties. These languages keep
the rules of RFC 5890 to 5893 by simple counts. A host name is one of two kinds:

- At most ten labels of ASCII with at most 24 characters.
- At most four labels of small letters. A label begins with a letter. It costs at most 50: a
  character of ASCII costs 1, another one 3 below U+0800 and 4 above. So its Punycode has at most 62
  octets (tests/laws/test_host_costs.py computes the worst case), and four labels at most 251. The
  letters of a label run in one direction; one that runs from right to left has no digits or marks.

No label has two hyphens side by side or one at an end. The characters are those of the Basic
Multilingual Plane in scripts of today that RFC 5892 permits without a rule of context. A text of
them is in NFC: a mark follows only marks of lesser combining classes, and a mark that would be
joined with the one before it may not follow it.

Example: ``почта.example`` is a host name, ``поч--та`` and ``l·l`` are none, though the standard
takes ``l·l``.

``WIDER`` has the pattern of a larger language for each name. Where a schema negates the format,
the strings outside of that one are meant, so each value is valid there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from maskc.formats import EMAIL, HOST
from maskc.formats.character_sets import (
    AT,
    CAPITAL,
    CHARACTERS,
    DIGIT,
    DOT,
    FIRST,
    HYPHEN,
    LEFT,
    MARK,
    OTHER,
    RIGHT,
    SECOND,
    LetterClass,
    kinds,
)
from maskc.jsonschema.exploring import StateNumbers, explore_rows
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

_COMBINING = tuple(name for name in CHARACTERS if name.isdigit())
_MARKS = frozenset([MARK, FIRST, SECOND, *_COMBINING])
MOST_COST, _MOST_LABELS = 50, 4
_MOST_ASCII, _MOST_ASCII_LABELS = 24, 10
_MOST_LOCAL = 64  # octets
WIDER = {HOST: r"^[a-zA-Z0-9.\-\u{80}-\u{10ffff}]+$", EMAIL: "@"}


class CostedLabel(NamedTuple):
    """What was read of a host name: the labels before, and the label under way.

    ``last`` is the class of its last character: that of letters stands for all after which any
    mark may come, and ends with a hyphen after one.
    """

    n_before: int = 0
    cost: int = 0
    last: str = ""

    @property
    def may_end(self) -> bool:
        return self.last != "" and self.last[-1] != HYPHEN


# As a host name of ASCII, and as one of four labels; ``None`` where it is none.
Host = tuple[CostedLabel | None, CostedLabel | None]
_BEGIN: Host = (CostedLabel(), CostedLabel())


class LocalPart(NamedTuple):
    """What stands before the @ of an address: octets, and whether a character must come."""

    n_octets: int = 0
    is_open: bool = True


def _after_ascii(last: str, kind: LetterClass) -> str | None:
    """Return the class after one more character of a label of ASCII, ``None`` if none begins so."""
    if kind.n_octets > 1:
        return None
    if kind.name == HYPHEN:
        return LEFT + HYPHEN if last == LEFT else None
    return LEFT if kind.name in (LEFT, CAPITAL, DIGIT) else None


def _after(last: str, kind: LetterClass) -> str | None:
    """Return the class after one more character of another label."""
    name, is_right = kind.name, last[:1] == RIGHT
    if name in (LEFT, RIGHT):
        return name if not last or is_right == (name == RIGHT) else None
    if not last or name == last[-1] == HYPHEN:
        return None
    if name == HYPHEN:
        return (RIGHT if is_right else LEFT) + HYPHEN
    if is_right or name not in _MARKS:
        return LEFT if name == DIGIT and not is_right else None
    if last[-1] == HYPHEN or name == SECOND and last == FIRST:
        return None
    if name not in _COMBINING:
        return FIRST if name == FIRST else LEFT
    return name if last not in _COMBINING or int(last) < int(name) else None


class _Names:
    """Steps host names of one kind.

    Args:
        kinds: of the columns.
        after: the class of a label's last character and the next one → the class after it.
        most: what a label costs.
    """

    def __init__(
        self,
        kinds: Sequence[LetterClass],
        after: Callable[[str, LetterClass], str | None],
        *,
        most: int,
        most_labels: int,
    ) -> None:
        self._kinds, self._after = kinds, after
        self._most, self._most_labels = most, most_labels
        self._dot = next(n for n, kind in enumerate(kinds) if kind.name == DOT)
        self._known: dict[str, list[tuple[int, int, str]]] = {}

    def row(self, label: CostedLabel | None) -> dict[int, CostedLabel]:
        """Return the labels after each column after which there is one."""
        if label is None:
            return {}
        n_before, cost, last = label
        found = {
            column: CostedLabel(n_before, cost + more, after)
            for column, more, after in self._moves(last)
            if cost + more <= self._most
        }
        if label.may_end and n_before + 1 < self._most_labels:
            found[self._dot] = CostedLabel(n_before + 1)
        return found

    def _moves(self, last: str) -> list[tuple[int, int, str]]:
        if last not in self._known:
            made = ((n, kind.cost, self._after(last, kind)) for n, kind in enumerate(self._kinds))
            self._known[last] = [(n, cost, after) for n, cost, after in made if after is not None]
        return self._known[last]


def _follow_local(local: LocalPart, kind: LetterClass) -> LocalPart | Host | None:
    if kind.name == AT:
        return None if local.is_open else _BEGIN
    n_octets = local.n_octets + kind.n_octets
    if n_octets > _MOST_LOCAL or kind.name == OTHER and kind.n_octets == 1:
        return None
    return None if kind.name == DOT and local.is_open else LocalPart(n_octets, kind.name == DOT)


def build_names(name: str) -> CharDfa:
    """Return the automaton of idn-hostname or idn-email."""
    is_email = name == EMAIL
    found = kinds()
    columns = {kind: n for n, kind in enumerate(dict.fromkeys(found.values()))}
    plain = _Names(list(columns), _after_ascii, most=_MOST_ASCII, most_labels=_MOST_ASCII_LABELS)
    mixed = _Names(list(columns), _after, most=MOST_COST, most_labels=_MOST_LABELS)

    def follow(state: LocalPart | Host, numbers: StateNumbers) -> list[int]:
        if isinstance(state, LocalPart):
            return numbers.row([_follow_local(state, kind) for kind in columns])
        rows = plain.row(state[0]), mixed.row(state[1])
        after = [(rows[0].get(n), rows[1].get(n)) for n in range(len(columns))]
        return numbers.row([host if any(host) else None for host in after])

    def label(state: LocalPart | Host) -> int:
        is_host = not isinstance(state, LocalPart) and any(name and name.may_end for name in state)
        return 0 if is_host else NO_LABEL

    begin = LocalPart() if is_email else _BEGIN
    starts, of_range = list(found), [columns[kind] for kind in found.values()]
    return explore_rows(starts, of_range, len(columns), begin, follow, label)
