"""Finds tokens that are legal in one artifact and not in another, and the texts before them.

Both are walked side by side, a byte or a special token at a time: breadth first from the start,
along texts that were drawn from either, and along a corpus. In each pair of configurations the
masks are compared bit by bit. A text of one side only is made shorter as long as it stays one
(delta debugging: Zeller and Hildebrandt, 2002).

Limits: languages are infinite, so no difference found is no proof that there is none; equal tables
are. Nor is it proved that no shorter text tells the two apart.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.container import encode
from maskc.errors import LimitError, TokensLeftError
from maskc.kinds import kind_of
from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link import names_of
from maskc.runtime.matcher import Matcher

_MOST_KINDS = 1_000  # of differences that are told apart
_MOST_EXAMPLES = 20  # differences with a whole text
_MOST_SHORTENED = 5  # texts of each side
_MOST_TRIED = 4_000  # of one text
_MOST_PIECES = 40  # of a text in which pairs are left out

Tokens = NDArray[np.int64]
Pair = tuple[Matcher, Matcher]
Part = bytes | int  # of a text: bytes, or a special token


@dataclass(slots=True)
class Difference:
    """Tokens whose legality differs, in the same way, in some configurations."""

    only_first: Tokens  # ids that are legal in the first artifact only
    only_second: Tokens  # ids that are legal in the second artifact only
    before: bytes  # the shortest text that leads to such a configuration
    n_configurations: int = 0  # how many of the pairs of configurations that were compared are such
    # a whole text that begins so, of the artifact in which a token is legal, which the other one
    # refuses; None if none is known
    example: bytes | None = None


@dataclass(slots=True)
class Comparison:
    """What was found."""

    is_same: bool = False  # whether both have the same tables, so that no mask can differ
    n_configurations: int = 0  # pairs of configurations that were compared, each counted once
    # those that were found, the shortest text first
    differences: list[Difference] = field(default_factory=list)
    n_left_out: int = 0  # configurations whose difference is none of those
    # the shortest text that was found of the first artifact only, and of the second only; special
    # tokens stand in it by their names
    only: tuple[bytes | None, bytes | None] = (None, None)


def compare(
    first: Artifact,
    second: Artifact,
    *,
    positions: int,
    drawn: Iterable[bytes] = (),
    texts: Iterable[bytes] = (),
) -> Comparison:
    """Return where the masks of two artifacts of one vocabulary differ.

    Args:
        positions: pairs of configurations to compare, beside those of the texts.
        drawn: texts of either artifact; masks are compared along them as far as positions allow.
        texts: a corpus; masks are compared along all of it.
    """
    if have_same_tables(first, second):
        return Comparison(is_same=True)
    comparer = _Comparer(first, second)
    comparer.breadth_first(positions // 2)
    drawn, given = [*drawn], [*texts]
    comparer.shorten([*drawn, *given])
    for text in drawn:
        if comparer.found.n_configurations >= positions:
            break
        comparer.along(text)
    for text in given:
        comparer.along(text)
    return comparer.finish()


def have_same_tables(first: Artifact, second: Artifact) -> bool:
    """Return whether no mask can differ, since the tables are equal."""
    return _tables_of(first) == _tables_of(second)


def _tables_of(artifact: Artifact) -> bytes:
    header = artifact.header
    names: tuple[str, ...] = ("format", "layout", "schema", "link")
    kept: dict[str, Any] = {name: header[name] for name in names if name in header}
    return encode(kept, artifact.contents.arrays)


class _Comparer:
    """Compares masks along texts, and keeps the shortest texts of one side."""

    def __init__(self, first: Artifact, second: Artifact) -> None:
        self.artifacts = first, second
        self.found = Comparison()
        self._kinds: dict[bytes, Difference] = {}
        self._only: tuple[set[bytes], set[bytes]] = set(), set()
        self._seen: set[Hashable] = set()
        self._masks = allocate_bitmask(2, first.vocab_size)
        self._first_bytes = first.table.first_bytes
        groups = [
            {byte: number for number, group in enumerate(a.machine.byte_groups) for byte in group}
            for a in self.artifacts
        ]
        self._groups = [tuple(group[byte] for group in groups) for byte in range(256)]
        names = [names_of(artifact.header).items() for artifact in self.artifacts]
        self._names = {token: name.encode() for pairs in names for name, token in pairs}

    def look(self, pair: Pair, before: bytes) -> NDArray[np.int32] | None:
        """Compare the masks of a pair, and return what is legal in both.

        ``None``: such a pair was compared before.
        """
        key = _key(pair)
        if key in self._seen:
            return None
        self._seen.add(key)
        self.found.n_configurations += 1
        masks = self._masks
        for row, matcher in enumerate(pair):
            matcher.fill_bitmask(masks, row)
        differing = masks[0] ^ masks[1]
        if differing.any():
            self._keep(masks[0] & differing, masks[1] & differing, before)
        both: NDArray[np.int32] = masks[0] & masks[1]
        return both

    def _list_moves(self, both: NDArray[np.int32]) -> Iterator[Part]:
        ids = _ids_of(both)
        firsts = self._first_bytes[ids]
        # Of the bytes that do the same in both artifacts one is enough.
        legal = np.unique(firsts[firsts >= 0])[::-1].tolist()
        bytes_ = {self._groups[byte]: byte for byte in legal}
        yield from (bytes([byte]) for byte in sorted(bytes_.values()))
        yield from (token for token in ids[firsts < 0].tolist() if token in self._names)

    def _keep(self, first: NDArray[np.int32], second: NDArray[np.int32], before: bytes) -> None:
        key = first.tobytes() + second.tobytes()
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) == _MOST_KINDS:
                self.found.n_left_out += 1
                return
            kind = self._kinds[key] = Difference(_ids_of(first), _ids_of(second), before)
        kind.n_configurations += 1
        if (len(before), before) < (len(kind.before), kind.before):
            kind.before = before

    def breadth_first(self, positions: int) -> None:
        worklist = deque([(self._start(), b"")])
        queued: set[Hashable] = set()
        while worklist and self.found.n_configurations < positions:
            pair, before = worklist.popleft()
            both = self.look(pair, before)
            for part in () if both is None else self._list_moves(both):
                after = pair[0].fork(), pair[1].fork()
                if all(_take(matcher, part) for matcher in after) and _key(after) not in queued:
                    queued.add(_key(after))
                    worklist.append((after, before + self._write(part)))

    def _start(self) -> Pair:
        return self.artifacts[0].matcher(), self.artifacts[1].matcher()

    def along(self, text: bytes) -> None:
        """Compare along a text, after each of its characters, as far as both accept it."""
        pair, before = self._start(), b""
        self.look(pair, before)
        for part in self._cut(text):
            if not all(_take(matcher, part) for matcher in pair):
                return
            before += self._write(part)
            self.look(pair, before)

    def _cut(self, text: bytes) -> Iterator[Part]:
        for part in kind_of(self.artifacts[0].header).cut(self.artifacts[0].header, text):
            if isinstance(part, int):
                yield part
                continue
            start = 0
            for end in range(1, len(part) + 1):
                if end == len(part) or part[end] & 0xC0 != 0x80:
                    yield part[start:end]
                    start = end

    def _write(self, part: Part) -> bytes:
        return part if isinstance(part, bytes) else self._names[part]

    def find_side(self, text: bytes) -> int | None:
        """Return which artifact is the only one that accepts a whole text; ``None``: neither is."""
        accepted = [_accepts(artifact, text) for artifact in self.artifacts]
        return accepted.index(True) if sum(accepted) == 1 else None

    def _is_of(self, side: int, text: bytes) -> bool:
        return self.find_side(text) == side

    def shorten(self, texts: Iterable[bytes]) -> None:
        """Keep what is left of the shortest texts of one side, and compare along it."""
        of_side: tuple[list[bytes], list[bytes]] = [], []
        for text in {*texts}:
            side = self.find_side(text)
            if side is not None:
                of_side[side].append(text)
        for side, found in enumerate(of_side):
            for text in sorted(found, key=_by_length)[:_MOST_SHORTENED]:
                shorter = shorten(text, partial(self._is_of, side))
                if shorter not in self._only[side]:
                    self._only[side].add(shorter)
                    self.along(shorter)

    def finish(self) -> Comparison:
        """Return what was found, the first differences with whole texts."""
        found = self.found
        found.differences = sorted(self._kinds.values(), key=lambda d: _by_length(d.before))
        examples = list[bytes]()
        for difference in found.differences[:_MOST_EXAMPLES]:
            wholes = [text for text in self._list_examples(difference) if text is not None]
            difference.example = next(iter(wholes), None)
            examples += wholes
        self.shorten(examples)
        first, second = (min(texts, key=_by_length, default=None) for texts in self._only)
        found.only = first, second
        return found

    def _list_examples(self, difference: Difference) -> Iterator[bytes | None]:
        for side, ids in enumerate((difference.only_first, difference.only_second)):
            wholes = (self._finish(side, difference.before, token) for token in ids[:3].tolist())
            yield next((t for t in wholes if t is not None and self.find_side(t) == side), None)

    def _finish(self, side: int, before: bytes, token: int) -> bytes | None:
        """Return a whole text of one artifact; ``None``: no end is known."""
        artifact = self.artifacts[side]
        matcher, text = artifact.matcher(), before
        if not all(_take(matcher, part) for part in self._cut(before)):
            return None
        if not matcher.accept_token(token):
            return None
        try:
            rest = [token, *matcher.shortest_completion().tokens]
        except (LimitError, TokensLeftError):
            return None
        for one in rest:
            if one not in artifact.ends:
                text += artifact.token_bytes(one) or self._names.get(one, b"")
        return text


def shorten(text: bytes, holds: Callable[[bytes], bool]) -> bytes:
    """Return what is left of a text if stretches of it are left out while it holds."""
    n_left = _MOST_TRIED
    worklist = _list_shorter(text)
    while n_left > 0:
        tried = next(worklist, None)
        if tried is None:
            break
        n_left -= 1
        if holds(tried):
            text, worklist = tried, _list_shorter(tried)
    return text


def _list_shorter(text: bytes) -> Iterator[bytes]:
    """Yield a text without a stretch, of a short one all but a stretch, and without two pieces."""
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size :]
        size //= 2
    # What is more than a byte is a word, blanks, or a character.
    pieces = re.findall(rb"\w+|\s+|[\xc0-\xff][\x80-\xbf]*|.", text, re.DOTALL)
    if len(pieces) <= _MOST_PIECES:
        cuts = list(combinations(range(len(pieces) + 1), 2))
        for start, end in sorted(cuts, key=lambda cut: cut[0] - cut[1]):
            yield b"".join(pieces[:start] + pieces[end:])
            yield b"".join(pieces[start:end]) if end - start < len(pieces) else b""
        for one, other in combinations(range(len(pieces)), 2):
            yield b"".join(pieces[:one] + pieces[one + 1 : other] + pieces[other + 1 :])
    for index, piece in enumerate(pieces):
        if len(piece) > 1:
            yield b"".join(
                [*pieces[:index], b" " if piece.isspace() else b"a", *pieces[index + 1 :]]
            )


def _by_length(text: bytes) -> tuple[int, bytes]:
    return len(text), text


def _accepts(artifact: Artifact, text: bytes) -> bool:
    matcher = artifact.matcher()
    return kind_of(artifact.header).accepts(artifact, matcher, text) and matcher.is_accepting


def _take(matcher: Matcher, part: Part) -> bool:
    return matcher.accept_bytes(part) if isinstance(part, bytes) else matcher.accept_token(part)


def _key(pair: Pair) -> Hashable:
    return pair[0].configuration(), pair[1].configuration()


def _ids_of(words: NDArray[np.int32]) -> Tokens:
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
