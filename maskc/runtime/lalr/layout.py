"""The terminals and the settings of an indentation, as the artifact's header has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maskc.ids import TerminalId


@dataclass(frozen=True, slots=True)
class Layout:
    """Lark's ``Indenter``, in numbers.

    Attributes:
        newline: the terminal of a line's end, with the blanks of the next line.
        indent, dedent: the terminals of a block's begin and end.
        tab_len: columns that a tabulator adds.
        dedent_at_end: the lookahead of a dedent that the end of the text brings, as a bit set.
    """

    newline: TerminalId
    indent: TerminalId
    dedent: TerminalId
    tab_len: int
    dedent_at_end: int


def read_layout(header: dict[str, Any]) -> Layout:
    """Return the layout that a checked header describes."""
    return Layout(
        header["newline"],
        header["indent"],
        header["dedent"],
        header["tab_len"],
        1 << int(header["dedent_at_end"]),
    )
