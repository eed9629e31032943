import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans.inside import free_items
from maskc.runtime.schema.scans.searching import search
from maskc.runtime.schema.scans.spelled import CLOSES
from maskc.runtime.schema.scans.stepping import step_body
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.schema.spelling import spell_below
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
SPELLED = spell_below(index=INDEX)
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


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("exactly", [False, True])
def test_a_search_finds_what_stepping_byte_by_byte_does(pattern, exactly):
    dfa = build_pattern(pattern)
    body = Body(dfa, minimal=False)
    stepped = step_body(INDEX.tokens, body, body.start, (ROOT,))
    found = search(SPELLED, dfa, dfa.start, exactly=exactly)
    free = free_items(SPELLED, found).tolist()
    assert not (exactly and free)
    inside = [*found.places, *(SPELLED.places[i] for i in free if SPELLED.kinds[i] != CLOSES)]
    closing = [
        *(item for item, _, _ in found.ended),
        *(i for i in free if SPELLED.kinds[i] == CLOSES),
    ]
    assert sorted(inside) == sorted(stepped.places)
    assert sorted(SPELLED.places[i] for i in closing) == sorted(n for n, _, _ in stepped.ended)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_states_and_sizes_are_those_of_stepping(pattern):
    dfa = build_pattern(pattern)
    body = Body(dfa, minimal=False)
    stepped = step_body(INDEX.tokens, body, body.start, (ROOT,))
    found = search(SPELLED, dfa, dfa.start, exactly=True)
    by_place = {
        place: (body.targets[state], size + (body.characters[state] < 0))
        for place, state, size in zip(stepped.places, stepped.states, stepped.sizes, strict=True)
    }
    columns = (found.places, found.targets, found.sizes)
    assert {p: (t, n) for p, t, n in zip(*columns, strict=True)} == by_place


def test_more_nodes_than_are_allowed_give_nothing():
    assert search(SPELLED, build_pattern("^[a-z]*$"), 1, most=3) is None
