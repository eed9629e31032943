from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache import Budget
from maskc.runtime.schema.masks.opened_strings import OpenedStrings
from maskc.runtime.schema.plan import JsonLayout, Plan
from tests.runtime.schema.machines import INDEX
from tests.runtime.schema.vocabularies import build_index

TRIE = INDEX.tokens
QUOTE = (TRIE.child(0, 0x22),)


def plan_of(schema):
    layout = JsonLayout()
    frozen = build_plan(schema, resources={}, layout=layout, assert_formats=True)
    return Plan(frozen, layout, Budget(1 << 22))


def opened_strings_of(schema):
    plan = plan_of(schema)
    return plan, OpenedStrings(INDEX, plan, Budget(1 << 22))


def test_keys_are_told_apart_only_where_a_text_goes_on_to_a_value():
    index = build_index((b'"', b'"a":', b'"b":', b'"c":1', b'"d": ', b'"e"\n:\n'))
    plan = plan_of({"type": "object"})
    opened_strings = OpenedStrings(index, plan, Budget(1 << 22))
    number = next(n for n, rule in enumerate(plan.objects) if not rule.n_names)
    nodes = (index.tokens.child(0, 0x22),)
    found = opened_strings.ended_keys(index.tokens, number, nodes, 0)
    assert sorted(sorted(keys.texts) for keys in found) == [["a", "b", "d", "e"], ["c"]]


def test_what_a_string_does_is_found_once():
    plan, opened_strings = opened_strings_of({"type": "string", "pattern": "^a"})
    body = plan.strings[0].body
    first, second = (opened_strings.inside(TRIE, body, QUOTE, exactly=False) for _ in range(2))
    assert first is second
    assert {TRIE.texts[n] for n in first.inside.free} == {b'"a'}
