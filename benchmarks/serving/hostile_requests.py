"""Requests that no honest client sends: endless, deep, huge, contradictory, broken, random.

A quarter of them are made to hurt; the others are honest ones with some characters changed, or
JSON that is drawn at random in the index of a schema. They are drawn by a seed, so that one can be
drawn again.

Example: ``draw_hostile(random.Random(0))`` is the ``structured_outputs`` of a request.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

_WORDS = (
    *("type", "properties", "items", "enum", "const", "anyOf", "allOf", "oneOf", "not", "$ref"),
    *("pattern", "minLength", "maxItems", "required", "additionalProperties", "multipleOf"),
    *("string", "object", "array", "integer", "#", "#/$defs/a", "$defs", "uniqueItems", "format"),
)
_SCHEMAS: tuple[Any, ...] = (
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"pattern": "^a+b?$"}]}},
    {"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}}},
    {"type": "string", "format": "date-time", "maxLength": 40},
    {"allOf": [{"minimum": 3}, {"multipleOf": 0.5}], "not": {"const": 4}},
)
_GRAMMARS = (
    'root ::= "a" item{2,5} (=[b])\nitem ::= [a-z]+ | "(" root ")"\n',
    'start: "a" (item | NUMBER)* \nitem: "(" start ")"\nNUMBER: /[0-9]+/\n%ignore " "\n',
    'root ::= pair ("," pair){0,-1}\npair ::= [^"\\\\]* "=" ("x" | "y")\n',
)
_PATTERNS = (r"(?:[a-z]+\.)*[a-z]{2,6}", r"(?=.*\d)[a-z\d]{8,}", r"\d{4}-\d\d(?:T\d\d)?")
_TAGS: tuple[Any, ...] = (
    {
        "type": "triggered_tags",
        "triggers": ["<f"],
        "tags": [{"type": "tag", "begin": "<f>", "content": {"type": "any_text"}, "end": "</f>"}],
    },
    {"type": "repeat", "min": 1, "max": 3, "content": {"type": "regex", "pattern": "a+"}},
)


def draw_hostile(draw: random.Random) -> dict[str, Any]:
    """Return the ``structured_outputs`` of a request."""
    kinds = (_draw_endless, _draw_changed, _draw_changed, _draw_random)
    return draw.choice(kinds)(draw)


def _draw_endless(draw: random.Random) -> dict[str, Any]:
    n = draw.choice([3, 30, 300])
    deep = '{"items":' * (30 * n) + "true" + "}" * (30 * n)
    tag: Any = {"type": "any_text"}
    for _ in range(n):
        tag = (
            {"type": "sequence", "elements": [tag, tag]}
            if n == 3
            else {"type": "star", "content": tag}
        )
    kinds: list[dict[str, Any]] = [
        {"json": {"enum": [draw.random() for _ in range(100 * n)]}},
        {"json": {"not": {"oneOf": [{"pattern": f"a{{{k},{n}}}"} for k in range(n)]}}},
        {"json": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}},
        {"json": {"allOf": [{"multipleOf": draw.random()} for _ in range(n)]}},
        {"json": deep},
        {"regex": f"((a{{1,{n}}}){{1,{n}}}){{1,{n}}}"},
        {"regex": "(a|b)*a(a|b){" + str(n) + "}"},
        {"choice": ["x" * n for _ in range(n)] + [""]},
        {"grammar": "root ::= " + "(" * n + '"a"' + ")*" * n},
        {"grammar": "root ::= root root | root"},
        {"grammar": "start: " + " | ".join(f'"{k}" start "{k}"' for k in range(n)) + ' | "x"'},
        {"structural_tag": json.dumps({"type": "structural_tag", "format": tag})},
    ]
    return draw.choice(kinds)


def _draw_changed(draw: random.Random) -> dict[str, Any]:
    def tag() -> str:
        return json.dumps({"type": "structural_tag", "format": draw.choice(_TAGS)})

    makers: dict[str, Callable[[], str]] = {
        "json": lambda: json.dumps(draw.choice(_SCHEMAS)),
        "regex": lambda: draw.choice(_PATTERNS),
        "grammar": lambda: draw.choice(_GRAMMARS),
        "structural_tag": tag,
    }
    kind = draw.choice(sorted(makers))
    text = list(makers[kind]())
    for _ in range(draw.randint(1, 4)):
        index = draw.randrange(len(text))
        piece = "".join(draw.choices('{}[]()":,|*+?\\/^$019aé\n', k=draw.randint(0, 3)))
        text[index : index + draw.randint(0, 3)] = draw.choice([piece, piece, draw.choice(_WORDS)])
    return {kind: "".join(text) or " "}


def _draw_random(draw: random.Random) -> dict[str, Any]:
    found = _draw_json(draw, 5)
    if draw.random() < 0.3:
        return {"structural_tag": json.dumps({"type": "structural_tag", "format": found})}
    return {"json": json.dumps(found)}


def _draw_json(draw: random.Random, depth: int) -> Any:
    kind = draw.randrange(3 if depth else 1)
    if not kind:
        return draw.choice([*_WORDS, True, False, None, 0, -1, 2, 1e300, 0.1, 10**30, "a+", "é"])
    n = draw.randint(0, 4)
    if kind == 1:
        return [_draw_json(draw, depth - 1) for _ in range(n)]
    return {draw.choice(_WORDS): _draw_json(draw, depth - 1) for _ in range(n)}
