"""What a compilation cost and made: three lines, or all of it.

How long this machine took to compile an artifact is kept in the user's folder of caches: same
input, same bytes, so an artifact cannot hold times. A file is named after the SHA-256 of the
artifact's bytes and holds ``{"passes": [{"name", "seconds", "cpu_seconds", "peak_mb"}, …]}``. Where
the cache cannot be written nothing is kept, and a missing or damaged file is no timings.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs

from maskc.compiler.pipeline import PassRecord
from maskc.errors import OutputError
from maskc.files import write_atomically
from maskc.kinds import kind_of
from maskc.report import (
    Block,
    Fact,
    Facts,
    Lines,
    Report,
    Table,
    count,
    format_count,
    format_file,
    format_seconds,
    format_size,
)

# A pass of this name and a space is an optimisation step.
_STEP_PREFIX = "streamline "
Timings = Sequence[PassRecord]
_COSTS = ("seconds", "cpu_seconds", "peak_mb")


def report_compilation(
    path: str,
    n_bytes: int,
    header: Mapping[str, Any],
    seconds: float,
    passes: Sequence[PassRecord] = (),
    *,
    n_errors: int = 0,
    lexer_is_default: bool = False,
    verbose: bool = False,
) -> Report:
    """Return what was compiled, for which tokenizer, and the file.

    Args:
        passes: what each pass cost, in order; none if the artifact is of no grammar.
        n_errors: how many `maskc lint` finds in the grammar.
        lexer_is_default: whether the grammar is one of Lark's for which nobody chose a lexer.
        verbose: whether to say what each pass cost, or where the artifact is from.
    """
    data: dict[str, Any] = {"path": path, "n_bytes": n_bytes, "seconds": seconds}
    if passes:
        data["counts"] = dict(header["counts"])
        data["passes"] = [asdict(record) for record in passes]
        data["lint_errors"] = n_errors
    blocks: list[Block] = []
    if verbose and passes:
        blocks.append(tabulate_passes(passes, list_steps(header, passes)))
    elif verbose:
        blocks.append(Facts(list_origin(path, n_bytes, header)))
    tokenizer, counts = header["tokenizer"], header.get("counts", {})
    size = f"{path}: {format_size(n_bytes)}"
    if counts:
        size += f", {format_count(counts['rows'])} rows, {format_count(counts['masks'])} masks"
    told = kind_of(header).summarize(header)
    if lexer_is_default and header["grammar"].get("parser") == "earley":
        # For LALR the default is the one that nearly all take.
        told += ", Lark's default for parser=earley: one match of each terminal from each index"
    lines = [
        f"{header['grammar']['name']}: {told}",
        f"{tokenizer['name']}: {format_count(tokenizer['n_tokens'])} tokens",
        f"{size}, in {format_seconds(seconds)}",
    ]
    if counts.get("not_lexed_apart"):
        pairs = count(counts["not_lexed_apart"], "pair")
        lines.append(f"{pairs} of terminals cannot be lexed apart: maskc lint says which")
    if n_errors:
        lines.append(f"{count(n_errors, 'error')} in the grammar: maskc lint says which")
    return Report(data, [*blocks, Lines(lines)])


def tabulate_passes(passes: Sequence[PassRecord], steps: Sequence[OptimiseStep]) -> Table:
    """Return the compiler's passes: the rows before and after, processor time and memory."""
    columns = ("pass", "rows before", "rows after", "change", "processor", "peak memory")
    changes = {
        _STEP_PREFIX + step.step: (
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
    first, last = (steps[0].rows, steps[-1].rows) if steps else (0, 0)
    rows.append(
        (
            "all",
            format_count(first) if steps else "",
            format_count(last) if steps else "",
            format_change(first, last),
            format_seconds(sum(record.cpu_seconds for record in passes)),
            f"{max(record.peak_mb for record in passes):,.0f} MiB",
        )
    )
    return Table("", columns, rows, columns[1:])


_MOST_RANGES = 12


def list_origin(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[Fact]:
    """Return what an artifact that is no grammar's was made from."""
    tokenizer = header["tokenizer"]
    return [
        *describe_file(path, n_bytes, header),
        *kind_of(header).list_source(header),
        ("hash", header["grammar"]["sha256"]),
        ("tokenizer", tokenizer["name"]),
        ("vocabulary", f"{format_count(tokenizer['vocab_size'])} ids"),
        *describe_added(tokenizer),
        ("fingerprint", tokenizer["fingerprint"]),
    ]


def describe_file(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[Fact]:
    return [
        ("artifact", path),
        ("size", format_file(n_bytes)),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
    ]


def describe_added(tokenizer: Mapping[str, Any]) -> list[Fact]:
    """Return which added tokens that are not special write text, and which are atoms.

    A header's entry without ``added_tokens`` has nothing to say; ids are shown as ``7, 9 … 12``.
    """
    added = tokenizer.get("added_tokens")
    if added is None:
        return []
    said = []
    for ranges, what in ((added["text"], "write text"), (added["atoms"], "are atoms")):
        if ranges:
            n_tokens = sum(last - first + 1 for first, last in ranges)
            shown = [str(a) if a == b else f"{a} … {b}" for a, b in ranges[:_MOST_RANGES]]
            shown += ["…"] * (len(ranges) > _MOST_RANGES)
            said.append(f"{format_count(n_tokens)} {what} ({', '.join(shown)})")
    return [("added tokens", ", ".join(said))]


def hash_artifact(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal, the key of its timings."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save_timings(artifact_sha256_hex: str, timings: Timings) -> None:
    """Keep the timings of an artifact; nothing happens where the cache cannot be written."""
    path = _find_file(artifact_sha256_hex)
    if path is None:
        return
    passes = [asdict(record) for record in timings]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"passes": passes}, indent=1).encode())
    except (OSError, OutputError):
        return


def load_timings(artifact_sha256_hex: str) -> Timings:
    """Return the timings of an artifact; none if this machine has none that can be read."""
    path = _find_file(artifact_sha256_hex)
    if path is None:
        return ()
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ()
    passes = found.get("passes") if isinstance(found, dict) else None
    if not isinstance(passes, list) or not all(map(_is_pass, passes)):
        return ()
    return tuple(
        PassRecord(record["name"], *(record[cost] for cost in _COSTS)) for record in passes
    )


def _find_file(artifact_sha256_hex: str) -> Path | None:
    try:
        cache = platformdirs.user_cache_path("maskc", appauthor=False)
    except RuntimeError:  # a user without a home
        return None
    return cache / "timings" / f"{artifact_sha256_hex}.json"


def _is_pass(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return False
    costs: list[Any] = [found.get(cost) for cost in _COSTS]
    # JSON as Python reads it has NaN and Infinity, which no report can show.
    return all(type(cost) in (int, float) and 0 <= cost < 1e9 for cost in costs)


@dataclass(frozen=True, slots=True)
class OptimiseStep:
    """An optimisation step."""

    step: str  # its name
    rows: int  # distinct pairs of a lexer state and a terminal sequence that are left
    stored: int  # rows that are kept for them
    seconds: float | None  # what it cost; None if this machine did not compile the artifact
    per_state: tuple[int, ...]  # 101 percentiles of the rows of a lexer state


def list_steps(header: Mapping[str, Any], timings: Timings) -> tuple[OptimiseStep, ...]:
    """Return the optimisation steps, in order."""
    seconds = {record.name: record.seconds for record in timings}
    return tuple(
        OptimiseStep(
            found["step"],
            found["rows"],
            found["stored"],
            seconds.get(_STEP_PREFIX + found["step"]),
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
