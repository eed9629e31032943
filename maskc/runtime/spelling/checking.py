"""The arrays of a spelling's file, and what must be true of them.

Dimensions: ``V`` tokens, ``W`` whole chunks, ``N`` nodes of the chunks' automaton, ``K`` classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import check_shapes, check_values
from maskc.artifact.sections import Section
from maskc.runtime.spelling.pairs import FROM_START, MERGED, NO_TOKEN, WHOLE_CHUNK
from maskc.runtime.vocabulary import BYTES, FIRST

SECTIONS = {
    FIRST: Section("int32", ("V+1",), offsets=BYTES),
    BYTES: Section("uint8", ("token bytes",)),
    "kind": Section("uint8", ("V",), below="kinds"),
    "token_left": Section("int32", ("V",), below="V", least=NO_TOKEN),
    "token_right": Section("int32", ("V",), below="V", least=NO_TOKEN),
    "token_rank": Section("int32", ("V",), below="ranks", least=NO_TOKEN),
    "merge_first": Section("int32", ("V+1",), offsets="merge_right"),
    "merge_right": Section("int32", ("merges",), below="V"),
    "merge_rank": Section("int32", ("merges",), below="ranks"),
    "edge_token": Section("int32", ("edges",), below="V"),
    "edge_side": Section("uint8", ("edges",)),
    "edge_symbol": Section("int32", ("edges",), below="V"),
    "edge_since": Section("int32", ("edges",), least=FROM_START),
    "edge_key": Section("int32", ("edges",)),
    "whole_first": Section("int32", ("W+1",), offsets="whole_part"),
    "whole_part": Section("int32", ("parts",), below="V"),
    "byte_class": Section("uint8", ("256",), below="K"),
    "chunk_next": Section("int32", ("N", "K"), below="N"),
    "chunk_may_end": Section("bool", ("N",)),
    "cut_first": Section("int32", ("N+1",), offsets="cut_node"),
    "cut_node": Section("int32", ("cuts",), below="N", least=1),
}


def find_fault(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str | None:
    """Return what is wrong, ``None`` if nothing is."""
    # Keys of ranks are int32.
    sizes = {"kinds": WHOLE_CHUNK + 1, "ranks": 1 << 28}
    fault = check_shapes(arrays, SECTIONS, sizes) or check_values(arrays, SECTIONS, sizes)
    if fault:
        return fault
    tokenizer, start = header.get("tokenizer"), header.get("chunk_start")
    if not isinstance(tokenizer, dict) or not isinstance(tokenizer.get("name"), str):
        return "the header lacks its tokenizer"
    if type(start) is not int or not 0 < start < sizes["N"]:
        return "the header lacks where texts begin"
    if arrays["chunk_next"][0].any() or arrays["chunk_may_end"][0]:
        return "the dead node of the chunks leads on"
    lengths, kind, size = np.diff(arrays[FIRST]), arrays["kind"], sizes["V"]
    if (lengths[kind > 0] == 0).any():
        return "a token is written that has no bytes"
    left, right, rank = (arrays[f"token_{name}"] for name in ("left", "right", "rank"))
    is_joined = left >= 0
    if not np.array_equal(is_joined, right >= 0) or not np.array_equal(is_joined, rank >= 0):
        return "a token has one part"
    # Parts are shorter than their token, so no token is a part of itself.
    parts = lengths[left[is_joined]], lengths[right[is_joined]]
    if (parts[0] + parts[1] != lengths[is_joined]).any() or (np.minimum(*parts) == 0).any():
        return "a token is not its two parts"
    merge_left = np.repeat(np.arange(size, dtype=np.int64), np.diff(arrays["merge_first"]))
    if (np.diff(merge_left * size + arrays["merge_right"]) <= 0).any():
        return "merges are not in order"
    if (kind[arrays["edge_token"]] != MERGED).any():
        return "an edge symbol is of a token that is not merged"
    if (
        sizes["W"] != np.count_nonzero(kind == WHOLE_CHUNK)
        or not np.diff(arrays["whole_first"]).all()
    ):
        return "a whole chunk has no other tokens"
    return None
