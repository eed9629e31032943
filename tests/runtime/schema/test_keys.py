from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.characters import of_words
from maskc.runtime.schema.keys import Keys


def test_a_prefix_leads_to_the_labels_of_its_keys():
    keys = Keys(of_words(["a", "ab"]), 1, is_flat=False)
    assert keys.reach_of([keys.dfa.read("a")]) == 1
    assert keys.reach_of([keys.dfa.read("b")]) == 0


def test_names_never_run_out():
    assert not Keys(of_words(["a", "ab"]), 1, is_flat=False).may_run_out


def test_keys_of_a_class_run_out_where_a_prefix_becomes_few():
    assert Keys(build_pattern("^(a|cd.*)$"), 0, is_flat=False).may_run_out
    assert not Keys(build_pattern("^c"), 0, is_flat=False).may_run_out


def test_a_prefix_is_live_as_long_as_a_key_is_left():
    keys = Keys(build_pattern("^(a|cd.*)$"), 0, is_flat=False)
    start, after = keys.dfa.start, keys.dfa.read("a")
    assert keys.is_live(after, 1, "a", frozenset())
    assert not keys.is_live(after, 1, "a", frozenset(["a"]))
    assert keys.is_live(start, 1, "", frozenset(["a"]))
    assert keys.is_surely_live([start], 1)
    assert not keys.is_surely_live([after], 1)
