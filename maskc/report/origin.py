"""The facts of an artifact's file, its source and its tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskc.kinds import kind_of
from maskc.report.formats import format_count, format_file
from maskc.report.model import Fact

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
