"""The configurations in which the masks of two artifacts differ.

Both are walked side by side with the same tokens. First breadth first from the start, a token for
each first byte, so that the shortest texts come first; then along texts that are drawn at random,
signs as often as letters, to get deep; then along the texts of a corpus, character by character. In
each pair of configurations the masks are compared bit by bit, and what is legal in both goes on.

Example: of a grammar of ``[a,b]`` and one that also allows ``[a,b,]``, the token ``]`` is legal in
the second only after ``[a,``.

Limits: languages are infinite, so no difference found is no proof that there is none; equal tables
are. Texts that one artifact refuses are not followed beyond the place.
"""

from __future__ import annotations

import string
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.container import encode
from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher

_MOST_KINDS = 1_000  # of differences that are told apart
_MOST_LENGTH = 200  # tokens of a drawn text
_PLACES_PER_TEXT = 20  # new ones that are hoped for; of a finite language there are fewer
_MOST_SEARCHED = 500  # configurations, for the end of an example
_SIGNS = frozenset(string.punctuation.encode())
_ENDS = (*b"\"'}])>;.,: \n0a", *range(0x21, 0x7F))

Tokens = NDArray[np.int64]


@dataclass(slots=True)
class Difference:
    """Tokens whose legality differs, in the same way, in some configurations.

    Attributes:
        only_first: ids that are legal in the first artifact only.
        only_second: ids that are legal in the second artifact only.
        before: the shortest text that leads to such a configuration.
        n_places: how many of the pairs of configurations that were compared are such.
        example: a whole text of the artifact in which a token is legal, which the other one
            refuses; ``None`` if no end is near.
    """

    only_first: Tokens
    only_second: Tokens
    before: bytes
    n_places: int = 0
    example: bytes | None = None


@dataclass(slots=True)
class Comparison:
    """What was found.

    Attributes:
        is_same: whether both have the same tables, so that no mask can differ.
        n_places: pairs of configurations that were compared, each counted once.
        differences: those that were found, the shortest text first.
        n_left_out: configurations whose difference is none of those.
    """

    is_same: bool = False
    n_places: int = 0
    differences: list[Difference] = field(default_factory=list)
    n_left_out: int = 0


def compare(
    first: Artifact, second: Artifact, *, positions: int, seed: int, texts: Iterable[bytes] = ()
) -> Comparison:
    """Return where the masks of two artifacts of one vocabulary differ.

    Args:
        first: an artifact.
        second: another one.
        positions: pairs of configurations to compare, beside those of the texts.
        seed: of the texts that are drawn.
        texts: a corpus.
    """
    if _tables_of(first) == _tables_of(second):
        return Comparison(is_same=True)
    comparer = _Comparer(first, second)
    comparer.breadth_first(positions // 2)
    draw = Random(seed)  # noqa: S311 - so that a text can be drawn again
    for _ in range(-(-positions // _PLACES_PER_TEXT)):
        if comparer.found.n_places >= positions:
            break
        comparer.along_drawn(draw)
    for text in texts:
        comparer.along(text)
    found = comparer.found
    found.differences = sorted(comparer.kinds.values(), key=lambda d: (len(d.before), d.before))
    for difference in found.differences[:20]:
        difference.example = comparer.find_example(difference)
    return found


def _tables_of(artifact: Artifact) -> bytes:
    """Return all that masks depend on."""
    header = artifact.header
    names: tuple[str, ...] = ("format", "layout", "schema", "link")
    kept: dict[str, Any] = {name: header[name] for name in names if name in header}
    return encode(kept, artifact.contents.arrays)


class _Comparer:
    """Compares masks along texts."""

    def __init__(self, first: Artifact, second: Artifact) -> None:
        self.artifacts = first, second
        self.found = Comparison()
        self.kinds: dict[bytes, Difference] = {}
        self._seen: set[Hashable] = set()
        self._masks = allocate_bitmask(2, first.vocab_size)
        self._first_bytes = first.first_bytes
        self._is_sign = np.array([byte in _SIGNS for byte in range(256)])

    def start(self) -> tuple[Matcher, Matcher]:
        """Return a matcher of each."""
        first, second = self.artifacts
        return first.matcher(), second.matcher()

    def look(self, pair: tuple[Matcher, Matcher], before: bytes) -> Tokens:
        """Compare the masks of a pair, and return the tokens that are legal in both."""
        masks = self._masks
        for row, matcher in enumerate(pair):
            matcher.fill_bitmask(masks, row)
        key = _key(pair)
        if key not in self._seen:
            self._seen.add(key)
            self.found.n_places += 1
            differing = masks[0] ^ masks[1]
            if differing.any():
                self._keep(masks[0] & differing, masks[1] & differing, before)
        both = _ids_of(masks[0] & masks[1])
        return both[self._first_bytes[both] >= 0]

    def _keep(self, first: NDArray[np.int32], second: NDArray[np.int32], before: bytes) -> None:
        key = first.tobytes() + second.tobytes()
        kind = self.kinds.get(key)
        if kind is None:
            if len(self.kinds) == _MOST_KINDS:
                self.found.n_left_out += 1
                return
            kind = self.kinds[key] = Difference(_ids_of(first), _ids_of(second), before)
        kind.n_places += 1
        if (len(before), before) < (len(kind.before), kind.before):
            kind.before = before

    def breadth_first(self, positions: int) -> None:
        """Compare in the configurations that are nearest to the start."""
        start = self.start()
        worklist = deque([(start, b"")])
        seen: set[Hashable] = {_key(start)}
        while worklist and self.found.n_places < positions:
            pair, before = worklist.popleft()
            legal = self.look(pair, before)
            # One token for each first byte: the one with the smallest number.
            for token in legal[np.unique(self._first_bytes[legal], return_index=True)[1]].tolist():
                after = pair[0].fork(), pair[1].fork()
                after[0].accept_token(token)
                after[1].accept_token(token)
                key = _key(after)
                if key not in seen:
                    seen.add(key)
                    worklist.append((after, before + self._text_of(token)))

    def along_drawn(self, draw: Random) -> None:
        """Compare along a text of tokens drawn from what is legal in both."""
        pair, before = self.start(), b""
        for _ in range(draw.randint(1, _MOST_LENGTH)):
            legal = self.look(pair, before)
            if not len(legal):
                return
            bytes_ = self._first_bytes[legal]
            signs = legal[self._is_sign[bytes_]]
            if len(signs) and draw.random() < 0.5:
                legal, bytes_ = signs, self._first_bytes[signs]
            byte = draw.choice(np.unique(bytes_).tolist())
            token = int(draw.choice(legal[bytes_ == byte].tolist()))
            pair[0].accept_token(token)
            pair[1].accept_token(token)
            before += self._text_of(token)

    def along(self, text: bytes) -> None:
        """Compare along a text, after each of its characters, as far as both accept it."""
        pair, place = self.start(), 0
        self.look(pair, b"")
        for end in _ends_of_characters(text):
            step = text[place:end]
            if not (pair[0].accept_bytes(step) and pair[1].accept_bytes(step)):
                return
            place = end
            self.look(pair, text[:place])

    def find_example(self, difference: Difference) -> bytes | None:
        """Return a whole text that one of the two accepts and the other refuses, if one is near."""
        sides = zip(self.artifacts, (difference.only_first, difference.only_second), strict=True)
        for artifact, ids in sides:
            for token in ids[:3].tolist():
                matcher = artifact.matcher()
                matcher.accept_bytes(difference.before)
                if token in artifact.ends:
                    return difference.before
                matcher.accept_token(token)
                end = _find_end(matcher)
                if end is not None:
                    return difference.before + self._text_of(token) + end
        return None

    def _text_of(self, token: int) -> bytes:
        return self.artifacts[0].token_bytes(token) or b""


def _key(pair: tuple[Matcher, Matcher]) -> Hashable:
    return pair[0].configuration(), pair[1].configuration()


def _ids_of(words: NDArray[np.int32]) -> Tokens:
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))


def _ends_of_characters(text: bytes) -> Iterator[int]:
    for place in range(1, len(text) + 1):
        if place == len(text) or text[place] & 0xC0 != 0x80:
            yield place


def _find_end(matcher: Matcher) -> bytes | None:
    """Return bytes after which a text may end, breadth first; ``None`` if they are not near."""
    if matcher.is_accepting:
        return b""
    worklist = deque([(matcher, b"")])
    seen = {matcher.configuration()}
    while worklist and len(seen) < _MOST_SEARCHED:
        here, text = worklist.popleft()
        for byte in _ENDS:
            after = here.fork()
            if not after.accept_bytes(bytes([byte])):
                continue
            if after.is_accepting:
                return text + bytes([byte])
            key = after.configuration()
            if key not in seen:
                seen.add(key)
                worklist.append((after, text + bytes([byte])))
    return None
