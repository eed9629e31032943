"""What an artifact of a JSON Schema, of a structural tag or of tools says about itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskc.kinds import kind_of
from maskc.report.render import (
    format_count,
    format_size,
    make_console,
    make_facts,
)

Fact = tuple[str, str]
_MOST_RANGES = 12


def list_origin(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[Fact]:
    """Return what an artifact that is no grammar's was made from."""
    grammar, tokenizer = header["grammar"], header["tokenizer"]
    return [
        ("artifact", path),
        ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
        *kind_of(header).list_source(header),
        ("hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        ("vocabulary", f"{format_count(tokenizer['vocab_size'])} ids"),
        *describe_added(tokenizer),
        ("fingerprint", tokenizer["fingerprint"]),
    ]


def describe_added(tokenizer: Mapping[str, Any]) -> list[Fact]:
    """Return which added tokens that are not special write text, and which are atoms.

    Args:
        tokenizer: the entry of a header; without ``added_tokens`` there is nothing to say.
    """
    added = tokenizer.get("added_tokens")
    if added is None:
        return []
    said = [
        f"{format_count(sum(last - first + 1 for first, last in ranges))} {what} "
        f"({_list_ranges(ranges)})"
        for ranges, what in ((added["text"], "write text"), (added["atoms"], "are atoms"))
        if ranges
    ]
    return [("added tokens", ", ".join(said))]


def _list_ranges(ranges: Sequence[Sequence[int]]) -> str:
    """Return ranges of ids as a reader has them: ``7, 9 … 12``."""
    shown = [
        str(first) if first == last else f"{first} … {last}"
        for first, last in ranges[:_MOST_RANGES]
    ]
    return ", ".join([*shown, *["…"] * (len(ranges) > _MOST_RANGES)])


def print_origin(path: str, n_bytes: int, header: Mapping[str, Any]) -> None:
    """Print what an artifact was made from on standard output."""
    make_console().print(make_facts(list_origin(path, n_bytes, header)))
