"""One request in an engine that has its own idea of what ends it.

The ids at which an engine stops a request, and no others, are the ends here: each is legal iff the
text so far is complete, even one that would otherwise be text, and the artifact's own
end-of-sequence ids are illegal if the engine would not stop at them.

A text that a constraint of a kit reads in too many ways at once, or for which a pattern needs too
many states, cannot be followed further: its ends are then all that is legal, whether it is complete
or not. That is logged, and other requests go on. ``MASKC_MAX_TOKENS`` is in docs/environment.md.

Speculative decoding goes on after an end and takes it back: tokens after the end are counted, so
that ``rollback`` undoes exactly what was taken.
"""

from __future__ import annotations

import copy
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.errors import ArtifactError, FormatError, LimitError, TokensLeftError
from maskc.runtime.artifact import Compiled
from maskc.runtime.batches import allocate_bitmask, fill_bitmasks
from maskc.runtime.matcher import Matcher
from maskc.runtime.step_budget import count_taken


@dataclass(frozen=True, slots=True)
class RowOwner:
    """An artifact's matcher, ``None`` once an illegal token came: then only the end is allowed."""

    artifact: Compiled
    matcher: Matcher | None

    @classmethod
    def start(cls, artifact: Compiled) -> RowOwner:
        return cls(artifact, artifact.matcher())

    def after(self, token_ids: Sequence[int]) -> RowOwner:
        """Return the sequence after more tokens; what follows an end of sequence is ignored."""
        if self.matcher is None:
            return self
        matcher = self.matcher.fork()
        for token_id in token_ids:
            if not matcher.is_terminated and not matcher.accept_token(token_id):
                return RowOwner(self.artifact, None)
        return RowOwner(self.artifact, matcher)


def fill_rows(
    sequences: Sequence[RowOwner],
    bitmask: NDArray[np.int32],
    rows: Sequence[int],
    tokens_left: int | None = None,
) -> TokensLeftError | None:
    """Write each sequence's legal tokens into its row; return why a budget is not kept."""
    width, told = bitmask.shape[1], None
    matchers, matcher_rows = [], []
    for sequence, row in zip(sequences, rows, strict=True):
        if sequence.matcher is None:
            fill_ends(sequence.artifact, bitmask, row)
        elif tokens_left is None and _count_words(sequence.artifact) == width:
            matchers.append(sequence.matcher)
            matcher_rows.append(row)
        else:
            error = fill_row(sequence.artifact, sequence.matcher, bitmask, row, tokens_left)
            told = told or error
    fill_bitmasks(matchers, bitmask, matcher_rows)
    return told


def fill_row(
    artifact: Compiled,
    matcher: Matcher,
    bitmask: NDArray[np.int32],
    row: int,
    tokens_left: int | None = None,
) -> TokensLeftError | None:
    """Write the legal tokens of one matcher into one row, and 0 beyond its artifact's width.

    Engines allocate ``int32[rows, ceil(width / 32)]`` for the width of the model's logits;
    artifacts that are compiled without the model's padding are narrower.

    A budget in which the text cannot be finished is not kept: the row has all tokens that are
    legal, and why is returned.
    """
    n_words, told = _count_words(artifact), None
    # One row is contiguous by itself, however wide the others are.
    narrow = bitmask[row : row + 1, :n_words]
    try:
        matcher.fill_bitmask(narrow, 0, tokens_left=tokens_left)
    except TokensLeftError as error:
        told = error
        matcher.fill_bitmask(narrow, 0)
    bitmask[row, n_words:] = 0
    return told


def fill_ends(artifact: Compiled, bitmask: NDArray[np.int32], row: int) -> None:
    """Write the end-of-sequence tokens, and no others, into one row."""
    words = bitmask[row].view(np.uint32)
    words[:] = 0
    for end in artifact.eos_ids:
        words[end // 32] |= np.uint32(1 << end % 32)


def _count_words(artifact: Compiled) -> int:
    return -(-artifact.vocab_size // 32)


# Of one mask, about half a second while others wait. Tools, schemas and free text with patterns
# need at most 70,000 (llama3).
MASK_STEPS = 400_000
# For all masks of a request, half a minute. A grammar before free text takes up to 70,000 for each
# token (llama3).
MOST_STEPS = 20_000_000

VARIABLE = "MASKC_MAX_TOKENS"
FIELD = "maskc_finish"

_SETTINGS = ("cut", "asked", "finish")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Allowance:
    """The tokens that a request may take in all."""

    max_tokens: int  # how many, the end of sequence included
    # returns how many the engine has of the request so far: a text may begin after thoughts, which
    # nobody tells a grammar of. It is asked once, with the first mask
    count: Callable[[], int] = lambda: 0


def read_setting() -> str:
    """Return what the operator wants: ``cut``, ``asked`` or ``finish``."""
    return read_choice(VARIABLE, _SETTINGS, f"one of {', '.join(_SETTINGS)}")


def read_choice(variable: str, choices: Sequence[str], named: str) -> str:
    """Return what an operator chose by a variable of the environment; by default the first."""
    given = os.environ.get(variable, choices[0])
    if given not in choices:
        raise ArtifactError(variable, f"{given!r} is unknown", f"choose {named}")
    return given


def finishes(fields: Mapping[str, object] | None) -> bool:
    """Return whether a request's text is to end within its tokens."""
    setting = read_setting()
    if setting == "asked":
        asked = (fields or {}).get(FIELD)
        return asked is True or asked == 1 or asked == "true"
    return setting == "finish"


class Session:
    """The state of one request.

    Args:
        artifact: of its grammar.
        end_ids: where the engine stops; default: at the artifact's end-of-sequence ids.
        max_tokens: the request's, where its text is to end in as many tokens, the end included.
            ``None``: it may break off there.
    """

    def __init__(
        self,
        artifact: Compiled,
        end_ids: Iterable[int] | None = None,
        *,
        max_tokens: Allowance | None = None,
    ) -> None:
        self._artifact = artifact
        self._matcher = artifact.matcher()
        ends = set(artifact.eos_ids if end_ids is None else end_ids)
        self._end = artifact.eos_ids[0]
        self._end_ids = frozenset(ends) or frozenset(artifact.eos_ids)
        # Bits of the mask that the artifact and the engine may see differently.
        self._differing = tuple(sorted(self._end_ids ^ set(artifact.eos_ids)))
        self._n_after_end = 0
        self._is_stuck = False
        self._n_steps = 0
        self._allowance = max_tokens
        # How many of the tokens came before the text, once that was asked.
        self._n_before: int | None = None
        self._n_taken = 0
        self._is_told = False

    def accept(self, token_id: int) -> bool:
        """Take a token; return False, and change nothing, if it is illegal."""
        if self.is_terminated:
            self._n_after_end += 1
            return True
        if token_id in self._end_ids:
            if self._is_stuck:
                self._n_after_end = 1
                return True
            return self._take(self._end)
        if token_id in self._artifact.eos_ids or self._is_stuck:
            return False
        before = count_taken()
        try:
            return self._take(token_id)
        except (FormatError, LimitError) as error:
            _log.warning("a request was ended: %s", error)
            return False
        finally:
            self._n_steps += count_taken() - before

    def _take(self, token_id: int) -> bool:
        is_legal = self._matcher.accept_token(token_id)
        self._n_taken += is_legal
        return is_legal

    def count_legal(self, token_ids: Sequence[int]) -> int:
        """Return how many of the tokens can be taken up to an end; change nothing."""
        twin, n_taken = self.fork(), 0
        for token_id in token_ids:
            if twin.is_terminated or not twin.accept(token_id):
                break
            n_taken += 1
        return n_taken

    def rollback(self, n_tokens: int) -> None:
        """Forget the last tokens that were taken; ValueError: fewer were taken."""
        n_ignored = min(n_tokens, self._n_after_end)
        self._matcher.rollback(n_tokens - n_ignored)
        self._n_taken -= n_tokens - n_ignored
        self._n_after_end -= n_ignored
        if n_tokens > n_ignored:
            self._is_stuck = False

    def reset(self) -> None:
        """Go back to the start of the text."""
        self._matcher.reset()
        self._n_after_end, self._n_taken, self._is_stuck = 0, 0, False
        self._n_before = None

    def fork(self) -> Session:
        """Return an independent session in the same state."""
        twin: Session = copy.copy(self)
        twin._matcher = self._matcher.fork()
        return twin

    def fill(self, bitmask: NDArray[np.int32], row: int) -> None:
        """Write the legal tokens into a row of a bitmask at least as wide as the artifact's.

        Where no text is known that ends within the request's tokens, it may break off: that is
        logged once.
        """
        before = count_taken()
        try:
            if self._n_steps > MOST_STEPS:
                raise LimitError("steps for the masks of one request", MOST_STEPS, "simplify it")
            self._fill_legal(bitmask, row, self._tokens_left())
        except (FormatError, LimitError) as error:
            _log.warning("a request was ended: %s", error)
            self._is_stuck = True
            fill_ends(self._artifact, bitmask, row)
            self._take_ends(bitmask[row])
        self._n_steps += count_taken() - before

    def prepare(self) -> None:
        """Have what the first mask needs made now, where nobody waits for it."""
        self.fork().fill(allocate_bitmask(1, self._artifact.vocab_size), 0)

    def _tokens_left(self) -> int | None:
        """Return how many tokens may still come; ``None``: any number."""
        allowance = self._allowance
        if allowance is None:
            return None
        if self._n_before is None:
            self._n_before = max(0, allowance.count() - self._n_taken)
        return max(0, allowance.max_tokens - self._n_before - self._n_taken)

    def _fill_legal(self, bitmask: NDArray[np.int32], row: int, tokens_left: int | None) -> None:
        told = fill_row(self._artifact, self._matcher, bitmask, row, tokens_left)
        self._take_ends(bitmask[row])
        if tokens_left is not None and told is None and not bitmask[row].any():
            # The ways to finish were written with tokens at which the engine stops.
            told = TokensLeftError(None, tokens_left)
            fill_row(self._artifact, self._matcher, bitmask, row)
            self._take_ends(bitmask[row])
        if told is not None and not self._is_told:
            _log.warning("a token budget is not kept: %s", told)
            self._is_told = True

    def _take_ends(self, row: NDArray[np.int32]) -> None:
        """Put the engine's ends in the place of the artifact's."""
        if not self._differing:
            return
        words = row.view(np.uint32)
        may_end = bool(words[self._end // 32] >> np.uint32(self._end % 32) & 1)
        for token_id in self._differing:
            if token_id // 32 >= len(words):
                continue
            bit = np.uint32(1 << token_id % 32)
            if may_end and token_id in self._end_ids:
                words[token_id // 32] |= bit
            else:
                words[token_id // 32] &= ~bit

    def forced_text(self) -> str:
        """Return the text that must come next, in whole characters."""
        data = self._matcher.forced_bytes()
        # What is legal is UTF-8; only its last character can be cut.
        return data.decode(errors="ignore")

    @property
    def is_terminated(self) -> bool:
        return self._matcher.is_terminated or self._n_after_end > 0
