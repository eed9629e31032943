"""A compiled grammar, ready to make matchers."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.container import encode, load_container
from maskc.artifact.files import write_atomically
from maskc.artifact.header import check_numbers, check_texts
from maskc.artifact.model import FORMAT, Contents, check
from maskc.artifact.sections import is_general, is_schema
from maskc.errors import ArtifactError
from maskc.runtime.arguments import as_count, as_number
from maskc.runtime.cache.budget import Budget
from maskc.runtime.cache.pool import MaskPool
from maskc.runtime.fingerprint import compute_fingerprint
from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.glr.machine import GlrMachine
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.machine import Machine
from maskc.runtime.matcher import Matcher
from maskc.runtime.once import made_once
from maskc.runtime.schema.opening import check_plan, check_schema_header, open_schema
from maskc.runtime.undo import UndoLog

DEFAULT_CACHE_BYTES = 512 * 1024 * 1024


class Artifact:
    """A grammar compiled for a vocabulary. Immutable; make one matcher for each sequence.

    Attributes:
        header: what the artifact says about itself.
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
    """

    def __init__(self, contents: Contents, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self.contents = contents
        self.header = contents.header
        self.vocab_size: int = contents.header["tokenizer"]["vocab_size"]
        self.eos_ids: tuple[int, ...] = tuple(contents.header["tokenizer"]["eos_ids"])
        self.ends = frozenset(self.eos_ids)
        self._cache_bytes = as_count("cache_bytes", cache_bytes)
        self._token_first: NDArray[np.int32] = contents.arrays["token_first"]
        self._token_bytes = contents.arrays["token_bytes"].tobytes()

    @made_once
    def machine(self) -> Machine[Any]:
        """The machine that all matchers share."""
        budget = Budget(self._cache_bytes * 3 // 8)
        pool = MaskPool(self.vocab_size, self.eos_ids, self._cache_bytes)
        return _machine_of(self.header)(self.contents, self.token_bytes, budget, pool)

    @made_once
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for special tokens and padding."""
        first, data = self._token_first, self.contents.arrays["token_bytes"]
        found = np.full(self.vocab_size, -1, dtype=np.int16)
        writes = first[1:] > first[:-1]
        found[writes] = data[first[:-1][writes]]
        found.setflags(write=False)
        return found

    @made_once
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes, for forced tokens."""
        return TokenTexts(self.token_bytes, self.vocab_size)

    def token_bytes(self, token_id: int) -> bytes | None:
        """Return a token's bytes, ``None`` for special tokens and padding.

        Raises:
            TypeError: it is no integer.
        """
        if type(token_id) is not int:
            token_id = as_number("a token", token_id)
        if not 0 <= token_id < self.vocab_size:
            return None
        low, high = self._token_first[token_id], self._token_first[token_id + 1]
        return self._token_bytes[low:high] or None

    @made_once
    def fingerprint(self) -> str:
        """The fingerprint of the tokens that the arrays hold, whatever the header claims."""
        data = self.contents.arrays["token_bytes"]
        return compute_fingerprint(self._token_first, data, self.eos_ids)

    @made_once
    def content_hash(self) -> str:
        """SHA-256, in hexadecimal, of all that the artifact holds: the checksum of its file.

        It is worked out from what is in memory, and takes as long as saving.
        """
        return encode(self.header, self.contents.arrays)[-32:].hex()

    def matcher(self) -> Matcher:
        """Return a matcher at the start of the text."""
        return Matcher(self, self.machine.start(), UndoLog(), terminated=False)

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks that have a number so far, by number; they cannot be written to.

        Numbers are given in the order in which masks are first needed, by all matchers of this
        artifact, and never again: rows are added, and those that are there stay as they are.

        Args:
            first: leave out the masks with smaller numbers.

        Returns:
            int32[number of masks - first, ceil(vocab_size / 32)]; no rows if there are fewer.

        Raises:
            TypeError: ``first`` is no integer.
            ValueError: it is less than 0.
        """
        return self.machine.pool.table(as_count("first", first))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the artifact: to a temporary file beside ``path``, then renamed.

        Raises:
            OutputError: the folder cannot be written to.
        """
        write_atomically(os.fspath(path), encode(self.header, self.contents.arrays))


def load(
    path: str | os.PathLike[str],
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    mapped: bool = True,
) -> Artifact:
    """Return an artifact from a file, checked.

    Args:
        path: of a file that ``maskc compile`` or :meth:`Artifact.save` wrote.
        cache_bytes: how much memory the artifact's matchers may take for what they remember, all
            together, beside the artifact itself and their stacks: half of it for masks that have a
            number, an eighth for other masks, the rest for what tokens did to which stacks. With
            0 nothing is remembered, and no mask has a number.
        mapped: leave the contents in the file, so that processes share its pages. The file must
            then be replaced by renaming and never written to: who writes into it changes the
            masks, or ends the process. False reads it into memory.

    Raises:
        ArtifactError: it is no artifact, damaged, or of another format version.
        TypeError: ``cache_bytes`` is no integer.
        ValueError: it is less than 0.
    """
    as_count("cache_bytes", cache_bytes)
    name = os.fspath(path)
    header, arrays = load_container(name, mapped=mapped)
    return Artifact(check_contents(Contents(header, arrays), name), cache_bytes=cache_bytes)


def _machine_of(header: dict[str, Any]) -> Callable[..., Machine[Any]]:
    """Return what makes the machine of an artifact with this header."""
    if is_schema(header):
        return open_schema
    return GlrMachine if is_general(header) else LalrMachine


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
        raise ArtifactError(name, f"is a {kind}, and no artifact", "load a kit with maskc.load_kit")
    if is_schema(contents.header):
        fault = check_schema_header(contents.header) or check(contents) or check_plan(contents)
    else:
        # All look at the header; only what has passed the last has states to count.
        fault = (
            check_texts(contents.header)
            or check(contents)
            or check_numbers(contents.header, n_scanner_states=len(contents.arrays["scanner_next"]))
        )
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", "compile the grammar again")
    return contents
