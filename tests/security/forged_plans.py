"""Plans of JSON Schemas and of links that somebody forged: parts of the JSON exchanged for others.

A plan is a text in one array of bytes: a byte that is changed there mostly makes it no JSON at all.
So :func:`change_plan` changes the plan's own numbers, texts and lists.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from maskc.artifact.container import encode
from maskc.jsonschema.compiling import compile_schema
from maskc.kit.artifacts import compile_structural_tag, compile_tools
from maskc.limits import Limits
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab.vocabulary import Vocabulary

SCHEMA = {
    "properties": {
        "a": {"type": ["integer", "null"], "minimum": -3, "maximum": 30, "multipleOf": 3},
        "b": {"items": {"enum": [1, "x", None, [2]]}, "uniqueItems": True, "minItems": 1},
        "c": {"type": "string", "pattern": "^a+b?$", "maxLength": 9},
        "e": {"type": "string", "minLength": 2, "maxLength": 5},
        "f": {"type": "number", "exclusiveMinimum": 0.5, "not": {"const": 2}},
    },
    "patternProperties": {"^d": {"contains": {"type": "null"}, "maxContains": 2}},
    "additionalProperties": {"items": {"type": "string"}, "uniqueItems": True},
    "required": ["a"],
    "maxProperties": 6,
    "not": {"required": ["c", "e"]},
}
TOKENS = (
    *(bytes([b]) for b in b'[]{},:" -.e0123abcdefx\\u\n\t'),
    *(b'"a"', b'"a":', b'": ', b'", "', b'"b":[', b"null", b"true", b"12", b"30", b"1e", b"0.5"),
    *(b"[1,", b'"x"', b'],"', b"}}", b"]]", b"aa", b'ab"', b"\\u00", b"\xc3", b"\xc3\xa9", b"{}"),
)
LAYOUTS = {
    "schema": JsonLayout(),
    "schema, ordered": JsonLayout("schema", "compact", "minimal", "plain"),
}
MADE_UP: tuple[Any, ...] = (
    *(-1, 0, 1, 2, 7, 255, 1 << 20, (1 << 31) - 1, (1 << 40) - 1, 1 << 64, 1.5),
    *(None, True, "", "x", "1/0", "f" * 500 + "/1", "1/" + "f" * 500, "-a/3", "1e999999999"),
    *([], {}, [0], [0, 1], [[0, 0]], [[0, [0, 0]]], ["1", 0], [[]] * 6),
)


def compile_schemas(schema: Any = SCHEMA) -> dict[str, bytes]:
    """Return artifacts of a schema, as files, by the name of their layout."""
    vocabulary = Vocabulary(tokens=(*TOKENS, None), eos_ids=(len(TOKENS),), name="test")
    made = {}
    for name, layout in LAYOUTS.items():
        contents = compile_schema(schema, vocabulary, layout=layout)
        made[name] = encode(contents.header, contents.arrays)
    return made


# Every kind of node: texts, switches, free and limited text, tokens, patterns, grammars, schemas.
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "sequence",
        "elements": [
            {"type": "any_text", "excludes": ["a["], "max_tokens": 3, "max_chars": 9},
            {"type": "const_string", "value": "["},
            {
                "type": "or",
                "elements": [
                    {"type": "regex", "pattern": "a{1,3}b|é"},
                    {"type": "grammar", "grammar": 'root ::= "{" root? "}"'},
                ],
            },
            {
                "type": "repeat",
                "min": 1,
                "max": 9,
                "content": {"type": "exclude_token", "exclude_tokens": ["[S]", "x"]},
            },
            {"type": "optional", "content": {"type": "token", "token": "[S]"}},
            {
                "type": "triggered_tags",
                "triggers": ["e[", "[S]", ":"],
                "excludes": ["null"],
                "tags": [
                    {
                        "type": "tag",
                        "begin": "e[a",
                        "end": ["]", ""],
                        "content": {"type": "json_schema", "json_schema": SCHEMA},
                    },
                    {
                        "type": "tag",
                        "begin": "[S]",
                        "end": {"type": "token", "token": 7},
                        "content": {"type": "any_text"},
                    },
                ],
            },
        ],
    },
}
NESTED = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "pattern": "^a+b?$", "maxLength": 3},
        "b": {"type": "array", "items": {}},
        "c": {"type": ["integer", "string"]},
    },
    "required": ["a"],
}
TEXTS = {"type": "array", "items": {"type": "string"}}
FLAT = {**NESTED, "properties": {**NESTED["properties"], "b": TEXTS}}


def compile_links() -> dict[str, bytes]:
    """Return artifacts of a tag and of tools, as files."""
    n = len(TOKENS)
    vocabulary = Vocabulary((*TOKENS, None, None), (n,), "test", {"[S]": n + 1})
    tools = [{"type": "function", "function": {"name": "f", "parameters": NESTED}}]
    flat = [{"type": "function", "function": {"name": "f", "parameters": FLAT}}]
    made = {
        "tag": compile_structural_tag(TAG, vocabulary, limits=Limits()),
        "tools": compile_tools(tools, vocabulary, family="cohere", limits=Limits()),
        "quoted": compile_tools(tools, vocabulary, family="pythonic", limits=Limits()),
        "separated": compile_tools(flat, vocabulary, family="gemma_4", limits=Limits()),
    }
    return {name: encode(found.header, found.arrays) for name, found in made.items()}


def change_plan(plan: np.ndarray, changes: list[tuple[int, int]]) -> tuple[np.ndarray, list[str]]:
    """Return another plan, and what was changed.

    Args:
        plan: uint8[n], JSON.
        changes: of each the number of an entry, and of what comes there: one of ``MADE_UP``, an
            integer from 0 on, or what stands in another entry. Too large a number begins anew.
    """
    try:
        changed = json.loads(plan.tobytes())
    except (ValueError, RecursionError):
        return plan, ["nothing: its bytes are no JSON any more"]
    told = []
    for number, value in changes:
        entries = list(_list_entries(changed))
        holder, key = entries[number % len(entries)]
        new = _choose(value, entries)
        told.append(f"{key!r} of {str(holder)[:40]}: {str(new)[:40]}")
        holder[key] = new
    text = json.dumps(changed, separators=(",", ":"), sort_keys=True)
    return np.frombuffer(text.encode(), dtype=np.uint8).copy(), told


def _choose(value: int, entries: list[tuple[Any, Any]]) -> Any:
    value %= 3 * 256
    if value < 256:
        new = MADE_UP[value % len(MADE_UP)]
    elif value < 512:
        new = value - 256
    else:
        holder, key = entries[(value * 7919) % len(entries)]
        new = holder[key]
    return json.loads(json.dumps(new))  # a copy: nothing holds itself


def _list_entries(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _list_entries(value[key])
