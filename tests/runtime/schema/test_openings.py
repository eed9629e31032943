from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.masks.openings import Openings, after_quote, read_body
from maskc.runtime.schema.plan.plan import Layout, Plan
from tests.runtime.schema.machines import INDEX

TRIE = INDEX.tokens
QUOTE = (TRIE.child(0, 0x22),)


def openings_of(schema):
    layout, budget = Layout(), Budget(1 << 22)
    data = build_plan(schema, resources={}, layout=layout, assert_formats=True)
    plan = Plan(data, layout, budget)
    return plan, Openings(INDEX, plan, budget)


def test_a_key_that_ends_in_a_token_is_known_by_its_label():
    plan, openings = openings_of({"properties": {"": {}, ":": {}}, "additionalProperties": False})
    found = openings.ended_keys(TRIE, 0, QUOTE, max(plan.key_bodies[0].dfa.sink, 0))
    paths = {tuple(TRIE.path(node) for node in keys.nodes) for keys in found}
    assert paths == {(b'""',), (b'":"',)}


def test_what_a_string_does_is_found_once():
    plan, openings = openings_of({"type": "string", "pattern": "^a"})
    body = plan.strings[0].body
    first, second = (openings.inside(TRIE, body, QUOTE, exactly=False) for _ in range(2))
    assert first is second
    assert {TRIE.texts[place] for place in first.inside.free} == {b'"a'}


def test_what_comes_after_a_quote_is_cut_off():
    assert after_quote(TRIE, b'"ab', QUOTE) == b"ab"


def test_whole_characters_are_counted():
    plan, _ = openings_of({"type": "string"})
    assert read_body(plan.strings[0].body, b"a\\u00e9\xc3")[1] == 2
