"""Matchers that allow the tokenizer's own tokens only, and their machine.

It is a side automaton beside any other machine. Beside the hypotheses of the language's machine it
knows the last token, and where in its chunks the tokenizer may be: a state for each choice of cuts.
A token is legal if

1. the language's machine allows it,
2. it may follow the last token in the chunk, or the chunk can end and it can begin the next one,
3. some token, or the end of the text, can come after it (one token of look-ahead).

Where no token is left, the mask is the language's own, and the restriction is lifted for one token.
If the tokenizer would not write the token that is taken then, what comes next is held to what it
writes for a text that begins after that token.

Example: ``maskc.canonical(artifact, "llama3.spelling").matcher()`` makes one. In json with llama3's
tokens, after ``{`` the token ``"`` is legal, and after ``{"name`` it is not if ``":`` must come.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from maskc.errors import SpellingError, WrongTypeError
from maskc.runtime.artifact import Compiled
from maskc.runtime.forced import find_forced_bytes
from maskc.runtime.machine import Hypotheses, Machine, check_hypotheses
from maskc.runtime.matcher import Matcher
from maskc.runtime.pool import NO_NUMBER, PooledMask
from maskc.runtime.spelling import Spelling, evict_half, load_spelling
from maskc.runtime.spelling.lookahead import ChunkState, LookAhead, outside
from maskc.runtime.spelling.tables import DEAD, Words
from maskc.runtime.vocabulary import share_tokens

NO_LAST = -1  # no token of the chunk was written
_MOST_MASKS = 50_000


class CanonicalHypothesis:
    """What is known of the text so far.

    ``last`` is the last token, ``NO_LAST`` if it was an atom, or there is none; ``chunks`` are
    where the tokenizer may be. If it ``is_free``, the next token is not restricted.
    """

    __slots__ = ("chunks", "inner", "is_free", "last", "mask")

    def __init__(
        self, inner: Hypotheses, last: int, chunks: tuple[ChunkState, ...], *, is_free: bool = False
    ) -> None:
        self.inner, self.last, self.chunks, self.is_free = inner, last, chunks, is_free
        # its mask, and whether the restriction holds, once both are known
        self.mask: tuple[PooledMask, bool] | None = None


Known = tuple[CanonicalHypothesis, ...]


class CanonicalMachine:
    """A :class:`maskc.runtime.machine.Machine` of the tokenizer's own tokens.

    The machine reads the texts, and the plain one makes the language's masks; ``strip`` returns
    what that knows of the other's hypotheses.
    """

    def __init__(
        self,
        machine: Machine[Any],
        spelling: Spelling,
        ends: frozenset[int],
        plain: Machine[Any],
        strip: Callable[[Hypotheses], Hypotheses],
    ) -> None:
        self._machine, self._spelling, self._ends, self._plain = machine, spelling, ends, plain
        self.pool, self.byte_groups, self.strip = plain.pool, plain.byte_groups, strip
        self._look_ahead = LookAhead(plain, spelling)
        self._masks: dict[Hashable, tuple[PooledMask, bool]] = {}
        self._begun = (ChunkState(spelling.chunks.start, ()),)
        self._lock = threading.RLock()

    def start(self) -> Known:
        return (CanonicalHypothesis(self._machine.start(), NO_LAST, self._begun),)

    def freed(self, known: Known, *, is_free: bool) -> Known:
        """Return the same hypotheses with the next token restricted or not."""
        if len(known) == 1 and known[0].is_free == is_free:
            return known
        return tuple(CanonicalHypothesis(h.inner, h.last, h.chunks, is_free=is_free) for h in known)

    def take(self, known: Known, token_id: int) -> Known:
        reached: list[CanonicalHypothesis] = []
        for h in known:
            if _has(self.mask(h).words, token_id) and token_id not in self._ends:
                inner, chunks = self._machine.take(h.inner, token_id), self._after(h, token_id)
                # Atoms, and tokens that the tokenizer would not write, end what it cuts.
                last = token_id if chunks else NO_LAST
                reached.append(CanonicalHypothesis(inner, last, chunks or self._begun))
        return tuple(reached)

    def _after(self, h: CanonicalHypothesis, token_id: int) -> tuple[ChunkState, ...]:
        """Return where the tokenizer may be after a token; nowhere: it would not write it."""
        spelling, reached = self._spelling, set[ChunkState]()
        if token_id >= len(spelling.is_written) or not spelling.is_written[token_id]:
            return ()
        for node, whole in self._before_token(h):
            if not whole or _has(spelling.neighbours(h.last, is_left=True), token_id):
                after = int(spelling.after(node, np.array([token_id], dtype=np.int32))[0])
                reached.add(ChunkState(after, spelling.whole_chunks.after(whole, token_id)))
        return tuple(sorted(state for state in reached if state.node != DEAD))

    def _before_token(self, h: CanonicalHypothesis) -> Iterator[ChunkState]:
        """Yield the states before the next token; at the beginning of a chunk, nothing is whole."""
        chunks, whole_chunks = self._spelling.chunks, self._spelling.whole_chunks
        for state in h.chunks:
            if state.whole != whole_chunks.CLOSED:
                yield state
            if state.whole and whole_chunks.may_end(state.whole):
                for node in chunks.cuts[state.node]:
                    yield ChunkState(node, ())

    def step(self, known: Known, text: bytes) -> Known:
        """Return the live hypotheses after the tokens that the tokenizer writes for some bytes.

        The last of these tokens ends where the bytes end; none: the tokenizer does not cut there,
        or the bytes are illegal.
        """
        begun = {self.identify(h): h for h in self.freed(known, is_free=False)}
        waiting: dict[int, dict[Hashable, CanonicalHypothesis]] = {0: begun}
        for at in range(len(text)):
            for h in waiting.pop(at, {}).values():
                # Where the restriction is lifted on the way, the tokens are not the tokenizer's.
                for end, token_id in self._spelling.tokens_at(text, at):
                    if at == 0 or self.are_own((h,)):
                        for after in self.take((h,), token_id):
                            waiting.setdefault(end, {})[self.identify(after)] = after
        found = tuple(waiting.pop(len(text), {}).values())
        check_hypotheses(len(found))
        return found

    def may_end(self, h: CanonicalHypothesis) -> bool:
        may_end = any(map(self._machine.may_end, h.inner))
        return may_end and (self._may_cut(h) or not self.are_own((h,)))

    def _may_cut(self, h: CanonicalHypothesis) -> bool:
        may_end, whole_chunks = self._spelling.chunks.may_end, self._spelling.whole_chunks
        return any(may_end[s.node] and whole_chunks.may_end(s.whole) for s in h.chunks)

    def mask(self, h: CanonicalHypothesis) -> PooledMask:
        return self._find_mask(h)[0]

    def are_own(self, known: Known) -> bool:
        """Return whether the mask has the tokenizer's own tokens only."""
        return all(self._find_mask(h)[1] for h in known)

    def _find_mask(self, h: CanonicalHypothesis) -> tuple[PooledMask, bool]:
        if h.mask is not None:
            return h.mask
        with self._lock:
            plain = frozenset(map(self._plain.identify, self.strip(h.inner)))
            key = (plain, h.last, h.chunks, h.is_free)
            known = self._masks.get(key)
            if known is None:
                if self.pool.is_full:
                    self.pool.forget()
                    self._masks = {}
                evict_half(self._masks, _MOST_MASKS)
                known = self._masks[key] = self._compose(h)
        if known[0].number != NO_NUMBER:
            h.mask = known  # the pool keeps it for good
        return known

    def _compose(self, h: CanonicalHypothesis) -> tuple[PooledMask, bool]:
        plain = self.pool.unite(map(self._plain.mask, self.strip(h.inner)))
        # Atoms and the end of sequence are no part of what is cut.
        words: Words = outside(self._spelling, plain.words)
        if not self._may_cut(h):
            words[:] = 0
        own = words[: len(self._spelling.writes)]
        for chunk in () if h.is_free else self._before_token(h):
            row = self._look_ahead.row(self.strip(h.inner), chunk)
            own |= row & self._spelling.neighbours(h.last, is_left=True) if chunk.whole else row
        is_own = not h.is_free and bool(words.any())
        return (self.pool.share(words), True) if is_own else (plain, False)

    def mask_numbers(self, batch: Iterable[Known]) -> list[int]:
        return [self.pool.unite(map(self.mask, known)).number for known in batch]

    def describe(self, h: CanonicalHypothesis) -> Hashable:
        """Return all that the future depends on; more is told apart than has to be."""
        return (frozenset(map(self._machine.describe, h.inner)), h.last, h.chunks, h.is_free)

    def identify(self, h: CanonicalHypothesis) -> Hashable:
        return (frozenset(map(self._machine.identify, h.inner)), h.last, h.chunks, h.is_free)


def _has(words: Words, token_id: int) -> bool:
    return 0 <= token_id < 32 * len(words) and bool(words[token_id >> 5] >> (token_id & 31) & 1)


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
        size, ours, theirs = language.vocab_size, spelling.tokens, language.table
        # Ids that the tokenizer does not have write nothing for it.
        if size < ours.vocab_size or any(ours.text_of(t) != theirs.text_of(t) for t in range(size)):
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
            "this is canonical already", "call its matcher(), or give the original artifact"
        )

    def matcher(self) -> CanonicalMatcher:
        """Return a matcher at the start of the text."""
        return CanonicalMatcher(self, self.machine.start())

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
        plain = Matcher(self._artifact.language, self._plain())
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
        return find_forced_bytes(language.machine, self._plain(), language.table)

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
