"""What an artifact says about itself, what streamlining left, and where its bytes go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import NDArray
from rich.table import Table

from maskc.artifact.starts import starts_of
from maskc.report.author import AuthorView, print_view
from maskc.report.grammar import (
    Texts,
    format_postlex,
    format_terminal,
    list_texts,
    rebuild_grammar,
)
from maskc.report.origin import describe_added
from maskc.report.render import (
    format_count,
    format_lexemes,
    format_seconds,
    format_size,
    make_console,
    make_facts,
    make_table,
)
from maskc.report.streamlining import (
    N_SHOWN,
    Step,
    list_residue,
    list_steps,
    make_classes_table,
    make_residue_table,
    make_steps_table,
)
from maskc.report.timings import Timings

# Sections smaller than these many largest ones are one line.
N_LARGEST = 12


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """An artifact that was read.

    Attributes:
        path: where it is.
        n_bytes: size of the file.
        header: what it says about itself.
        arrays: its sections.
        timings: what it cost; ``None`` if this machine did not compile it.
        view: what its author asks; ``None`` if its grammar cannot be read here.
    """

    path: str
    n_bytes: int
    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    timings: Timings | None = None
    view: AuthorView | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The streamlining steps."""
        return list_steps(self.header, self.timings)

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``; what is no UTF-8 in a witness is escaped."""
        unlexed = [
            {**pair, "witness": pair["witness"].decode("utf-8", "backslashreplace")}
            for pair in self.header["not_lexed_apart"]
        ]
        return {
            "path": self.path,
            "n_bytes": self.n_bytes,
            "header": {**self.header, "not_lexed_apart": unlexed},
            "streamlining": [asdict(step) for step in self.steps],
            "classes": self.header["classes"],
            "residue": self.header["residue"],
            "sections": {
                name: {
                    "dtype": array.dtype.name,
                    "shape": list(array.shape),
                    "nbytes": array.nbytes,
                }
                for name, array in sorted(self.arrays.items())
            },
        }


def print_inspection(inspection: Inspection, *, internals: bool = False) -> None:
    """Print it on standard output.

    Args:
        inspection: what was read.
        internals: also what the compiler made: counts, streamlining, and sections.
    """
    header = inspection.header
    console = make_console()
    if inspection.view is not None:
        print_view(console, inspection.view)
        console.print()
    console.print(make_facts(list_facts(inspection)))
    if not internals:
        return
    counts = [(name.replace("_", " "), format_count(n)) for name, n in header["counts"].items()]
    console.print(make_table("\nCounts", ("", "number"), counts, numbers=("number",)))
    texts = list_texts(rebuild_grammar(header))
    _print_streamlining(inspection, texts)
    if header["not_lexed_apart"]:
        console.print(_make_unlexed_table(header["not_lexed_apart"], texts))
    columns = ("", "type", "shape", "size")
    sections = list_sections(inspection)
    console.print(make_table("Sections", columns, sections, numbers=("shape", "size")))


def list_facts(inspection: Inspection) -> list[tuple[str, str]]:
    """Return what the artifact was made from."""
    header = inspection.header
    grammar, tokenizer = header["grammar"], header["tokenizer"]
    padding = tokenizer["vocab_size"] - tokenizer["n_tokens"]
    return [
        ("artifact", inspection.path),
        ("size", f"{format_size(inspection.n_bytes)} ({format_count(inspection.n_bytes)} bytes)"),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
        *([("characters", f"Unicode {header['unicode']}")] if "unicode" in header else []),
        ("grammar", grammar["name"]),
        *([("written as", grammar["dialect"])] if "dialect" in grammar else []),
        ("start", ", ".join(starts_of(header))),
        ("parser", grammar.get("parser", "lalr")),
        ("lexer", grammar["lexer"]),
        ("postlex", format_postlex(grammar["postlex"])),
        ("imports", ", ".join(sorted(grammar["imports"])) or "none of its own folder"),
        ("grammar hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        (
            "vocabulary",
            f"{format_count(tokenizer['vocab_size'])} ids: "
            f"{format_count(tokenizer['n_tokens'])} with text, "
            f"{format_count(padding)} special or padding",
        ),
        *describe_added(tokenizer),
        ("ends with", ", ".join(str(eos) for eos in tokenizer["eos_ids"])),
        ("fingerprint", tokenizer["fingerprint"]),
        *([("left out", header["left_out"])] if header["left_out"] else []),
        (
            "work of one fill",
            f"at most {format_count(header['counts']['questions'])} moves of the parser, "
            "whatever the text",
        ),
        ("compiled in", _format_cost(inspection.timings)),
    ]


def _format_cost(timings: Timings | None) -> str:
    if timings is None:
        return "unknown: not on this machine"
    seconds = sum(record["seconds"] for record in timings["passes"])
    cpu_seconds = sum(record["cpu_seconds"] for record in timings["passes"])
    peak = max((record["peak_mb"] for record in timings["passes"]), default=0)
    time = f"{format_seconds(seconds)}, {format_seconds(cpu_seconds)} of the processor"
    return f"{time}, with at most {peak:,.0f} MiB of memory"


def _print_streamlining(inspection: Inspection, texts: Texts) -> None:
    header = inspection.header
    console = make_console()
    console.print(make_steps_table(inspection.steps))
    if header["classes"]:
        console.print(make_classes_table(header["classes"], texts))
    residue = header["residue"]
    if residue:
        console.print("Residue: rows that depend on the stack below the LALR state", style="bold")
        console.print(make_facts(list_residue(residue)))
        if residue["examples"]:
            console.print(make_residue_table(residue["examples"], texts))


def _make_unlexed_table(pairs: Sequence[Mapping[str, Any]], texts: Texts) -> Table:
    rows = [
        (
            format_terminal(pair["first"], texts),
            format_terminal(pair["second"], texts),
            format_lexemes(pair["witness"]),
        )
        for pair in pairs[:N_SHOWN]
    ]
    title = "Side by side in the grammar, never in a text: the lexer cannot tell them apart"
    return make_table(title, ("first", "second", "witness"), rows)


def list_sections(inspection: Inspection) -> list[Sequence[str]]:
    """Return the largest sections and the rest as rows of a table."""
    by_size = sorted(inspection.arrays.items(), key=lambda item: (-item[1].nbytes, item[0]))
    rows: list[Sequence[str]] = [
        (
            name,
            array.dtype.name,
            " × ".join(format_count(length) for length in array.shape),
            format_size(array.nbytes),
        )
        for name, array in by_size[:N_LARGEST]
    ]
    rest = by_size[N_LARGEST:]
    if rest:
        size = format_size(sum(array.nbytes for _, array in rest))
        rows.append((f"{len(rest)} smaller ones", "", "", size))
    in_arrays = sum(array.nbytes for _, array in by_size)
    rows.append(("header and padding", "", "", format_size(inspection.n_bytes - in_arrays)))
    return rows
