"""Finds the vocabulary of an artifact that leaves it to a kit.

Such an artifact holds no tokens; its header names them by their fingerprint. They are those of the
kit that the caller gives, or of one that the process has open, or of a kit in the artifact's
folder: whichever it is, the fingerprint of the tokens themselves must be the one that is named.

Example: beside ``llama3.kit`` a choice of three words takes 10 KB, not 1.4 MB.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeGuard

import numpy as np

from maskc.arguments import describe
from maskc.artifact.container import Arrays, load_container
from maskc.errors import ArtifactError, WrongTypeError
from maskc.runtime.vocabulary import (
    BYTES,
    FIRST,
    TOKEN_ARRAYS,
    TokenTable,
    find_tokens,
    share_tokens,
)

KIND = "kit"  # what the header of a kit's file says that it is
SUFFIX = ".kit"
ENTRY, LEFT = "vocabulary", "kit"  # the entry of an artifact's header, and what it says


class _Tokens(Protocol):
    @property
    def table(self) -> TokenTable: ...


class HasTokens(Protocol):
    """An open kit: :class:`maskc.kit.kit.Kit`."""

    @property
    def tokens(self) -> _Tokens:
        """Its tokens."""


KitLike = str | os.PathLike[str] | HasTokens


def leaves_tokens(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact leaves its vocabulary to a kit."""
    return header.get(ENTRY) == LEFT


def drop_tokens(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return header and arrays of an artifact that leaves its vocabulary to a kit."""
    kept = {name: array for name, array in arrays.items() if name not in TOKEN_ARRAYS}
    return {**header, ENTRY: LEFT}, kept


def add_tokens(
    header: Mapping[str, Any], arrays: Arrays, path: str, kit: KitLike | None, *, mapped: bool
) -> Arrays:
    """Return an artifact's arrays with those of the vocabulary that it leaves to a kit.

    Args:
        header: of the artifact, not checked yet.
        arrays: those that the file holds.
        path: of the artifact.
        kit: where the vocabulary is; ``None``: open already, or in the artifact's folder.
        mapped: leave the vocabulary in its file.

    Raises:
        ArtifactError: it does not exist, or the artifact is damaged.
    """
    tokenizer = header.get("tokenizer")
    wanted: dict[str, Any] = tokenizer if isinstance(tokenizer, dict) else {}
    ends, fingerprint = wanted.get("eos_ids"), wanted.get("fingerprint")
    is_whole = bool(set(TOKEN_ARRAYS) & set(arrays))
    if not isinstance(fingerprint, str) or not _are_ids(ends) or is_whole:
        raise ArtifactError(
            path, "is damaged: it does not name its vocabulary", "compile the grammar again"
        )
    named = f"vocabulary {str(wanted.get('name'))[:40]} ({fingerprint[:12]})"
    if kit is not None:
        table = open_table(kit, mapped=mapped)
        if table.fingerprint(ends) != fingerprint:
            raise ArtifactError(
                path,
                f"leaves its {named} to a kit, and the one given is for another tokenizer",
                "give the kit of the tokenizer that it was compiled for",
            )
        return {**arrays, **table.arrays}
    found = find_tokens(fingerprint, ends) or _find_beside(path, fingerprint, ends, mapped=mapped)
    if found is None:
        raise ArtifactError(
            path,
            f"leaves its {named} to a kit, and that is not there",
            f"lay the kit beside it as NAME{SUFFIX}, or give it: maskc.load(path, kit=…)",
        )
    return {**arrays, **found.arrays}


def open_table(kit: KitLike, *, mapped: bool = True) -> TokenTable:
    """Return the tokens of a kit, by its path or as it is open.

    Raises:
        ArtifactError: it is not a kit, or damaged.
    """
    if not isinstance(kit, str | os.PathLike):
        tokens = getattr(kit, "tokens", None)
        table = getattr(tokens, "table", None)
        if not isinstance(table, TokenTable):
            raise WrongTypeError(f"a kit must be a maskc.Kit or its path, not {describe(kit)}")
        return table
    path = os.fspath(kit)
    header, arrays = load_container(path, mapped=mapped)
    if header.get("kind") != KIND:
        remedy = "give the path of a kit, which `maskc kit` writes"
        raise ArtifactError(path, "is an artifact, not a kit", remedy)
    if not _are_tokens(arrays):
        raise ArtifactError(
            path, "is damaged: it holds no tokens", "make the kit again with `maskc kit`"
        )
    return share_tokens(arrays[FIRST], arrays[BYTES], is_borrowed=not mapped)


def _find_beside(
    path: str, fingerprint: str, ends: list[int], *, mapped: bool
) -> TokenTable | None:
    """Return the tokens of a kit in an artifact's folder, ``None`` if there is none."""
    for candidate in sorted(Path(path).parent.glob(f"*{SUFFIX}")):
        try:
            table = open_table(candidate, mapped=mapped)
        except ArtifactError:
            continue  # some other kit is damaged, which says nothing of this artifact
        if table.fingerprint(ends) == fingerprint:
            return table
    return None


def _are_ids(ends: Any) -> TypeGuard[list[int]]:
    return isinstance(ends, list) and all(type(end) is int and 0 <= end < 1 << 31 for end in ends)


def _are_tokens(arrays: Arrays) -> bool:
    first, data = arrays.get(FIRST), arrays.get(BYTES)
    if first is None or data is None or first.dtype != np.int32 or data.dtype != np.uint8:
        return False
    if first.ndim != 1 or data.ndim != 1 or len(first) < 2 or first[0] or first[-1] != len(data):
        return False
    return not bool((first[1:] < first[:-1]).any())
