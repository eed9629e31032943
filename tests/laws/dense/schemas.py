"""JSON Schemas of the dense laws."""

import itertools
from collections.abc import Iterable
from typing import Any

from maskc.runtime.schema.plan import JsonLayout
from tests.laws.dense.making import schemas


def objects(keys: Iterable[str], values: Iterable[Any], most: int) -> list[dict[str, Any]]:
    """Return every object of up to so many of the keys, in any order, with each of the values."""
    found: list[dict[str, Any]] = [{}]
    level: list[dict[str, Any]] = [{}]
    some, listed = tuple(keys), tuple(values)
    for _ in range(most):
        level = [{**o, k: v} for o in level for k in some if k not in o for v in listed]
        found += level
    return found


def arrays(values: Iterable[Any], most: int) -> list[list[Any]]:
    """Return every array of up to so many of the values."""
    listed = tuple(values)
    return [list(items) for n in range(most + 1) for items in itertools.product(listed, repeat=n)]


def _gap(depth: int) -> str:
    """Return the pattern of blanks where so many brackets are open, of the layout `bounded`."""
    return f" {{0,8}}(?:\\n {{0,{8 * depth}}})?"


def _spaced(signs: str) -> str:
    """Return the pattern of a pattern's signs with up to two spaces around each."""
    quoted = (f"\\{sign}" if sign in "[]" else sign for sign in signs)
    return " {0,2}" + "".join(f"{sign} {{0,2}}" if sign not in "(|)?" else sign for sign in quoted)


# A key that is not `cc` and does not begin with `e`.
OTHER = r'(?:c|c[^c"\\][^"\\]*|cc[^"\\]+|[^ec"\\][^"\\]*)'

SCHEMAS = [
    *schemas(
        "a key that must come, and another that may",
        '{}"ce:,',
        {
            "type": "object",
            "properties": {"cc": {"const": ""}},
            "required": ["cc"],
            "additionalProperties": {"const": ""},
            "maxProperties": 2,
            "propertyNames": {"pattern": "^[^e]"},
        },
        values=objects(["cc", "c", "ce", "ec", "ccc", ","], ["", "c"], 2),
        pattern=rf'\{{"(?:cc":""(?:,"{OTHER}":"")?|{OTHER}":"","cc":"")\}}',
        longest=3,
        is_linked=True,
    ),
    *schemas(
        "items that differ",
        '[],"a',
        {"type": "array", "items": {"enum": ["", "a", "aa", []]}, "uniqueItems": True},
        values=arrays(["", "a", "aa", []], 4),
        are_all=True,
        more=['["a","aa",""]', '["a","","aa"]'],
        is_linked=True,
    ),
    *schemas(
        "numbers in a range",
        "-0.13",
        {"type": "number", "minimum": -1.1, "exclusiveMaximum": 31, "multipleOf": 0.1},
        n=4,
        layout=JsonLayout(numbers="plain"),
        is_linked=True,
    ),
    *schemas("integers", "-013", {"type": "integer", "minimum": -13, "maximum": 101}, n=4),
    *schemas(
        "strings of few characters",
        'aé"',
        {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a|é$"},
        n=6,
    ),
    *schemas(
        "one key or the other",
        '{}"ab:,',
        {
            "type": "object",
            "properties": {"a": {"enum": ["", "a"]}, "b": {"const": "b"}, "ab": {"const": ""}},
            "additionalProperties": False,
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            "dependentRequired": {"ab": ["a"]},
        },
        values=objects(["a", "b", "ab"], ["", "a", "b"], 3),
        are_all=True,
        is_linked=True,
    ),
    *schemas(
        "an item that must be there",
        '[],"a',
        {
            "type": "array",
            "items": {"enum": ["", "a", [], ["a"]]},
            "contains": {"type": "array"},
            "maxContains": 1,
            "maxItems": 3,
        },
        values=arrays(["", "a", [], ["a"]], 3),
        are_all=True,
    ),
    *schemas(
        "integers between bounds that are none of them",
        "-0134",
        {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 30},
        n=3,
        pattern="[4-9]|[12][0-9]",
        layout=JsonLayout(numbers="digits"),
    ),
    *schemas(
        "two keys, of which one is needed",
        ("{", "}", '"', '":""', "a", "b", ","),
        {
            "type": "object",
            "properties": {"a": {"const": ""}, "b": {"const": ""}},
            "required": ["b"],
            "additionalProperties": False,
        },
        values=objects(["a", "b"], [""], 2),
        are_all=True,
        more=['{"a":"","b":""}', '{"b":"","a":""}'],
        longest=3,
    ),
    *schemas(
        "numbers above a bound",
        "-0.34",
        {"type": "number", "exclusiveMinimum": 3},
        n=3,
        layout=JsonLayout(numbers="plain"),
    ),
    *schemas(
        "characters of three bytes",
        'aࠀ"',
        {"type": "string", "pattern": '^[^a"]{1,2}a$'},
        n=5,
        pattern=r'"[^a"\\\x00-\x1f]{1,2}a"',
    ),
    *schemas(
        "arrays that differ",
        '[],"a',
        {
            "type": "array",
            "items": {"type": "array", "items": {"const": "a"}, "maxItems": 2},
            "uniqueItems": True,
        },
        values=arrays([[], ["a"], ["a", "a"]], 3),
        are_all=True,
        more=['[["a"],["a","a"],[]]', '[[],["a","a"],["a"]]'],
    ),
    *schemas(
        "pairs that differ",
        '[],"a',
        {
            "type": "array",
            "items": {"type": "array", "items": {"enum": ["", "a"]}, "minItems": 2, "maxItems": 2},
            "uniqueItems": True,
            "maxItems": 3,
        },
        values=arrays([[a, b] for a in ("", "a") for b in ("", "a")], 3),
        are_all=True,
        more=['[["a",""],["a","a"],["",""]]', '[["",""],["","a"],["a",""]]'],
    ),
    *schemas(
        "objects that differ, and need a key",
        ("[", "]", "{", "}", '"', '":""', "a", "b", ","),
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"a": {"const": ""}, "b": {"const": ""}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "uniqueItems": True,
        },
        values=arrays(objects(["a", "b"], [""], 2), 2),
        are_all=True,
        more=['[{"a":"","b":""},{"a":""}]', '[{"a":""},{"b":"","a":""}]'],
        longest=3,
    ),
    *schemas(
        "objects that differ",
        '[]{}"a:,',
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"a": {"enum": ["", "a"]}},
                "additionalProperties": False,
            },
            "uniqueItems": True,
        },
        values=arrays([{}, {"a": ""}, {"a": "a"}], 3),
        are_all=True,
        longest=3,
        is_linked=True,
    ),
    *schemas(
        "objects whose keys run out",
        '[]{}"ab:,',
        {
            "type": "array",
            "items": {
                "type": "object",
                "patternProperties": {"^[ab]$": {"const": ""}},
                "additionalProperties": False,
            },
            "uniqueItems": True,
        },
        values=arrays(objects(["a", "b"], [""], 2), 4),
        are_all=True,
        more=['[{"a":"","b":""},{"a":""},{"b":""}]'],
        longest=3,
    ),
    *schemas(
        "blanks by the brackets that are open",
        ("[", "]", " ", "    ", "\n"),
        {"type": "array", "items": {"const": []}, "maxItems": 1},
        values=[[], [[]]],
        pattern=f"{_gap(0)}\\[{_gap(1)}(?:\\[{_gap(2)}\\]{_gap(1)})?\\]{_gap(0)}",
        more=["        [       \n        [  \n               ]    \n       ]\n"],
        layout=JsonLayout(escapes="minimal"),
        is_linked=True,
    ),
    *schemas(
        "a few blanks in each gap",
        "[] \n",
        {"type": "array", "items": {"const": []}, "maxItems": 1},
        n=5,
        pattern=r"[ \n]{0,3}\[[ \n]{0,3}(?:\[[ \n]{0,3}\][ \n]{0,3})?\][ \n]{0,3}",
        more=["  \n[  [   ]\n\n]   "],
        layout=JsonLayout(blanks="at most 3", escapes="minimal"),
    ),
    *schemas(
        "numbers that differ, after blanks",
        "[], 12",
        {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 2}}
        | {"uniqueItems": True},
        n=3,
        pattern=_spaced("[(1(,2)?|2(,1)?)?]"),
        more=["[ 1 , 2 ] ", "[  2,  1]"],
        layout=JsonLayout(blanks="at most 2", numbers="digits"),
    ),
    *schemas(
        "escapes",
        ('"', "\\", "u00", "61", "a", "n"),
        {"type": "string", "pattern": "^(a|\n)a?$"},
        pattern=r'"(?:a|\\u0061|\\n|\\u000[aA])(?:a|\\u0061)?"',
        more=['"\\na"', '"\\u0061a"', '"a\\u0061"'],
        layout=JsonLayout(blanks="compact"),
    ),
    *schemas(
        "keys in the schema's order",
        '{}"ab:,',
        {
            "type": "object",
            "properties": {"b": {"const": ""}, "a": {"const": ""}, "ab": {"const": ""}},
            "required": ["a"],
            "additionalProperties": False,
        },
        pattern=r'\{(?:"b":"",)?"a":""(?:,"ab":"")?\}',
        more=['{"b":"","a":"","ab":""}', '{"a":""}'],
        layout=JsonLayout(key_order="schema", blanks="compact", escapes="minimal"),
    ),
    *schemas(
        "nested objects",
        '{}"a:,',
        {"$ref": "#/$defs/outer"}
        | {
            "$defs": {
                name: {
                    "type": "object",
                    "properties": {"a": inner, "aa": {"const": "a"}},
                    "additionalProperties": False,
                }
                for name, inner in [("outer", {"$ref": "#/$defs/inner"}), ("inner", {"const": {}})]
            }
        },
        values=objects(["a", "aa"], ["a", *objects(["a", "aa"], [{}, "a"], 2)], 2),
        are_all=True,
    ),
]
