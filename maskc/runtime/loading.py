"""What an artifact's file holds: checked, of every kind, and its vocabulary, if that is in a kit.

An artifact that leaves its vocabulary to a kit holds no tokens; its header names them by their
fingerprint. They are those of the kit that the caller gives, or of one that the process has open,
or of a kit in the artifact's folder: whichever it is, the fingerprint of the tokens themselves must
be the one that is named.

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
from maskc.artifact.header import check_link, check_numbers, check_texts
from maskc.artifact.model import FORMAT, Contents, check, check_ends
from maskc.artifact.sections import PARSERS, is_link, is_schema
from maskc.artifact.starts import check_starts
from maskc.errors import ArtifactError, FormatError, WrongTypeError
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


def load_contents(path: str, kit: KitLike | None, *, mapped: bool) -> Contents:
    """Return the contents of an artifact's file, checked, with the tokens that the process has.

    ``kit``: where the vocabulary is, if the artifact leaves it to one.

    Raises:
        ArtifactError: it is not an artifact, damaged, of another format version, or its kit is not
            there.
    """
    header, arrays = load_container(path, mapped=mapped)
    if leaves_tokens(header):
        arrays = add_tokens(header, arrays, path, kit, mapped=mapped)
    return _share(check_contents(Contents(header, arrays), path))


def _share(contents: Contents) -> Contents:
    """Return contents with the tokens that the process has, so that the file's can go."""
    arrays = contents.arrays
    first, data = (arrays[name] for name in TOKEN_ARRAYS)
    # Other artifacts use the table: whoever writes into this file must not harm them.
    table = share_tokens(first, data, is_borrowed=True)
    others = {name: array for name, array in arrays.items() if name not in TOKEN_ARRAYS}
    n_tokens = first.nbytes + data.nbytes
    # Arrays keep all of the file; where most of it is tokens, it is left for copies of the rest.
    if table.first is not first and sum(array.nbytes for array in others.values()) < n_tokens:
        others = {name: array.copy() for name, array in others.items()}
        for array in others.values():
            array.setflags(write=False)
    return Contents(contents.header, {**others, **table.arrays})


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


def check_contents(contents: Contents, name: str) -> Contents:
    """Return the contents, if a machine can follow them.

    Raises:
        ArtifactError: it cannot, or they are of another format version.
    """
    version = contents.header.get("format")
    if version != FORMAT:
        raise ArtifactError(
            name,
            f"has format {version!r}, and this version of maskc reads format {FORMAT}",
            "compile the grammar again",
        )
    if "kind" in contents.header:
        kind = str(contents.header["kind"])[:20]
        raise ArtifactError(name, f"is a {kind}, not an artifact", "load a kit with maskc.load_kit")
    grammar = contents.header.get("grammar")
    parser = grammar.get("parser", "lalr") if isinstance(grammar, dict) else "lalr"
    if isinstance(parser, str) and parser not in PARSERS:
        reason = f"is of the kind {parser[:20]!r}, which this maskc does not know"
        raise ArtifactError(name, reason, "install a newer maskc, or compile it again")
    try:
        fault = _find_fault(contents)
    except FormatError as error:
        reason = f"needs the format {error.name}, which {error.reason}"
        raise ArtifactError(name, reason, error.remedy) from None
    fault = fault or check_ends(contents.arrays, contents.header["tokenizer"]["eos_ids"])
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", "compile the grammar again")
    return contents


def _find_fault(contents: Contents) -> str | None:
    """Return what is wrong with contents of some kind, ``None`` if nothing is."""
    if is_schema(contents.header):
        from maskc.runtime.schema.opening import check_plan, check_schema_header

        return check_schema_header(contents.header) or check(contents) or check_plan(contents)
    if is_link(contents.header):
        from maskc.runtime.link.plan import check_link_plan

        return (
            check_link(contents.header)
            or check(contents)
            or check_link_plan(contents, check_contents)
        )
    # All look at the header; only what has passed the last has states to count.
    return (
        check_texts(contents.header)
        or check(contents)
        or check_numbers(contents.header, n_scanner_states=len(contents.arrays["scanner_next"]))
        or check_starts(contents, check_contents)
    )
