"""Texts drawn from masks, and for JSON Schemas, structural tags and tools a search for their end.

A token is drawn by its first byte, so that what a mask has few of comes as well. Where free text
may turn to a tag, its trigger is tried now and then. Names of special tokens stand for them.

An end is searched through the matcher, a closing bracket, a key or a special token at a time:
breadth first, and where no two texts are alike, as in an array of unique texts of a pattern, by
random walks.

Example: after ``{"a": [1`` the end is ``]}``.

Limits: an end is searched with a bounded number of steps in all.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

import numpy as np

from maskc.artifact.sections import is_link
from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link.joining.switching import ATOM
from maskc.runtime.link.plan.opening import read_link
from maskc.runtime.link.plan.replies import names_of
from maskc.runtime.matcher import Matcher
from maskc.verify.json_layout import BlankLayout, lay_out

Part = bytes | int  # of a text: bytes, or a special token

MOST_STEPS = 100_000  # tried for one end: a few seconds
_MOST_SEARCHED = 3_000  # configurations, until something is nearer to the end
_MOST_PARTS = 1_000  # of an end
_WALKS, _WALK_STEPS = 8, 200
_MOST_WORDS = 100

_QUOTE, _BACKSLASH = b'"', 0x5C
_CLOSES = (b"}", b"]", b">")
_BYTES = (_QUOTE, *(bytes([byte]) for byte in range(0x20, 0x7F)))
_INSIDE = tuple(bytes([byte]) for byte in range(0x80, 0x100))
_OPENS = frozenset(b"{[")
_UNLIKELY = ((frozenset(range(0x7F, 0x100)), 0.95), (frozenset(b"\\"), 0.9))
_BLANKS, _NUMBER = frozenset(b" \t\r\n"), frozenset(b"0123456789.eE+-,}] \t\r\n")


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text that was drawn."""

    text: str
    n_tokens: int  # drawn, and bytes added to reach the end; or lexemes, if drawn by the rules
    problem: str | None = None  # why it has no end, None if it has one
    n_retries: int = 0  # how often something was drawn or searched again
    rules: frozenset[int] = frozenset()  # numbers of those that it was made with

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "tokens": self.n_tokens, "problem": self.problem}


class TokenDrawer:
    """Draws legal tokens of one artifact: a first byte, then a token that begins with it.

    Escapes, blanks and what is not ASCII are rare, and most numbers are short.
    """

    def __init__(
        self, artifact: Artifact, named: Iterable[int] = (), *, likely_without_blanks: float = 0.9
    ) -> None:
        self._artifact, self._named = artifact, sorted(named)
        self._unlikely = (*_UNLIKELY, (_BLANKS, likely_without_blanks))
        self._bitmask = allocate_bitmask(1, artifact.vocab_size)

    def draw(self, matcher: Matcher, draw: Random, last: Part) -> int | None:
        """Return a legal token that does not end the text, ``None`` if there is none.

        ``last`` is what was written before it. A special token without a name cannot be told in a
        text.
        """
        artifact = self._artifact
        matcher.fill_bitmask(self._bitmask, 0)
        bits = np.unpackbits(self._bitmask[0].view(np.uint8), bitorder="little")
        bits[list(artifact.eos_ids)] = 0
        legal = np.flatnonzero(bits)
        first = artifact.first_bytes[legal]
        named = [token for token in self._named if bits[token]]
        groups = sorted({*first[first >= 0].tolist(), *([-1] if named else [])})
        if not groups:
            return None
        for unlikely, share in self._unlikely:
            kept = [group for group in groups if group not in unlikely]
            if kept and draw.random() < share:
                groups = kept
        if isinstance(last, bytes) and last[-1:].isdigit() and _NUMBER.issuperset(groups):
            groups = _shorten_number(draw, groups)
        group = draw.choice(groups)
        return int(draw.choice(named if group < 0 else legal[first == group].tolist()))


class MaskDrawer:
    """Draws texts from the masks of one artifact."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact, self._is_link = artifact, is_link(artifact.header)
        self._names = {token: name for name, token in names_of(artifact.header).items()}
        self._triggers: list[list[Part]] = []
        if self._is_link:
            tag = json.loads(artifact.contents.arrays["link_source"].tobytes())
            self._hints = (*_list_words(artifact), *list_keys(tag, ": "))
            for text in read_link(artifact.contents).texts:
                self._triggers += [
                    [bytes([symbol]) if symbol < ATOM else symbol - ATOM for symbol in word]
                    for word in text.triggers
                ]
        else:
            self._hints = list_keys(json.loads(artifact.header["grammar"]["text"]))
        blanks = 0.9 if self._is_link else 1  # of a schema, who lays texts out adds them
        self._tokens = TokenDrawer(artifact, self._names, likely_without_blanks=blanks)

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        """Return a text that depends on nothing but these numbers.

        After at most ``max_tokens`` tokens it is brought to its end.
        """
        draw = Random(f"{seed}:{number}")
        matcher, written = self._artifact.matcher(), list[Part]()
        for _ in range(draw.randint(1, max_tokens)):
            if matcher.is_accepting and draw.random() < 0.15:
                break
            if self._triggers and draw.random() < 0.15:
                trigger = draw.choice(self._triggers)
                if _take(matcher.fork(), trigger):
                    _take(matcher, trigger)
                    written += trigger
            token = self._tokens.draw(matcher, draw, written[-1] if written else b"")
            if token is None:
                break
            matcher.accept_token(token)
            written.append(self._artifact.token_bytes(token) or token)
        end = self.find_end(matcher, join_parts(written))
        parts = [*written, *(end or [])]
        problem = "no end was found within the search" if end is None else None
        return GeneratedText(self._spell(parts), len(parts), problem)

    def find_end(
        self, matcher: Matcher, text: bytes, most_steps: int = MOST_STEPS
    ) -> list[Part] | None:
        """Return what finishes a text, ``None`` if it is too far away.

        Args:
            matcher: where the text stands; not moved.
            text: what was read.
            most_steps: how much may be tried.
        """
        search, found, here = _Search(most_steps), list[Part](), matcher.fork()
        seen = {here.configuration()}
        while not here.is_accepting:
            forced = here.forced_bytes()
            if forced:
                here.accept_bytes(forced)
                found.append(forced)
                continue
            in_text = self._is_in_text(here, text + join_parts(found))
            ends = [token for token in self._names if token not in self._artifact.ends]
            steps: tuple[Part, ...] = (*sorted(ends), *_CLOSES, *self._hints, *_BYTES)
            path = search.find(here, steps, partial(_is_nearer, in_text, seen))
            if path is None or len(found) > _MOST_PARTS:
                return None
            _take(here, path)
            found += path
            seen.add(here.configuration())
        return found

    def _is_in_text(self, here: Matcher, text: bytes) -> bool:
        return here.fork().accept_bytes(b"a_") if self._is_link else is_in_string(text)

    def _spell(self, written: list[Part]) -> str:
        parts = (p if isinstance(p, bytes) else self._names.get(p, "").encode() for p in written)
        return b"".join(parts).decode(errors="replace")


class SchemaDrawer(MaskDrawer):
    """Draws texts of a JSON Schema, each in a layout drawn for it where that is legal."""

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        drawn = super().draw_text(seed, number, max_tokens)
        layout = Random(f"{seed}:{number}:layout").choice(list(BlankLayout))
        laid_out = lay_out(drawn.text, layout) if drawn.problem is None else drawn.text
        matcher = self._artifact.matcher()
        is_legal = matcher.accept_bytes(laid_out.encode()) and matcher.is_accepting
        return replace(drawn, text=laid_out) if is_legal else drawn


def join_parts(written: list[Part]) -> bytes:
    """Return the bytes of a text, without its special tokens."""
    return b"".join(part for part in written if isinstance(part, bytes))


def _take(matcher: Matcher, parts: list[Part]) -> bool:
    """Take parts of a text one after the other; return whether all were legal."""
    return all(
        matcher.accept_bytes(part) if isinstance(part, bytes) else matcher.accept_token(part)
        for part in parts
    )


def _is_nearer(in_text: bool, seen: set[object], step: Part, after: Matcher) -> bool:  # noqa: FBT001
    """Return whether a step brings the end nearer: it closes something, or is a word or token.

    A word that opens a bracket can be a value inside of values, without an end.
    """
    closes = step == _QUOTE or (step in _CLOSES and not in_text)
    is_whole = isinstance(step, int) or (len(step) > 1 and not _OPENS.intersection(step))
    return (closes or is_whole) and after.configuration() not in seen


def _shorten_number(draw: Random, groups: list[int]) -> list[int]:
    """Return the bytes to choose from: most numbers are short and have no exponent."""
    ends = [byte for byte in groups if byte in b",}]"]
    if ends and draw.random() < 0.3:
        return ends
    plain = [byte for byte in groups if byte not in b"eE"]
    return plain if plain and draw.random() < 0.95 else groups


def is_in_string(text: bytes) -> bool:
    """Return whether a string is open at the end of the beginning of a JSON text."""
    is_open = is_escaped = False
    for byte in text:
        if is_escaped:
            is_escaped = False
        elif byte == _QUOTE[0]:
            is_open = not is_open
        else:
            is_escaped = is_open and byte == _BACKSLASH
    return is_open


def list_keys(schema: object, colon: str = ":") -> tuple[bytes, ...]:
    """Return keys that an end may need, as they are written: those that some object must have.

    After them come others that the schema names.
    """
    required: dict[object, None] = {}
    named: dict[object, None] = {}
    worklist = [schema]
    while worklist:
        here: Any = worklist.pop()
        if isinstance(here, dict):
            lists = [here.get("required")]
            for keyword in ("dependentRequired", "dependencies", "dependentSchemas"):
                inner = here.get(keyword)
                if isinstance(inner, dict):
                    lists += inner.values()
                    named |= dict.fromkeys(inner)
            required |= {name: None for part in lists if isinstance(part, list) for name in part}
            properties = here.get("properties")
            named |= dict.fromkeys(properties if isinstance(properties, dict) else ())
            worklist += here.values()
        elif isinstance(here, list):
            worklist += here
    names = [name for name in (required | named) if isinstance(name, str)]
    return tuple(f"{json.dumps(name)}{colon}".encode() for name in names[:_MOST_WORDS])


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
    return [word for word in found if len(word) > 1][:_MOST_WORDS]


class _Search:
    """Searches for the parts of one end, within as many steps in all."""

    def __init__(self, most_steps: int) -> None:
        self._n_left = most_steps

    def find(
        self, here: Matcher, steps: tuple[Part, ...], is_nearer: Callable[[Part, Matcher], bool]
    ) -> list[Part] | None:
        """Return parts that may end the text or whose last step brings it nearer."""
        found = self._search_broadly(here, steps, is_nearer)
        walks = (self._walk(here, steps, is_nearer, Random(number)) for number in range(_WALKS))
        return found if found is not None else next((walk for walk in walks if walk), None)

    def _search_broadly(
        self, here: Matcher, steps: tuple[Part, ...], is_nearer: Callable[[Part, Matcher], bool]
    ) -> list[Part] | None:
        """Return the shortest such parts, ``None`` if too many others are as short."""
        seen = {here.configuration()}
        worklist: deque[tuple[Matcher, list[Part]]] = deque([(here, [])])
        while worklist and len(seen) < _MOST_SEARCHED:
            matcher, parts = worklist.popleft()
            for step, after in self._legal(matcher, steps):
                if after.is_accepting or is_nearer(step, after):
                    return [*parts, step]
                key = after.configuration()
                if key not in seen:
                    seen.add(key)
                    worklist.append((after, [*parts, step]))
        return None

    def _walk(
        self,
        here: Matcher,
        steps: tuple[Part, ...],
        is_nearer: Callable[[Part, Matcher], bool],
        draw: Random,
    ) -> list[Part] | None:
        """Return such parts, drawn one after the other: nothing legal is a dead end."""
        parts = list[Part]()
        for _ in range(_WALK_STEPS):
            legal = list(self._legal(here, steps))
            for step, after in legal:
                if after.is_accepting or is_nearer(step, after):
                    return [*parts, step]
            if not legal:
                return None
            step, here = draw.choice(legal)
            parts.append(step)
        return None

    def _legal(self, matcher: Matcher, steps: tuple[Part, ...]) -> Iterator[tuple[Part, Matcher]]:
        """Yield the steps that may come next, and what is after each; none if all are spent.

        Of the bytes inside a character only the first one is, and only if nothing else may come.
        """
        n_legal = 0
        for step in (*steps, *_INSIDE):
            if n_legal and step in _INSIDE or not self._n_left:
                break
            self._n_left -= 1
            after = matcher.fork()
            if _take(after, [step]):
                n_legal += 1
                yield step, after
