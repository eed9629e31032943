"""What each streamlining step left of the store: steps, classes and residue as a header has them.

A *row* is a distinct pair of a lexer state and a terminal sequence. Rows are stored once where
lexer states share them, and counted as often as they are read. The *residue* is what is left when
the LALR state on top of the stack is known as well: the rows that depend on the stack below.

Example: a header says ``{"step": "never legal", "rows": 40, "stored": 25, "per_state": […]}``;
after a step of 100 rows that is 2.5 × fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.table import Table

from maskc.pipeline import PassRecord
from maskc.report.grammar import Texts, format_sequence, format_terminal, name_unnamed
from maskc.report.render import format_count, format_seconds, make_bar, make_table
from maskc.report.timings import STEP_PREFIX, Timings

BAR_WIDTH = 30
# Further examples of the residue, and pairs that are not lexed apart, are in the JSON.
N_SHOWN = 10

EXPLANATIONS = {
    "raw": "a row for each lexer state and each terminal sequence that some token makes there",
    "closings": "the terminals that an open lexeme may become close a sequence together",
    "interchangeable": "rows that differ only in terminals of one class are one",
    "never legal": "sequences that no text has after the terminal before them are dropped",
    "always legal": "ends that are legal on every stack are not asked about",
    "jointly legal": "sequences that are legal on the same stacks are one; Lark's table is asked",
    # Of artifacts that an older version made.
    "follow": "sequences that leave the follow graph are dropped",
    "pairs": "sequences with a never-legal pair are dropped, always-legal ends are cut off",
    "sequences": "never-legal sequences are dropped, jointly legal ones are one",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        step: its name.
        rows: distinct pairs of a lexer state and a terminal sequence that are left.
        stored: rows that the store keeps for them.
        seconds: what it cost; ``None`` if this machine did not compile the artifact.
        per_state: 101 percentiles of the rows of a lexer state.
    """

    step: str
    rows: int
    stored: int
    seconds: float | None
    per_state: tuple[int, ...]


def list_steps(header: Mapping[str, Any], timings: Timings | None) -> tuple[Step, ...]:
    """Return the steps, in order."""
    seconds = timings["steps"] if timings else {}
    return tuple(
        Step(
            found["step"],
            found["rows"],
            found["stored"],
            seconds.get(found["step"]),
            tuple(found["per_state"]),
        )
        for found in header["streamlining"]
    )


def format_change(before: int, after: int) -> str:
    """Return how many times fewer or more rows there are; nothing where that is as many.

    >>> format_change(100, 40), format_change(100, 108), format_change(7, 7), format_change(7, 0)
    ('2.50 × fewer', '1.08 × more', '', 'none left')
    """
    if before == after:
        return ""
    if after > before:
        return f"{after / before:.2f} × more" if before else f"{format_count(after)} more"
    return f"{before / after:.2f} × fewer" if after else "none left"


def make_steps_table(steps: Sequence[Step]) -> Table:
    """Return the steps with a bar for their rows."""
    most = max((step.rows for step in steps), default=0)
    columns = ("step", "rows", "stored", "change", "time", "")
    rows = [
        (
            step.step,
            format_count(step.rows),
            format_count(step.stored),
            format_change(before.rows, step.rows),
            format_step_time(step),
            make_bar(step.rows, most, BAR_WIDTH),
        )
        for before, step in pairwise((*steps[:1], *steps))
    ]
    title = "Streamlining: rows (lexer state, terminal sequence) after each step"
    return make_table(title, columns, rows, numbers=columns[1:5])


def make_pass_costs(passes: Sequence[PassRecord], steps: Sequence[Step]) -> Table:
    """Return the compiler's passes: the rows before and after, processor time and memory."""
    columns = ("pass", "rows before", "rows after", "change", "processor", "peak memory")
    changes = {
        STEP_PREFIX + step.step: (
            format_count(before.rows) if before is not None else "",
            format_count(step.rows),
            format_change(before.rows, step.rows) if before is not None else "",
        )
        for before, step in zip((None, *steps), steps, strict=False)
    }
    rows = [
        (
            record.name,
            *changes.get(record.name, ("", "", "")),
            format_seconds(record.cpu_seconds),
            f"{record.peak_mb:,.0f} MiB",
        )
        for record in passes
    ]
    return make_table("", columns, rows, numbers=columns[1:])


def make_classes_table(classes: Sequence[Sequence[str]], texts: Texts) -> Table:
    """Return the classes of interchangeable terminals, one a row."""
    rows = [
        (str(number), "  ".join(format_terminal(name, texts) for name in members))
        for number, members in enumerate(classes, 1)
    ]
    return make_table("Interchangeable terminals", ("class", "terminals"), rows, numbers=("class",))


def list_residue(residue: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the numbers of the residue as facts."""
    moves = residue["moves"]
    return [
        ("pairs of a row source and an LALR state", format_count(residue["pairs"])),
        ("rows of a pair that depend", _format_spread(residue)),
        ("moves of the parser that answer them", _format_spread(moves)),
    ]


def _format_spread(counts: Mapping[str, int]) -> str:
    return (
        f"{format_count(counts['median'])} at the median, {format_count(counts['p99'])} at the "
        f"99th percentile, {format_count(counts['max'])} at most"
    )


def make_residue_table(examples: Sequence[Mapping[str, Any]], texts: Texts) -> Table:
    """Return the first examples of rows that depend on the stack."""
    rows = [
        (
            format_sequence(found["sequence"], texts),
            format_count(found["pairs"]),
            name_unnamed(found["why"], texts),
        )
        for found in examples[:N_SHOWN]
    ]
    columns = ("terminal sequence", "pairs", "why")
    return make_table("\nFor example", columns, rows, numbers=("pairs",))


def format_step_time(step: Step) -> str:
    """Return a step's time; nothing where it is not known."""
    return "" if step.seconds is None else format_seconds(step.seconds)
