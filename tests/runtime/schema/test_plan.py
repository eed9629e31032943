"""A plan that someone made up is refused, or followed without an error."""

import json

from hypothesis import given
from hypothesis import strategies as st

from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache import Budget
from maskc.runtime.fields import PlanError
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout, Plan

SCHEMA = {
    "properties": {
        "a": {"type": "integer", "maximum": 30},
        "b": {"items": {"enum": [1, "x", None]}, "uniqueItems": True, "minItems": 1},
        "c": {"pattern": "^a+$", "maxLength": 9},
    },
    "patternProperties": {"^d": {"contains": {"type": "null"}, "maxContains": 2}},
    "required": ["a"],
}
PLAN = json.loads(build_plan(SCHEMA, resources={}, layout=JsonLayout(), assert_formats=True).data)
TEXTS = ['{"a": 3, "b": [1, "x"], "c": "aa"}', '{"d": [null, 1]}', "[1, 1]", '"x"', "12.5e-3"]
ODD = st.sampled_from([-1, 0, 1, 7, 1 << 50, None, "x", [], {}, [0], [[0, 0]], True, "1/0"])


def list_paths(value, path=()):
    yield path
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from list_paths(inner, (*path, key))


PATHS = [path for path in list_paths(PLAN) if path]


@given(st.sampled_from(PATHS), ODD)
def test_a_plan_with_anything_changed_is_refused_or_followed(path, odd):
    changed = json.loads(json.dumps(PLAN))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    try:
        plan = Plan(FrozenPlan(json.dumps(changed).encode()), JsonLayout(), Budget(1 << 20))
    except PlanError:
        return
    machine = SchemaMachine(plan, lambda _: None, Budget(1 << 20))
    for text in TEXTS:
        here = machine.start()[0]
        for byte in text.encode():
            here = machine.read(here, byte)
            if here is None:
                break
            machine.may_end(here)


def test_a_plan_that_is_no_json_is_refused():
    for data in (b"", b"{", b"[]", b"\xff", b"[" * 100_000):
        try:
            Plan(FrozenPlan(data), JsonLayout(), Budget(0))
        except PlanError:
            continue
        raise AssertionError(data[:9])
