"""Matchers that allow the tokenizer's own tokens only.

Example: ``maskc.canonical(artifact, "llama3.spelling").matcher()`` makes one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from maskc.errors import SpellingError, WrongTypeError
from maskc.runtime.compiled import Compiled
from maskc.runtime.forced_bytes import find_forced_bytes
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.matcher import Matcher
from maskc.runtime.spelling.machine import CanonicalMachine
from maskc.runtime.spelling.spelling import Spelling, load_spelling
from maskc.runtime.undo import UndoLog
from maskc.runtime.vocabulary import share_tokens


class Canonical(Compiled):
    """A language whose texts are written in the tokenizer's own tokens only. Immutable.

    Made by :func:`maskc.canonical`. A reader reads the texts, if the language's machine does not,
    and ``strip`` returns what that knows of the reader's hypotheses.

    Raises:
        SpellingError: the language is for another tokenizer.
    """

    machine: CanonicalMachine

    def __init__(
        self,
        language: Compiled,
        spelling: Spelling,
        reader: Machine[Any] | None = None,
        strip: Callable[[Hypotheses], Hypotheses] = tuple,
    ) -> None:
        self.language, self.spelling = language, spelling
        size, ours, theirs = language.vocab_size, spelling.tokens, language.token_texts.text_of
        # Ids that the tokenizer does not have write nothing for it.
        if size < ours.vocab_size or any(ours.text_of(t) != theirs(t) for t in range(size)):
            raise SpellingError(
                "the artifact has another vocabulary than the tokenizer "
                f"{str(spelling.header['tokenizer']['name'])[:60]}",
                "give the spelling of its own tokenizer",
            )
        first = np.pad(ours.first, (0, size - ours.vocab_size), mode="edge")
        plain, ends = language.machine, frozenset(language.eos_ids)
        machine = CanonicalMachine(reader or plain, spelling, ends, plain, strip)
        super().__init__(machine, share_tokens(first, ours.data), language.eos_ids)

    @property
    def endings(self) -> NoReturn:
        """Raise a SpellingError: a short completion may be made of any tokens."""
        raise SpellingError(
            "shortest_completion is not supported for canonical tokens",
            "call it on a matcher without maskc.canonical",
        )

    def check_own_tokens(self) -> NoReturn:
        """Raise a SpellingError: its texts are limited to own tokens already."""
        raise SpellingError(
            "this is canonical already",
            "call its matcher(), or give the original artifact",
        )

    def matcher(self) -> CanonicalMatcher:
        """Return a matcher at the start of the text."""
        return CanonicalMatcher(self, self.machine.start(), UndoLog(), terminated=False)

    def __repr__(self) -> str:
        return f"<maskc.Canonical of {self.language!r}>"


class CanonicalMatcher(Matcher):
    """A matcher of the tokenizer's own tokens. It takes what any :class:`maskc.Matcher` takes.

    Where no own token is legal, the mask is the language's, and :attr:`is_exact` is False.

    Bytes are taken as the tokens that the tokenizer writes for them, the last of which ends where
    they end; they are refused where the tokenizer does not cut there.
    """

    __slots__ = ()
    _artifact: Canonical
    _machine: CanonicalMachine

    def fill_bitmask(
        self, bitmask: NDArray[np.int32], row: int, *, tokens_left: int | None = None
    ) -> None:
        """Write the legal tokens into one row; see :meth:`maskc.Matcher.fill_bitmask`.

        With ``tokens_left`` they are the own tokens among those that the language's matcher allows
        with it. If there are none of them, all of these are written and the next token is not
        restricted: that a text ends in time comes before own tokens.
        """
        machine = self._machine
        here = self._hypotheses = machine.freed(self._hypotheses, is_free=False)
        if tokens_left is None or self._terminated:
            super().fill_bitmask(bitmask, row, tokens_left=tokens_left)
            self._is_exact = self._terminated or machine.are_own(here)
            return
        own, is_own = self._words(), machine.are_own(here)
        plain = Matcher(self._artifact.language, self._plain(), UndoLog(), terminated=False)
        # How the text was to be finished at its last mask helps to finish it now.
        plain._point = self._point  # noqa: SLF001, its own class
        try:
            plain.fill_bitmask(bitmask, row, tokens_left=tokens_left)
        finally:
            self._point, self._is_exact = plain._point, plain.is_exact and is_own  # noqa: SLF001
        both = bitmask[row] & own
        if both.any():
            bitmask[row] = both
        else:
            self._hypotheses, self._is_exact = machine.freed(here, is_free=True), False

    def forced_bytes(self) -> bytes:
        """Return what every text of the language goes on with; own tokens could force more."""
        if self._terminated:
            return b""
        language = self._artifact.language
        return find_forced_bytes(language.machine, self._plain(), language)

    def _retake(self, here: Hypotheses, taken: Sequence[int | bytes]) -> list[Hypotheses]:
        found = [here]
        for one in taken:
            # A token may have been taken where a budget had lifted the restriction.
            if isinstance(one, int):
                here = self._machine.freed(here, is_free=True)
            here = super()._retake(here, (one,))[-1]
            found.append(here)
        return found

    def _plain(self) -> Hypotheses:
        strip = self._machine.strip
        return tuple(dict.fromkeys(inner for h in self._hypotheses for inner in strip(h.inner)))


def canonical(language: Compiled, spelling: Spelling | str | os.PathLike[str]) -> Canonical:
    """Return a maker of matchers of own tokens; see :func:`maskc.canonical`."""
    if not hasattr(language, "check_own_tokens"):
        kind = type(language).__name__
        raise WrongTypeError(f"canonical takes an artifact or a constraint, not {kind}")
    language.check_own_tokens()
    if not isinstance(spelling, Spelling):
        spelling = load_spelling(spelling)
    # Captures make matchers of their own, with spans.
    make: Callable[[Spelling], Canonical] | None = getattr(language, "with_own_tokens", None)
    return Canonical(language, spelling) if make is None else make(spelling)
