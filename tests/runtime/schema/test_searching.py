import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans.character_trie import CLOSES
from maskc.runtime.schema.scans.searching import free_items, search, search_all
from maskc.runtime.schema.strings import ESCAPES, Body
from tests.runtime.schema.spelling import step_texts, trie_below
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
TRIE = trie_below(index=INDEX)
PATTERNS = [
    "^ab*$",
    "^a|b$",
    "^\\d{1,3}$",
    "^(?!a).b*$",
    "a",
    "^[^a]",
    "^x\\u00e9?$",
    "^(?!ab)",
    "é",
]


BEGUN = [b"\\", b"\\u", b"\\u0", b"\\u006", b"\xc3", b"\xf0", b"\xf0\x9f\x98"]
BEGUN += [b"\\ud83d", b"\\ud83d\\", b"\\ud83d\\ud", b"\\ud8", b"\xe0", b"\xe0\xa0"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_search_finds_what_stepping_byte_by_byte_does(pattern):
    dfa = build_pattern(pattern)
    body = Body(dfa, escapes="any")
    inside, ended = step_texts(INDEX, body, body.start)
    found = search_all(TRIE, dfa)
    assert sorted([*found.text_indices, *found.free]) == sorted(inside)
    assert {(n, dfa.labels[s]) for n, s, _ in found.ended} == {(n, dfa.labels[s]) for n, s in ended}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_states_and_sizes_are_those_of_stepping(pattern):
    dfa = build_pattern(pattern)
    body = Body(dfa, escapes="any")
    inside, ended = step_texts(INDEX, body, body.start)
    found = search_all(TRIE, dfa, exactly=True)
    columns = (found.text_indices, found.targets, found.sizes)
    assert {p: (t, n) for p, t, n in zip(*columns, strict=True)} == inside
    assert {(n, s) for n, s, _ in found.ended} == ended


@pytest.mark.parametrize("escapes", ESCAPES)
@pytest.mark.parametrize("before", BEGUN)
@pytest.mark.parametrize("pattern", [*PATTERNS, '^(?!(a|ab|é|😀|"|\\\\)$)', "^[^b]", "^\\u0000?"])
def test_a_string_inside_a_character_does_what_stepping_from_there_does(pattern, before, escapes):
    body = Body(build_pattern(pattern), escapes=escapes)
    at = body.read(before)
    if not at:
        return
    state, begun = body.begun(at)
    assert state == body.dfa.start
    trie = trie_below(index=INDEX, escapes=escapes, before=begun)
    inside, ended = step_texts(INDEX, body, at)
    found = search(trie, body.dfa, state, exactly=True)
    columns = (found.text_indices, found.targets, found.sizes)
    assert {p: (t, n) for p, t, n in zip(*columns, strict=True)} == inside
    assert {(n, s) for n, s, _ in found.ended} == ended


def test_runs_of_items_are_free_or_no_longer():
    dfa = build_pattern("^(?!ab)")
    found = search(TRIE, dfa, dfa.start)
    free = free_items(TRIE, found).tolist()
    inside = {INDEX.texts[TRIE.origins[i]] for i in free if TRIE.kinds[i] != CLOSES}
    assert b"12" in inside
    assert b"ab" not in inside


def test_more_nodes_than_are_allowed_give_nothing():
    assert search(TRIE, build_pattern("^[a-z]*$"), 1, most=3) is None
