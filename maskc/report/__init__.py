r"""The report of a command: one value that a terminal, a page and a program show.

A command makes a :class:`Report` and shows it (:mod:`maskc.report.render`,
:mod:`maskc.report.html`). The blocks are for people; the data is what ``--json`` prints. A
terminal leaves out notes, charts, diagrams and tables that a page folds.

>>> format_count(1234567)
'1,234,567'
>>> format_size(999), format_size(20_400_000)
('999 B', '20.40 MB')
>>> format_seconds(0.0042), format_seconds(3.21), format_seconds(75)
('4.2 ms', '3.2 s', '1 min 15 s')
>>> point_at(b'{"a":\n  }', 8)
['    }', '    ^']
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from maskc.vocab.vocabulary import quote_bytes

_BEFORE, _SHOWN = 60, 76  # characters of a line before what is pointed at, and in all
MAX_TEXT = 60
MAX_NAMES = 24  # of a longer list, so much is shown


def format_count(number: int) -> str:
    return f"{number:,}"


def count(number: int, what: str) -> str:
    """Return a number of things, as ``1 file`` and ``2 files``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def format_size(n_bytes: int) -> str:
    if n_bytes < 1000:
        return f"{n_bytes} B"
    value, unit = n_bytes / 1000, "kB"
    for larger in ("MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.2f} {unit}"


def format_file(n_bytes: int) -> str:
    return f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"


def format_seconds(seconds: float) -> str:
    """Return a duration in the unit that suits it."""
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def show_token(token: bytes) -> str:
    """Return a token without quotes, each blank as ``␣``.

    >>> print(show_token(b" a"))
    ␣a
    """
    return quote_bytes(token)[1:-1].replace(" ", "␣")


def quote(text: bytes) -> str:
    """Return a text in quotes; of a long one the end."""
    shown = quote_bytes(text)
    return shown if len(shown) <= MAX_TEXT else f"…{shown[-MAX_TEXT:]}"


def list_names(names: tuple[str, ...]) -> str:
    """Return names with commas; of many the first, and how many more there are."""
    more = len(names) - MAX_NAMES
    listed = ", ".join(names[:MAX_NAMES]) or "nothing"
    return f"{listed} and {more} more" if more > 0 else listed


def make_bar(value: float, largest: float, width: int) -> str:
    """Return a bar of blocks for a value, to an eighth of a block; ``largest`` fills the width.

    >>> make_bar(8, 8, 4), make_bar(3, 8, 4), make_bar(0, 8, 4)
    ('████', '█▌', '')
    >>> make_bar(1, 1000, 4)  # something is not nothing
    '▏'
    """
    if value <= 0 or largest <= 0:
        return ""
    whole, eighths = divmod(max(1, round(8 * width * min(1, value / largest))), 8)
    return "█" * whole + "▏▎▍▌▋▊▉"[eighths - 1 : eighths] * bool(eighths)


def warmth_of(n_legal: int) -> int:
    """Return how warm a token is, 0 to 5: 0 without choice, one more for ten times as many.

    >>> [warmth_of(n) for n in (1, 2, 10, 11, 100_000)]
    [0, 1, 1, 2, 5]
    """
    return 0 if n_legal <= 1 else min(5, len(str(n_legal - 1)))


def point_at(text: bytes, offset: int, length: int = 1) -> list[str]:
    """Return the line of a byte and a caret below it, indented; of a long line what is around.

    Args:
        text: any bytes; what is not a character is shown as one.
        offset: of the byte; the length of the text is right after it.
        length: characters to point at.
    """
    start = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    while offset > start and offset < len(text) and text[offset] & 0xC0 == 0x80:
        offset -= 1  # to the first byte of the character
    before = text[start:offset].decode(errors="replace")
    after = text[offset : len(text) if end < 0 else end].decode(errors="replace")
    dots = "…" if len(before) > _BEFORE else ""
    before = dots + before[-_BEFORE:]
    shown = "".join(c if c.isprintable() else " " for c in (before + after)[:_SHOWN])
    carets = "^" * max(1, min(length, _SHOWN - len(before)))
    return [f"  {shown}".rstrip(), f"  {' ' * len(before)}{carets}"]


@dataclass(frozen=True, slots=True)
class Code:
    """A cell that a page sets as code."""

    text: str
    form = "code"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Chip:
    """The name of a terminal: as Lark has it, as it is shown, and its text if it is one string."""

    entry: str
    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chips:
    """A cell of terminals, each of which a page frames."""

    members: tuple[Chip, ...]
    separator: str = " "
    form = "chips"

    def __str__(self) -> str:
        return self.separator.join(chip.name for chip in self.members)


@dataclass(frozen=True, slots=True)
class Tokens:
    """A cell of the first tokens, and how many more there are."""

    tokens: tuple[bytes, ...]
    n_more: int
    form = "tokens"

    def __str__(self) -> str:
        shown = " ".join(map(quote_bytes, self.tokens))
        more = self.n_more > 0
        return f"{shown} and {format_count(self.n_more)} more" if shown and more else shown


Cell = str | Code | Chips | Tokens
Fact = tuple[str, str]
Line = str | tuple[tuple[str, str], ...]  # or its parts, each with a style of rich's


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines as they are; a page lists them."""

    lines: Iterable[Line]
    form = "lines"


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph of a page."""

    text: str
    form = "note"


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values; long values wrap."""

    pairs: Sequence[Fact]
    form = "facts"


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: a thin one below it, and what stands beside it."""

    name: str
    value: int
    thin: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: Collection[str] = ()  # the columns that line up on the right
    # of the rows: a terminal has them as the last column, a page as a chart
    bars: Sequence[Bar] = ()
    # title of the chart, what it shows, and the name of its axis
    chart: tuple[str, str, str] = ("", "", "")
    of_page: Collection[str] = ()  # columns that a terminal leaves out
    most: int | None = None  # rows that a terminal shows
    fold: str = ""  # what a page unfolds the table by; then a terminal leaves it out
    form = "table"


@dataclass(frozen=True, slots=True)
class Curves:
    """Cumulative distributions: of each its name and 101 percentiles; a chart of a page."""

    title: str
    note: str
    curves: Sequence[tuple[str, Sequence[int]]]
    axes: tuple[str, str]
    form = "curves"


@dataclass(frozen=True, slots=True)
class Heat:
    """A text's tokens, each with how many were legal there."""

    tokens: Sequence[tuple[bytes, int]]
    form = "heat"


@dataclass(frozen=True, slots=True)
class Tiles:
    """The numbers that matter most: a name, the number, and a note."""

    tiles: Sequence[tuple[str, str, str]]
    form = "tiles"


@dataclass(frozen=True, slots=True)
class Diagrams:
    """Rules of a grammar, drawn by a page."""

    rules: Sequence[Any]  # RuleShape
    form = "diagrams"


Block = Lines | Note | Facts | Table | Curves | Heat | Tiles | Diagrams


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks below a heading; ``anchor``: how a page links to it."""

    title: str
    blocks: Sequence[Block]
    anchor: str = ""
    form = "section"


@dataclass(frozen=True, slots=True)
class Report:
    """What a command tells."""

    data: Any  # for `--json`
    blocks: Iterable[Block | Section]  # for people, made as they are shown
