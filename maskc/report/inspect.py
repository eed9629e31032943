"""What an artifact says about itself, and where its bytes go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from maskc.report.render import format_count, format_size, make_console, make_facts, make_table

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
    """

    path: str
    n_bytes: int
    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``."""
        return {
            "path": self.path,
            "n_bytes": self.n_bytes,
            "header": dict(self.header),
            "sections": {
                name: {
                    "dtype": array.dtype.name,
                    "shape": list(array.shape),
                    "nbytes": array.nbytes,
                }
                for name, array in sorted(self.arrays.items())
            },
        }


def print_inspection(inspection: Inspection) -> None:
    """Print it on standard output."""
    header = inspection.header
    console = make_console()
    console.print(make_facts(_list_facts(inspection)))
    counts = [(name.replace("_", " "), format_count(n)) for name, n in header["counts"].items()]
    console.print(make_table("\nCounts", ("", "number"), counts, numbers=("number",)))
    columns = ("", "type", "shape", "size")
    sections = _list_sections(inspection)
    console.print(make_table("Sections", columns, sections, numbers=("shape", "size")))


def _list_facts(inspection: Inspection) -> list[tuple[str, str]]:
    header = inspection.header
    grammar, tokenizer = header["grammar"], header["tokenizer"]
    padding = tokenizer["vocab_size"] - tokenizer["n_tokens"]
    return [
        ("artifact", inspection.path),
        ("size", f"{format_size(inspection.n_bytes)} ({format_count(inspection.n_bytes)} bytes)"),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
        ("grammar", grammar["name"]),
        ("start", grammar["start"]),
        ("lexer", grammar["lexer"]),
        ("postlex", grammar["postlex"] or "none"),
        ("imports", ", ".join(sorted(grammar["imports"])) or "none of its own folder"),
        ("grammar hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        (
            "vocabulary",
            f"{format_count(tokenizer['vocab_size'])} ids: "
            f"{format_count(tokenizer['n_tokens'])} with text, "
            f"{format_count(padding)} special or padding",
        ),
        ("ends with", ", ".join(str(eos) for eos in tokenizer["eos_ids"])),
        ("fingerprint", tokenizer["fingerprint"]),
    ]


def _list_sections(inspection: Inspection) -> list[Sequence[str]]:
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
