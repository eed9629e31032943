"""Is a file that says how a tokenizer writes texts one that can be followed?

Example: a merge whose result is no longer than its left part is refused, as merging would not end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.vocabulary import BYTES, FIRST

_DTYPES = {
    FIRST: "int32",
    BYTES: "uint8",
    "base": "int32",
    "kind": "uint8",
    "token_left": "int32",
    "token_right": "int32",
    "token_rank": "int32",
    "merge_first": "int32",
    "merge_right": "int32",
    "merge_rank": "int32",
    "merge_result": "int32",
    "byte_class": "uint8",
    "chunk_next": "int32",
    "chunk_may_end": "bool",
    "mark_first": "int32",
    "mark_node": "int32",
}
_MAX_RANK = 1 << 30
_MAX_TOKENS = 1 << 22


def find_fault(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str | None:
    """Return what is wrong, ``None`` if nothing is."""
    if set(arrays) != set(_DTYPES):
        return f"array {sorted(set(_DTYPES) ^ set(arrays))[0]} is missing or unknown"
    for name, dtype in _DTYPES.items():
        n_dimensions = 2 if name == "chunk_next" else 1
        if arrays[name].dtype.name != dtype or arrays[name].ndim != n_dimensions:
            return f"array {name} is {arrays[name].dtype.name}, {arrays[name].ndim}-dimensional"
    tokenizer = header.get("tokenizer")
    if not isinstance(tokenizer, dict) or not isinstance(tokenizer.get("name"), str):
        return "the header lacks its tokenizer"
    return (
        _find_token_fault(arrays) or _find_merge_fault(arrays) or _find_chunk_fault(header, arrays)
    )


def _find_token_fault(arrays: Mapping[str, NDArray[Any]]) -> str | None:
    if not _are_offsets(arrays[FIRST], len(arrays[BYTES])):
        return "array token_first is no list of offsets"
    lengths = np.diff(arrays[FIRST])
    size = len(lengths)
    if not 0 < size <= _MAX_TOKENS:
        return "it has no tokens, or too many"
    columns = ("kind", "token_left", "token_right", "token_rank")
    if any(len(arrays[name]) != size for name in columns):
        return "it does not describe each token once"
    base = arrays["base"]
    if len(base) != 256 or not _are_below(base, size) or (lengths[base] == 0).any():
        return "array base has no token for each byte"
    if int(arrays["kind"].max()) > 3 or (lengths[arrays["kind"] > 0] == 0).any():
        return "array kind has tokens that write nothing"
    left, right, rank = (arrays[name] for name in columns[1:])
    is_merged = left >= 0
    if not np.array_equal(is_merged, right >= 0) or not np.array_equal(is_merged, rank >= 0):
        return "a token has one part"
    limits = ((left, size), (right, size), (rank, _MAX_RANK))
    if any(not _are_below(part + 1, limit + 1) for part, limit in limits):
        return "a part of a token is no token"
    # So no token is a part of itself.
    if (lengths[left] + lengths[right] != lengths)[is_merged].any() or (
        lengths[np.concatenate([left[is_merged], right[is_merged]])] == 0
    ).any():
        return "a token is not its two parts"
    return None


def _find_merge_fault(arrays: Mapping[str, NDArray[Any]]) -> str | None:
    lengths = np.diff(arrays[FIRST])
    size = len(lengths)
    first, right, rank, result = (
        arrays[f"merge_{name}"] for name in ("first", "right", "rank", "result")
    )
    if len(first) != size + 1 or not _are_offsets(first, len(right)):
        return "array merge_first is no list of offsets"
    if not len(right) == len(rank) == len(result) or not (
        _are_below(right, size) and _are_below(result, size) and _are_below(rank, _MAX_RANK)
    ):
        return "a merge is of what is no token"
    left = np.repeat(np.arange(size), np.diff(first))
    parts = np.minimum(lengths[left], lengths[right])
    if (parts == 0).any() or (lengths[left] + lengths[right] != lengths[result]).any():
        return "what is merged is not the result"
    return None


def _find_chunk_fault(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str | None:
    following, classes = arrays["chunk_next"], arrays["byte_class"]
    n_nodes, n_classes = following.shape
    if len(classes) != 256 or n_nodes < 2 or int(classes.max()) >= n_classes:
        return "array byte_class leads nowhere"
    if not _are_below(following, n_nodes) or following[0].any():
        return "array chunk_next leads nowhere"
    if len(arrays["chunk_may_end"]) != n_nodes or arrays["chunk_may_end"][0]:
        return "array chunk_may_end does not describe each node"
    marks = arrays["mark_node"]
    if len(arrays["mark_first"]) != n_nodes + 1 or not _are_offsets(
        arrays["mark_first"], len(marks)
    ):
        return "array mark_first is no list of offsets"
    if not _are_below(marks, n_nodes) or (marks == 0).any():
        return "a mark leads nowhere"
    start = header.get("chunk_start")
    if type(start) is not int or not 0 < start < n_nodes:
        return "the header lacks where texts begin"
    return None


def _are_offsets(offsets: NDArray[Any], length: int) -> bool:
    return (
        len(offsets) > 0
        and int(offsets[0]) == 0
        and int(offsets[-1]) == length
        and bool((np.diff(offsets) >= 0).all())
    )


def _are_below(numbers: NDArray[Any], limit: int) -> bool:
    return not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < limit
