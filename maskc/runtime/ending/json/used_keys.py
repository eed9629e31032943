"""After which tokens may an open key become one that was there?

Where keys are forgotten (:mod:`maskc.runtime.ending.link.forgetting`) such a token is taken for one
that leads to a new key. It is looked at by itself.

Example: after ``{"name": 1, "na`` these are ``m`` and ``me``, and no others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.once import made_once
from maskc.runtime.schema.machine.nodes import (
    DEPTH,
    KEY,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    Configuration,
    read_members,
)
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.strings.other_keys import list_keys
from maskc.runtime.schema.strings.spelling import split_body

HAS_QUOTE = 1
_QUOTE, _BACKSLASH = b'"', b"\\"
# A key is ended in the token, and another one of the same object may be begun.
_TWO_KEYS = re.compile(rb'"[ \t\r\n]*:.*,[ \t\r\n]*"', re.DOTALL)


class TokenKinds:
    """Which tokens of a vocabulary have a quote or a backslash.

    Args:
        paths: the tokens.
        vocab_size: how many there are.
        text_of: token id → its bytes, ``None`` for one without any.

    Attributes:
        text_of: as given.
    """

    def __init__(
        self, paths: TokenPaths, vocab_size: int, text_of: Callable[[int], bytes | None]
    ) -> None:
        self._paths, self._vocab_size, self.text_of = paths, vocab_size, text_of

    @made_once
    def of(self) -> NDArray[np.uint8]:
        """uint8[vocab_size], as bits; made when it is first asked for."""
        found = np.zeros(self._vocab_size, dtype=np.uint8)
        for token_id in range(self._vocab_size):
            text = self.text_of(token_id)
            if text:
                found[token_id] = HAS_QUOTE * (_QUOTE in text) | 2 * (_BACKSLASH in text)
        return found

    def find(self, text: bytes) -> Ints:
        """Return the tokens with a text."""
        texts, way = self._paths.trie.texts, text.translate(self._paths.letters)
        at = bisect_left(texts, way)
        is_there = at < len(texts) and texts[at] == way
        return self._paths.ids_of(np.array([at] * is_there, dtype=np.int32))[0]


class UsedKeys:
    """The keys that a JSON text had in the objects that are open.

    Args:
        here: where the text is.
        kinds: of the tokens.
    """

    def __init__(self, here: Configuration, kinds: TokenKinds) -> None:
        self._kinds = kinds
        self._by_depth: dict[int, set[str]] = {}
        self._raw: dict[int, bytes] = {}
        seen: set[int] = set()
        todo = list(here.nodes)
        while todo:
            node = todo.pop()
            if node[SERIAL] in seen:
                continue
            seen.add(node[SERIAL])
            todo += node[PARENTS]
            if node[STATE][0] in (OBJECT, KEY):
                keys = list_keys(read_members(node[STATE])[OTHERS])
                self._by_depth.setdefault(node[DEPTH], set()).update(keys)
                if node[STATE][0] == KEY:
                    self._raw[node[DEPTH]] = node[STATE][4]

    @property
    def counts(self) -> dict[int, int]:
        """Of each object, by how deep it is, how many keys without a name it has had."""
        return {depth: len(keys) for depth, keys in self._by_depth.items()}

    def select(self, after: Configuration, ids: Ints) -> NDArray[np.bool_]:
        """Return bool[n], which of some tokens may lead to a key that was there.

        Args:
            after: where all of them lead, with keys forgotten.
            ids: the tokens.
        """
        found = np.zeros(len(ids), dtype=np.bool_)
        keys = [node for node in after.nodes if node[STATE][0] == KEY]
        if not keys:
            return found
        depth = keys[0][DEPTH]
        begun = self._raw.get(depth, b"")
        words = self._by_depth.get(depth, set())
        inside = _list_beginnings(words, begun)
        kinds = self._kinds.of[ids]
        if inside and split_body(begun)[1]:
            found |= kinds & HAS_QUOTE == 0
        elif inside:
            texts = [self._kinds.find(text) for text in sorted(inside)]
            found |= np.isin(ids, np.concatenate(texts))
        beginnings = _list_beginnings(words, b"")
        for at in np.flatnonzero(kinds).tolist():
            text = self._kinds.text_of(int(ids[at])) or b""
            if _QUOTE not in text:
                found[at] = bool(inside) and _may_become(begun + text, words)
            elif _BACKSLASH in text or _TWO_KEYS.search(text):
                found[at] = True
            elif words:
                found[at] = text[text.rindex(_QUOTE) + 1 :] in beginnings
        return found


def _list_beginnings(words: Iterable[str], begun: bytes) -> frozenset[bytes]:
    """Return what words may begin with after what has been read of one, in bytes."""
    prefix, inside = split_body(begun)
    lefts = [
        word[len(prefix) :].encode("utf-8", "surrogatepass")
        for word in words
        if word.startswith(prefix)
    ]
    if inside:
        return frozenset([b""] if lefts else [])
    return frozenset(left[:n] for left in lefts for n in range(len(left) + 1))


def _may_become(raw: bytes, words: Iterable[str]) -> bool:
    """Return whether some word begins with what has been read of a key."""
    prefix, _ = split_body(raw)
    return any(word.startswith(prefix) for word in words)
