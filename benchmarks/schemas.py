"""Generated JSON Schemas as requests bring them, each with a value that fits."""

from __future__ import annotations

import random
from typing import Any

_WORDS = (
    *("id", "name", "title", "price", "tags", "created", "owner", "status", "items", "address"),
    *("city", "street", "unit", "count", "email", "total", "notes", "kind", "active", "parent"),
)
_DEPTH = 3


def generate_schemas(n: int) -> list[tuple[Any, Any]]:
    """Return as many schemas as are wanted, all different, each with a value."""
    draw = random.Random(17)
    return [_draw_object(draw, _DEPTH) for _ in range(n)]


def _draw(draw: random.Random, depth: int) -> tuple[Any, Any]:
    kind = draw.randrange(9 if depth else 6)
    if kind == 0:
        return {"type": "string"}, _write(draw)
    if kind == 1:
        words = draw.sample(_WORDS, draw.randint(2, 6))
        return {"enum": words}, draw.choice(words)
    if kind == 2:
        low = draw.randrange(100)
        return {"type": "integer", "minimum": low}, low + draw.randrange(1_000)
    if kind == 3:
        return {"type": "number"}, round(draw.uniform(-1_000, 1_000), draw.randint(0, 3))
    if kind == 4:
        return {"type": ["boolean", "null"]}, draw.choice([True, False, None])
    if kind == 5:
        most = draw.randint(10, 60)
        return {"type": "string", "maxLength": most}, _write(draw)[:most]
    if kind == 6:
        items = [_draw(draw, depth - 1)]
        schema, value = items[0]
        return {"type": "array", "items": schema}, [value] * draw.randint(1, 3)
    if kind == 7:
        schema, value = _draw(draw, depth - 1)
        keys = draw.sample(_WORDS, draw.randint(1, 3))
        return {"type": "object", "additionalProperties": schema}, dict.fromkeys(keys, value)
    return _draw_object(draw, depth - 1)


def _draw_object(draw: random.Random, depth: int) -> tuple[Any, Any]:
    names = [f"{word}_{draw.randrange(100)}" for word in draw.sample(_WORDS, draw.randint(2, 6))]
    members = {name: _draw(draw, depth) for name in names}
    schema = {
        "type": "object",
        "properties": {name: inner for name, (inner, _) in members.items()},
        "required": names[: draw.randint(0, len(names))],
        "additionalProperties": draw.random() < 0.5,
    }
    return schema, {name: value for name, (_, value) in members.items()}


def _write(draw: random.Random) -> str:
    return " ".join(draw.choice(_WORDS) for _ in range(draw.randint(1, 6)))
