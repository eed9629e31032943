"""One artifact of a grammar with several start symbols.

The artifact is that of the first start symbol, and holds those of the others whole, each without
the vocabulary, which is the same. So each start symbol has the masks of an artifact that was
compiled for it alone: Lark's table for one start symbol has no look-aheads of another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from maskc.artifact.container import decode, encode
from maskc.artifact.model import Contents
from maskc.artifact.sections import STARTS, is_grammar
from maskc.errors import ArtifactError

_TOKENS = ("token_first", "token_bytes")


def bundle_starts(parts: Sequence[Contents]) -> Contents:
    """Return the artifact of all start symbols, the first of which is that of its matchers.

    Args:
        parts: the artifacts of each, for one vocabulary; one alone is returned as it is.
    """
    first, *others = parts
    if not others:
        return first
    packed = [
        encode(part.header, {k: a for k, a in part.arrays.items() if k not in _TOKENS})
        for part in others
    ]
    header = {**first.header, STARTS: [part.header["grammar"]["start"] for part in parts]}
    arrays = {
        **first.arrays,
        "starts_first": np.cumsum([0, *map(len, packed)]).astype(np.int32),
        "starts_bytes": np.frombuffer(b"".join(packed), dtype=np.uint8),
    }
    return Contents(header, arrays)


def starts_of(header: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the start symbols of an artifact, the first of them first; none if it has no such."""
    if STARTS in header:
        return tuple(header[STARTS])
    start = header["grammar"].get("start")
    return (start,) if isinstance(start, str) else ()


def read_start(contents: Contents, number: int) -> Contents:
    """Return the artifact of a start symbol after the first, which is number 0.

    Raises:
        ArtifactError: its bytes are damaged.
    """
    first = contents.arrays["starts_first"]
    data = contents.arrays["starts_bytes"][first[number - 1] : first[number]].tobytes()
    header, arrays = decode(data, f"start symbol {number} of the artifact")
    return Contents(header, {**arrays, **{name: contents.arrays[name] for name in _TOKENS}})


def check_starts(
    contents: Contents, check_contents: Callable[[Contents, str], object]
) -> str | None:
    """Return what is wrong with the further start symbols, ``None`` if nothing is.

    Raises:
        ArtifactError: one of them is damaged.
    """
    if STARTS not in contents.header:
        return None
    starts, header = contents.header[STARTS], contents.header
    if len(starts) != len(contents.arrays["starts_first"]) or len(set(starts)) < len(starts):
        return "the header's starts do not fit its arrays, or one is there twice"
    if len(starts) < 2 or starts[0] != header["grammar"]["start"]:
        return "the header's first start is not its grammar's"
    for number, start in enumerate(starts[1:], 1):
        part = read_start(contents, number)
        name = f"start symbol {number} of the artifact"
        if not is_grammar(part.header) or STARTS in part.header:
            return f"{name} is no grammar"
        check_contents(part, name)
        if part.header["grammar"]["start"] != start:
            return f"{name} is another one than the header says"
        if part.header["tokenizer"]["eos_ids"] != header["tokenizer"]["eos_ids"]:
            return f"{name} is for another tokenizer"
    return None


def find_start(header: Mapping[str, Any], start: str) -> int:
    """Return the number of a start symbol; ArtifactError: the artifact has no such."""
    starts = starts_of(header)
    if start not in starts:
        raise ArtifactError(
            str(header["grammar"].get("name")),
            f"was not compiled for the start symbol {start!r}",
            f"use one of {', '.join(starts)}" if starts else "leave the start symbol out",
        )
    return starts.index(start)
