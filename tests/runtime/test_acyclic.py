"""Objects of classes that compiled code leaves to no garbage collector are in no cycle."""

import gc
import importlib
import json
import re
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.native import is_compiled
from maskc.vocab import load_vocabulary

ROOT = Path(maskc.__file__).parents[1]
MARKED = re.compile(r"^@mypyc_attr\(acyclic=True\)\n(?:@.*\n)*class (\w+)", re.MULTILINE)
SCHEMAS = [
    (
        {
            "properties": {
                "a": {"type": ["integer", "null"], "minimum": 3, "not": {"const": 7}},
                "b": {"pattern": "^[a-z]+-\\d{2}$", "maxLength": 9},
                "c": {"items": {"$ref": "#"}, "uniqueItems": True},
            },
            "patternProperties": {
                "^x": {"oneOf": [{"type": "string"}, {"type": "number", "maximum": 5}]}
            },
            "required": ["a"],
        },
        {"a": 5, "b": "ab-12", "c": [{"a": 3}, {"a": 4}], "xy": "s", "z": [{}]},
    ),
    ({"enum": ["one", "two", 3, None]}, "two"),
    ({"pattern": "^[^,;]*;$", "type": "string"}, "a;"),
    ({"minimum": 3, "multipleOf": 0.5, "type": "number"}, 4.5),
]
PALINDROMES = 'root ::= "a" root "a" | "b"'


def list_marked():
    """Return the classes with the mark, as they are imported."""
    found = []
    for path in sorted((ROOT / "maskc").rglob("*.py")):
        names = MARKED.findall(path.read_text())
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found += [getattr(importlib.import_module(module), name) for name in names]
    return found


def find_inside(thing):
    """Return all that an object holds, itself if it is in a cycle; no code."""
    seen, open_ = {}, [thing]
    while open_:
        for held in gc.get_referents(open_.pop()):
            if id(held) in seen or isinstance(held, type | FunctionType | ModuleType):
                continue
            seen[id(held)] = held
            open_.append(held)
    return seen


@pytest.mark.skipif(is_compiled(), reason="the collector knows nothing of such objects there")
def test_no_object_of_a_marked_class_holds_itself():
    kit = make_kit(load_vocabulary("bytes"))
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    kept = []
    constraints = [(kit.json_schema(schema), json.dumps(value)) for schema, value in SCHEMAS]
    for constraint, text in [*constraints, (kit.gbnf(PALINDROMES), "aba")]:
        matcher = constraint.matcher()
        for byte in text.encode():
            matcher.fill_bitmask(bitmask, 0)
            assert matcher.accept_token(byte)
        kept.append((constraint, matcher))
    marked = tuple(list_marked())
    things = [thing for thing in gc.get_objects() if type(thing) in marked]
    assert {type(thing) for thing in things} == set(marked)
    for thing in things:
        assert id(thing) not in find_inside(thing), thing
