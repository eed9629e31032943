"""Matchers that allow the tokenizer's own tokens only.

Example: ``maskc.canonical(artifact, "llama3.spelling").matcher()`` makes one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from maskc.errors import SpellingError
from maskc.runtime.compiled import Compiled
from maskc.runtime.forced_bytes import find_forced_bytes
from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.matcher import Matcher
from maskc.runtime.once import made_once
from maskc.runtime.spelling.machine import CanonicalMachine, Reading
from maskc.runtime.spelling.opened import Opened
from maskc.runtime.spelling.spelling import Spelling, load_spelling
from maskc.runtime.undo import UndoLog


class Canonical:
    """A language whose texts are written in the tokenizer's own tokens only. Immutable.

    Made by :func:`maskc.canonical`.

    Attributes:
        language: as given.
        spelling: how the tokenizer writes.
        vocab_size, eos_ids, ends: of the language.
    """

    def __init__(self, language: Compiled, spelling: Spelling) -> None:
        self.language, self.spelling = language, spelling
        self.vocab_size, self.eos_ids, self.ends = (
            language.vocab_size,
            language.eos_ids,
            language.ends,
        )
        self._opened = Opened(spelling, language.token_texts, language.vocab_size)

    @made_once
    def machine(self) -> CanonicalMachine:
        """The machine that all its matchers share."""
        return CanonicalMachine(self.language.machine, self._opened, self.ends)

    @property
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for one without bytes."""
        return self.language.first_bytes

    @property
    def joined_bytes(self) -> bytes:
        """The bytes that no token writes alone, in order."""
        return self.language.joined_bytes

    @property
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes."""
        return self.language.token_texts

    @property
    def endings(self) -> NoReturn:
        """Raise: how few tokens finish a text is found among all ways to write it.

        Raises:
            SpellingError: always.
        """
        raise SpellingError(
            "what finishes a text in time is not known in the tokenizer's own tokens",
            "leave tokens_left out, or make matchers without maskc.canonical",
        )

    def check_own_tokens(self) -> NoReturn:
        """Raise: its texts are limited to the tokenizer's own tokens already.

        Raises:
            SpellingError: always.
        """
        raise SpellingError(
            "what maskc.canonical returns allows own tokens only already",
            "make its matchers, or give the artifact that it was made of",
        )

    @property
    def n_undecided(self) -> int:
        """How many tokens were left out of masks since it takes too long to decide them."""
        return self.machine.liveness.n_undecided

    def matcher(self) -> CanonicalMatcher:
        """Return a matcher at the start of the text."""
        return CanonicalMatcher(self, self.machine.start(), UndoLog(), terminated=False)

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the language's masks; see :meth:`maskc.Artifact.mask_table`."""
        return self.language.mask_table(first)

    def __repr__(self) -> str:
        return f"<maskc.Canonical of {self.language!r}>"


class CanonicalMatcher(Matcher):
    """A matcher of the tokenizer's own tokens. It takes what any :class:`maskc.Matcher` takes.

    Bytes are taken as the tokens that the tokenizer writes for them, the last of which ends where
    they end; they are refused where the tokenizer does not cut there.
    """

    __slots__ = ()

    def forced_bytes(self) -> bytes:
        """Return what every text of the language goes on with from here; empty: there is a choice.

        The tokenizer's own tokens can force more; that is not looked for.
        """
        if self._terminated:
            return b""
        canonical = self._canonical
        machine = canonical.language.machine
        reading: Reading = self._hypotheses[0]
        return find_forced_bytes(machine, reading.hypotheses, self._artifact)

    def fork(self) -> CanonicalMatcher:
        """Return an independent matcher in the same state."""
        return CanonicalMatcher(
            self._canonical, self._hypotheses, self._undo.fork(), terminated=self._terminated
        )

    @property
    def _canonical(self) -> Canonical:
        if not isinstance(self._artifact, Canonical):
            raise TypeError("such a matcher is made by maskc.canonical(…).matcher()")
        return self._artifact


def canonical(language: Compiled, spelling: Spelling | str | os.PathLike[str]) -> Canonical:
    """Return what makes matchers that allow the tokenizer's own tokens only.

    Raises:
        ArtifactError: the path is of no spelling.
        SpellingError: the language is for another tokenizer, or of another kind.
        TypeError: it is no language.
    """
    if not hasattr(language, "check_own_tokens"):
        raise TypeError(
            f"canonical takes an artifact or a constraint, not {type(language).__name__}"
        )
    language.check_own_tokens()
    if not isinstance(spelling, Spelling):
        spelling = load_spelling(spelling)
    # Captures make matchers of their own, with spans.
    make: Callable[[Spelling], Canonical] | None = getattr(language, "with_own_tokens", None)
    return Canonical(language, spelling) if make is None else make(spelling)
