import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.jsonschema.patterns import build_pattern
from maskc.native import is_compiled
from maskc.runtime.schema.strings import keys as keys_module
from maskc.runtime.schema.strings.keys import NO_KEYS, Keys, join_keys, order_names
from maskc.runtime.schema.strings.texts import build_texts
from tests.examples import examples
from tests.jsonschema.texts import build_machine


def test_a_prefix_is_live_as_long_as_a_key_is_left():
    keys = Keys(build_pattern("^(a|cd.*)$"), 0, is_flat=False)
    start, after = keys.dfa.start, keys.dfa.read("a")
    assert keys.reach_left(after, "a", NO_KEYS) == 1
    assert keys.reach_left(after, "a", join_keys(["a"])) == 0
    assert keys.reach_left(start, "", join_keys(["a"])) == 1
    assert keys.is_surely_live([start], 1)
    assert not keys.is_surely_live([after], 1)


def rule_of(properties, **more):
    machine = build_machine({"type": "object", "properties": properties, **more})
    return machine.plan.objects[machine.plan.position(machine.plan.root).objects[0]]


WORDS = st.dictionaries(
    st.text("abc", max_size=4), st.sampled_from([False, {"type": "null"}]), min_size=1, max_size=8
)


@examples(40)
@given(WORDS)
def test_flat_keys_lead_where_all_others_would(properties):
    rule = rule_of(properties)
    flat, usual = (Keys(rule.dfa, rule.n_names, is_flat=is_flat) for is_flat in (True, False))
    assert rule.is_flat
    states = range(1, flat.dfa.n_states)
    assert [*map(flat.labels_after, states)] == [*map(usual.labels_after, states)]
    assert flat.infinite == usual.infinite


def test_words_that_are_no_keys_may_share_endings():
    rule = rule_of({"no": {"type": "null"}}, patternProperties={"^(cat|dog)_id$": False})
    targets = [target for row in rule.dfa.rows for target in row.values()]
    assert len(set(targets)) < len(targets)
    assert rule.is_flat
    order = order_names(rule.dfa)
    assert sorted(order) == [s for s in range(1, rule.dfa.n_states) if s != rule.dfa.sink]
    index_of = {state: n for n, state in enumerate([*order, rule.dfa.sink])}
    assert all(index_of[s] < index_of[t] for s in order for t in rule.dfa.successors(s))


@pytest.mark.parametrize("pattern", ["^[ab]{9}$", "^(ab)*$", "^[a-z]{3}$"])
def test_many_words_that_are_no_keys_are_not_listed(pattern):
    assert not rule_of({"no": {"type": "null"}}, patternProperties={pattern: False}).is_flat


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
@pytest.mark.parametrize("words", [["a"], ["", "ab", "ac", "b"], ["name", "names", "id", "ide"]])
def test_words_lead_to_the_same_labels_in_one_pass_as_in_many(monkeypatch, words):
    dfa = build_texts(words, range(len(words)))
    assert order_names(dfa) is not None
    found = Keys(dfa, dfa.n_states, is_flat=False)
    monkeypatch.setattr(keys_module, "order_names", lambda _: None)
    wanted = Keys(dfa, dfa.n_states, is_flat=False)
    states = range(found.dfa.n_states)
    assert [*map(found.labels_after, states)] == [*map(wanted.labels_after, states)]
    assert found.infinite == wanted.infinite
