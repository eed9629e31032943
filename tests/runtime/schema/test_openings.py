import pytest

from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.masks.openings import Openings
from maskc.runtime.schema.plan.plan import Layout, Plan
from tests.runtime.schema.machines import INDEX
from tests.runtime.schema.vocabularies import build_index

TRIE = INDEX.tokens
QUOTE = (TRIE.child(0, 0x22),)


def plan_of(schema):
    layout = Layout()
    frozen = build_plan(schema, resources={}, layout=layout, assert_formats=True)
    return Plan(frozen, layout, Budget(1 << 22))


def openings_of(schema):
    plan = plan_of(schema)
    return plan, Openings(INDEX, plan, Budget(1 << 22))


@pytest.mark.parametrize("names", [(), ("",), ("a", ","), ("", ":", "ab", "b")])
def test_keys_beside_names_have_the_label_that_their_automaton_gives_them(names):
    plan, openings = openings_of({"properties": {name: {"type": "null"} for name in names}})
    number = next(n for n, rule in enumerate(plan.objects) if rule.n_names == len(names))
    rule = plan.objects[number]
    assert rule.is_flat
    closing = openings.inside(TRIE, plan.key_bodies[number], QUOTE, exactly=False).inside.ended
    wanted = {(ended.node, rule.dfa.labels[ended.state]) for ended in closing}
    found = [
        (node, keys.label)
        for keys in openings.ended_keys(TRIE, number, QUOTE, 0)
        for node in keys.nodes
    ]
    assert len(set(found)) == len(found)
    assert set(found) <= wanted
    assert {node for node, _ in wanted - set(found)} == {
        node for node, _ in wanted if not TRIE.n_ending[node] and not leads_on(node)
    }


def leads_on(node):
    return any(byte in b": \t\r\n" for _, byte in TRIE.children(node, None))


def test_whatever_a_key_is_open_with_may_become_one_without_a_name():
    plan, openings = openings_of({"properties": {"a": {"type": "null"}, "b,": {"const": 1}}})
    number = next(n for n, rule in enumerate(plan.objects) if rule.n_names == 2)
    found = openings.inside_key(TRIE, number, QUOTE, exactly=False, dropped=0)
    body = plan.key_bodies[number]
    before = openings.inside(TRIE, body, QUOTE, exactly=False)
    assert set(found.inside.free) == {*before.inside.free, *before.inside.places}
    assert not found.inside.places


def test_keys_are_told_apart_only_where_a_text_goes_on_to_a_value():
    index = build_index((b'"', b'"a":', b'"b":', b'"c":1', b'"d": ', b'"e"\n:\n'))
    plan = plan_of({"type": "object"})
    openings = Openings(index, plan, Budget(1 << 22))
    number = next(n for n, rule in enumerate(plan.objects) if not rule.n_names)
    nodes = (index.tokens.child(0, 0x22),)
    found = openings.ended_keys(index.tokens, number, nodes, 0)
    assert sorted(sorted(keys.texts) for keys in found) == [["a", "b", "d", "e"], ["c"]]


def test_what_a_string_does_is_found_once():
    plan, openings = openings_of({"type": "string", "pattern": "^a"})
    body = plan.strings[0].body
    first, second = (openings.inside(TRIE, body, QUOTE, exactly=False) for _ in range(2))
    assert first is second
    assert {TRIE.texts[place] for place in first.inside.free} == {b'"a'}
