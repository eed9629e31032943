"""What a compilation cost and made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console

from maskc.pipeline import PassRecord
from maskc.report.render import format_count, format_seconds, format_size, make_console
from maskc.report.streamlining import list_steps, make_pass_costs
from maskc.report.timings import collect_timings


@dataclass(frozen=True, slots=True, eq=False)
class Compilation:
    """An artifact that was written.

    Attributes:
        path: where it is.
        n_bytes: its size.
        header: what it says about itself.
        passes: what each pass cost, in order.
        lexer_is_default: whether the grammar is one of Lark's for which nobody chose a lexer.
    """

    path: str
    n_bytes: int
    header: Mapping[str, Any]
    passes: Sequence[PassRecord]
    lexer_is_default: bool = False

    @property
    def seconds(self) -> float:
        """Time of all passes."""
        return sum(record.seconds for record in self.passes)

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``."""
        return {
            "path": self.path,
            "n_bytes": self.n_bytes,
            "counts": dict(self.header["counts"]),
            "passes": [asdict(record) for record in self.passes],
        }


def print_compilation(compilation: Compilation) -> None:
    """Print the passes, with the rows that they left, and the file on standard output."""
    console = make_console()
    steps = list_steps(compilation.header, collect_timings(compilation.passes))
    console.print(make_pass_costs(compilation.passes, steps))
    counts = compilation.header["counts"]
    console.print(
        f"{compilation.path}: {format_size(compilation.n_bytes)}, "
        f"{format_count(counts['rows'])} rows, {format_count(counts['masks'])} masks, "
        f"in {format_seconds(compilation.seconds)}",
        soft_wrap=True,
    )
    if compilation.lexer_is_default:
        _print_lexer(console, compilation.header["grammar"])


def _print_lexer(console: Console, grammar: Mapping[str, Any]) -> None:
    """Print which lexer was chosen by default; for LALR it is the one that nearly all take."""
    if grammar.get("parser") == "earley":
        console.print(
            f"lexer={grammar['lexer']}, Lark's default for parser=earley: "
            "one match of each terminal at a place",
            soft_wrap=True,
        )
