"""Replies drawn from the masks of a structural tag or of tools, each brought to an end.

Tokens are drawn by their first byte, so that what a mask has few of comes as well; where free text
may turn to a tag, its trigger is tried now and then. Names of special tokens stand for them.

Example: of ``qwen_3`` with ``choice="required"`` each text is one call or more.

Limits: an end is searched among ``_MOST_SEARCHED`` configurations.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link.joining.switching import ATOM, Word
from maskc.runtime.link.plan.opening import read_link
from maskc.runtime.link.plan.replies import names_of
from maskc.runtime.matcher import Matcher

_MOST_SEARCHED = 1_000
_MOST_LETTERS, _FEW_LETTERS = 24, 3
_MOST_HINTS = 50
_QUOTE, _BACKSLASH = 0x22, 0x5C
_MOSTLY = 0.9  # how often a text does without escapes and tokens of blanks, as people do
_CLOSES = tuple(b'"}]>):,')
_PRINTABLE = tuple(range(0x20, 0x7F))
Written = list[bytes | int]


def draw_replies(
    artifact: Artifact, count: int, max_tokens: int, seed: int
) -> Iterator[tuple[str, bool]]:
    """Yield texts drawn from the masks, and whether each came to an end.

    Args:
        artifact: whose masks are drawn from.
        count: how many texts.
        max_tokens: after which a text is brought to its end.
        seed: of the random choices.
    """
    drawer = Drawer(artifact)
    for number in range(count):
        yield drawer.draw(max_tokens, seed, number)


class Drawer:
    """Draws replies from the masks of one artifact."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self._triggers, self._hints = _list_triggers(artifact), _list_hints(artifact)

    def draw(self, max_tokens: int, seed: int, number: int) -> tuple[str, bool]:
        """Return one of the texts of :func:`draw_replies`."""
        artifact, triggers = self._artifact, self._triggers
        draw = Random(f"{seed}:{number}")
        matcher, written = artifact.matcher(), list[bytes | int]()
        for _ in range(draw.randint(1, max_tokens)):
            if matcher.is_accepting and draw.random() < 0.1:
                break
            if triggers and draw.random() < 0.15:
                _take_word(matcher, draw.choice(triggers), written)
            token = _draw_token(artifact, matcher, draw)
            if token is None:
                break
            matcher.accept_token(token)
            written.append(artifact.token_bytes(token) or token)
        is_ended = _finish(artifact, matcher, written, self._hints)
        return _spell(artifact, written), is_ended


def _list_triggers(artifact: Artifact) -> list[Word]:
    return [word for text in read_link(artifact.contents).texts for word in text.triggers]


def _take_word(matcher: Matcher, word: Word, written: Written) -> None:
    """Take a trigger, if it is legal."""
    here, taken = matcher.fork(), Written()
    for symbol in word:
        data = bytes([symbol]) if symbol < ATOM else symbol - ATOM
        taken.append(data)
        is_legal = here.accept_bytes(data) if isinstance(data, bytes) else here.accept_token(data)
        if not is_legal:
            return
    _copy(matcher, taken)
    written += taken


def _copy(matcher: Matcher, taken: Written) -> None:
    for part in taken:
        _ = matcher.accept_bytes(part) if isinstance(part, bytes) else matcher.accept_token(part)


def _draw_token(artifact: Artifact, matcher: Matcher, draw: Random) -> int | None:
    """Return a legal token that does not end the text, ``None`` if there is none."""
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    bits[list(artifact.eos_ids)] = 0
    legal = np.flatnonzero(bits)
    named = set(names_of(artifact.header).values())
    first = artifact.first_bytes[legal]
    # A special token without a name cannot be told in a text.
    groups = sorted({*first[first >= 0].tolist(), *(-1 for t in named if bits[t])})
    groups = [group for group in groups if group < 0 or group in _PRINTABLE] or groups
    if not groups:
        return None
    if len(groups) > 1 and draw.random() < _MOSTLY:
        groups = [group for group in groups if group != _BACKSLASH]
    group = draw.choice(groups)
    chosen = sorted(t for t in named if bits[t]) if group < 0 else legal[first == group].tolist()
    if draw.random() < _MOSTLY:
        chosen = [t for t in chosen if (artifact.token_bytes(t) or b"-").strip()] or chosen
    return int(draw.choice(chosen))


def _finish(artifact: Artifact, matcher: Matcher, written: Written, hints: list[bytes]) -> bool:
    """Bring a text to an end: by what must come, and where there is a choice the cheapest way."""
    seen, order = {matcher.configuration()}, itertools.count()
    open_: list[tuple[int, int, Matcher, Written]] = [(0, next(order), matcher.fork(), [])]
    while open_:
        cost, _, here, taken = heapq.heappop(open_)
        forced = here.forced_bytes()
        if forced:
            here.accept_bytes(forced)
            taken = [*taken, forced]
        if here.is_accepting:
            written += taken
            return True
        for more, step in _list_steps(artifact, here, hints):
            after = here.fork()
            _copy(after, [step])
            key = after.configuration()
            if key not in seen and len(seen) < _MOST_SEARCHED:
                seen.add(key)
                heapq.heappush(open_, (cost + more, next(order), after, [*taken, step]))
    return False


def _list_steps(
    artifact: Artifact, matcher: Matcher, hints: list[bytes]
) -> Iterator[tuple[int, bytes | int]]:
    """Yield what is legal next, with what it costs: what closes is cheap, and what goes on dear."""
    for token in sorted(names_of(artifact.header).values()):
        if token not in artifact.ends and matcher.validate_tokens([token]):
            yield 1, token
    for hint in hints:
        if matcher.fork().accept_bytes(hint):
            yield 2, hint
    n_going_on, is_in_text = 0, matcher.fork().accept_bytes(b"a_")
    for byte in (*_CLOSES, *_PRINTABLE, *range(256)):
        step = bytes([byte])
        # In a string all but its quote is text.
        is_closing = byte == _QUOTE or byte in _CLOSES and not is_in_text
        # Of letters and of bytes inside characters a few are as good as all.
        if not is_closing and n_going_on == (_FEW_LETTERS if is_in_text else _MOST_LETTERS):
            return
        if matcher.fork().accept_bytes(step):
            n_going_on += not is_closing
            yield 1 if is_closing else 4, step


def _list_hints(artifact: Artifact) -> list[bytes]:
    """Return texts that may bring the end nearer: keys that schemas ask for, and constants."""
    found: dict[str, None] = {}
    open_: list[Any] = [json.loads(artifact.contents.arrays["link_source"].tobytes())]
    while open_:
        here = open_.pop()
        if isinstance(here, dict):
            required = here.get("required")
            names = required if isinstance(required, list) else []
            found.update((name, None) for name in names if isinstance(name, str))
            open_ += here.values()
        elif isinstance(here, list):
            open_ += here
    keys = [f"{json.dumps(key)}: ".encode() for key in found][:_MOST_HINTS]
    return keys + _list_words(artifact)[:_MOST_HINTS]


def _list_words(artifact: Artifact) -> list[bytes]:
    """Return the constants of the tag that are text, which close what is open, or go on with it."""
    found: dict[bytes, None] = {}
    plan = read_link(artifact.contents)
    for kind, *fields in plan.nodes:
        if kind in ("words", "switch"):
            found.update((bytes(word), None) for word in fields[0] if max(word, default=0) < ATOM)
    for table in plan.tables:
        for item in (item for ways in table.ways for way in ways or () for item in way):
            for word in item if isinstance(item, list) else ():
                if max(word) < ATOM:
                    found[bytes(word)] = None
    return [word for word in found if len(word) > 1]


def _spell(artifact: Artifact, written: Written) -> str:
    names = {token: name for name, token in names_of(artifact.header).items()}
    parts = (p if isinstance(p, bytes) else names.get(p, "").encode() for p in written)
    return b"".join(parts).decode(errors="replace")
