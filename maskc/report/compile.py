"""What a compilation cost and made: three lines, or all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from maskc.kinds import kind_of
from maskc.pipeline import PassRecord
from maskc.report.origin import print_origin
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
        seconds: what it took.
        passes: what each pass cost, in order; none if it was made from no grammar.
        lexer_is_default: whether the grammar is one of Lark's for which nobody chose a lexer.
    """

    path: str
    n_bytes: int
    header: Mapping[str, Any]
    seconds: float
    passes: Sequence[PassRecord] = ()
    lexer_is_default: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``."""
        found = {"path": self.path, "n_bytes": self.n_bytes, "seconds": self.seconds}
        if not self.passes:
            return found
        passes = [asdict(record) for record in self.passes]
        return {**found, "counts": dict(self.header["counts"]), "passes": passes}


def print_compilation(compilation: Compilation, *, verbose: bool = False) -> None:
    """Print what was compiled, for which tokenizer, and the file on standard output.

    Args:
        compilation: what was written.
        verbose: also the passes of a grammar, with the rows that they left, or where the artifact
            of a schema or a tag comes from.
    """
    console, header = make_console(), compilation.header
    if verbose and compilation.passes:
        steps = list_steps(header, collect_timings(compilation.passes))
        console.print(make_pass_costs(compilation.passes, steps))
    elif verbose:
        print_origin(compilation.path, compilation.n_bytes, header)
    for line in _list_lines(compilation):
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def _list_lines(compilation: Compilation) -> list[str]:
    header = compilation.header
    tokenizer = header["tokenizer"]
    size = f"{compilation.path}: {format_size(compilation.n_bytes)}"
    if "counts" in header:
        counts = header["counts"]
        size += f", {format_count(counts['rows'])} rows, {format_count(counts['masks'])} masks"
    return [
        f"{header['grammar']['name']}: {_describe_source(compilation)}",
        f"{tokenizer['name']}: {format_count(tokenizer['n_tokens'])} tokens",
        f"{size}, in {format_seconds(compilation.seconds)}",
    ]


def _describe_source(compilation: Compilation) -> str:
    """Return in a few words what was compiled, and which choices were made for its author."""
    header = compilation.header
    told = kind_of(header).summarize(header)
    if compilation.lexer_is_default and header["grammar"].get("parser") == "earley":
        # For LALR the default is the one that nearly all take.
        told += ", Lark's default for parser=earley: one match of each terminal at a place"
    return told
