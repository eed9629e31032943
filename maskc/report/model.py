"""The report: one value that a terminal, an HTML page and a program show.

A command makes a :class:`Report` and shows it (:mod:`maskc.report.render`,
:mod:`maskc.report.html`). The blocks are for people; the data is what ``--json`` prints. A
terminal leaves out notes, charts, diagrams and tables that a page folds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from maskc.report.formats import format_count
from maskc.vocab.vocabulary import quote_bytes


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
