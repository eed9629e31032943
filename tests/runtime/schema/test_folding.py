import numpy as np
import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.classes import fold, matrix_of
from maskc.runtime.schema.folding import fold_shape, shape_for, whole_shape
from maskc.runtime.schema.stepping import step_body
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.trie import ROOT
from tests.runtime.schema.spelling import spell_below
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
SPELLED = spell_below(index=INDEX)


def kinds_of(characters):
    return np.isin(SPELLED.distinct, [ord(c) for c in characters]).astype(np.int32)


def test_nodes_of_the_same_kinds_are_one():
    whole = whole_shape(INDEX, SPELLED)
    nothing = np.zeros(len(SPELLED.ranges), dtype=np.int32)
    shape, kinds = fold_shape(whole, kinds_of("ab"), nothing)
    assert shape.levels[:3] == [0, 1, 3]
    assert sorted(kinds[1:3].tolist()) == [0, 1]


def test_kinds_that_cut_no_common_range_begin_with_what_is_folded():
    whole = whole_shape(INDEX, SPELLED)
    digits = shape_for(INDEX, SPELLED, kinds_of("0123456789"))
    assert len(digits.parents) < len(whole.parents)
    assert len(shape_for(INDEX, SPELLED, kinds_of("3")).parents) == len(whole.parents)


@pytest.mark.parametrize("pattern", ["^[a-z]*$", "^\\S+$", "^[^,]*$", "^([ab]|é)+$", "^\\d{1,3}$"])
def test_a_folded_vocabulary_is_scanned_as_it_is_stepped(pattern):
    dfa = build_pattern(pattern)
    body = Body(dfa, minimal=False)
    scanned = fold(INDEX, SPELLED, dfa).scan(matrix_of(dfa), dfa.start)
    stepped = step_body(INDEX.tokens, body, body.start, (ROOT,))
    groups, which = scanned.groups(sized=False)
    row = scanned.pack(np.array([bool(group.targets) for group in groups])[which])
    assert np.array_equal(row, INDEX.pack([INDEX.ids[place] for place in stepped.places]))
    closing = [p for node, _, _ in stepped.ended for p in INDEX.quotes_of(node)[0]]
    labels = np.array(dfa.labels)[scanned.quote_states]
    assert sorted(scanned.quote_places[labels >= 0].tolist()) == sorted(closing)


def test_groups_with_sizes_are_told_apart_by_them():
    dfa = build_pattern("^[a-z]*$")
    scanned = fold(INDEX, SPELLED, dfa).scan(matrix_of(dfa), dfa.start)
    groups, _ = scanned.groups(sized=True)
    assert {group.size for group in groups if group.targets} >= {0, 1, 2}
