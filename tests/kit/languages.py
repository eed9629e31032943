"""Random constraints beside the finite sets of texts that they stand for, told apart by nobody.

The texts of a piece are listed here by other means than the kit's: all texts over a small alphabet
that ``re`` takes, every way to write a JSON value, the words of a grammar by hand. Those of a
sequence, a choice and a repetition are put together of them.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from typing import Any

from maskc.kit.constraint import Constraint
from maskc.kit.kit import Kit

Language = frozenset[str]

MOST_TEXTS = 2_000
_ALPHABET = 'ab!"'
_SHORT = ["".join(t) for n in range(5) for t in itertools.product(_ALPHABET, repeat=n)]
_GRAMMARS: tuple[tuple[str, Language], ...] = (
    ('start: "a" "b"? "!"\n', frozenset(["ab!", "a!"])),
    ("start: X X\nX: /a{1,2}(?=!|$)|b/\n", frozenset(["bb", "ba", "baa"])),
    ('start: "(" start? ")" | "a"\n', frozenset()),
)
_VALUES: tuple[Any, ...] = (
    True,
    None,
    "a",
    'b"',
    ["a", True],
    {"a": None, "b": True},
    {"a": {"b": "a"}},
    [],
)


class _TooManyError(Exception):
    """A language has too many texts to look at."""


def _write(value: Any) -> Iterator[str]:
    """Yield every text of a value: compact, with the fewest escapes."""
    if isinstance(value, list):
        for items in itertools.product(*(list(_write(item)) for item in value)):
            yield f"[{','.join(items)}]"
    elif isinstance(value, dict):
        for keys in itertools.permutations(value):
            members = [[f"{json.dumps(k)}:{text}" for text in _write(value[k])] for k in keys]
            for chosen in itertools.product(*members):
                yield f"{{{','.join(chosen)}}}"
    else:
        yield json.dumps(value)


def _draw_pattern(draw: random.Random, depth: int = 2) -> str:
    kind = draw.randrange(6) if depth else 0
    if kind == 0:
        return draw.choice(["a", "b", "!", '"', "[ab]", "[^a]", "ab", "(?=a)[ab]", "a(?!a)"])
    if kind in (1, 2):
        return _draw_pattern(draw, depth - 1) + _draw_pattern(draw, depth - 1)
    if kind in (3, 4):
        return f"(?:{_draw_pattern(draw, depth - 1)}|{_draw_pattern(draw, depth - 1)})"
    return f"(?:{_draw_pattern(draw, depth - 1)}){draw.choice(['?', '{1,2}', '{0,2}?'])}"


def draw_piece(draw: random.Random, kit: Kit) -> tuple[Constraint, Language]:
    """Return a piece and its texts; texts that are too long or too many make it another one."""
    while True:
        kind = draw.randrange(4)
        if kind == 0:
            words = draw.sample(_SHORT[:85], draw.randint(1, 4))
            return kit.choice(words), frozenset(words)
        if kind == 1:
            pattern = _draw_pattern(draw)
            # Of [^a] those texts are taken that the alphabet has; others are not looked at.
            texts = frozenset(text for text in _SHORT if re.fullmatch(pattern, text))
            if "[^a]" not in pattern and texts and re.fullmatch(f"(?:{pattern}){{2}}", "") is None:
                return kit.regex(pattern), texts
        elif kind == 2:
            values = draw.sample(_VALUES, draw.randint(1, 3))
            layout = {"blanks": "compact", "escapes": "minimal"}
            if draw.random() < 0.3:
                schema: Any = {
                    "type": "array",
                    "items": {"enum": ["a", True, None]},
                    "uniqueItems": True,
                    "maxItems": 2,
                }
                values = [
                    list(v) for n in range(3) for v in itertools.permutations(["a", True, None], n)
                ]
            else:
                schema = {"enum": values}
            language = frozenset(text for value in values for text in _write(value))
            return kit.json_schema(schema, **layout), language
        else:
            text, language = draw.choice(_GRAMMARS[:2])
            return kit.lark(text), language


def draw_constraint(draw: random.Random, kit: Kit, depth: int = 3) -> tuple[Constraint, Language]:
    """Return a random constraint and its texts."""
    while True:
        try:
            constraint, language = _draw(draw, kit, depth)
        except _TooManyError:
            continue
        if 0 < len(language) <= MOST_TEXTS:
            return constraint, language


def _draw(draw: random.Random, kit: Kit, depth: int) -> tuple[Constraint, Language]:
    kind = draw.randrange(5) if depth else 0
    if kind < 2:
        return draw_piece(draw, kit)
    if kind == 4:
        part, texts = draw_constraint(draw, kit, depth - 1)
        low = draw.randint(0, 2)
        high = draw.randint(max(low, 1), 3)
        return kit.repeat(part, low, high), _repeat(texts, low, high)
    parts = [draw_constraint(draw, kit, depth - 1) for _ in range(draw.randint(1, 3))]
    constraints, languages = [c for c, _ in parts], [language for _, language in parts]
    if kind == 2:
        return kit.sequence(*constraints), _join(languages)
    return kit.one_of(*constraints), frozenset().union(*languages)


def _join(languages: list[Language]) -> Language:
    found = frozenset([""])
    for language in languages:
        if len(found) * len(language) > 20 * MOST_TEXTS:
            raise _TooManyError
        found = frozenset(a + b for a in found for b in language)
    return found


def _repeat(texts: Language, low: int, high: int) -> Language:
    found: Language = frozenset()
    for n in range(low, high + 1):
        found |= _join([texts] * n)
    return found
