import numpy as np

from maskc.runtime.schema.scans.folding import fold_shape, shape_for, whole_shape
from tests.runtime.schema.spelling import spell_below
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
SPELLED = spell_below(index=INDEX)


def kinds_of(characters):
    return np.isin(SPELLED.distinct, [ord(c) for c in characters]).astype(np.int32)


def test_nodes_of_the_same_kinds_are_one():
    shape = fold_shape(whole_shape(INDEX, SPELLED), kinds_of("ab"))
    assert shape.levels[:3] == [0, 1, 3]
    assert sorted(kinds_of("ab")[shape.characters[1:3]].tolist()) == [0, 1]


def test_a_folded_token_has_as_many_characters():
    whole = whole_shape(INDEX, SPELLED)
    folded = fold_shape(whole, kinds_of("ab"))
    text = INDEX.texts.index(b"ab")
    assert whole.units.sizes[whole.units.unit_of[INDEX.ids[text]]] == 2
    assert np.array_equal(
        folded.units.sizes[folded.units.unit_of], whole.units.sizes[whole.units.unit_of]
    )


def test_kinds_that_cut_no_common_range_begin_with_what_is_folded():
    whole = whole_shape(INDEX, SPELLED)
    digits = shape_for(INDEX, SPELLED, kinds_of("0123456789"))
    one = shape_for(INDEX, SPELLED, kinds_of("3"))
    assert len(digits.parents) < len(one.parents) < len(whole.parents)
    assert len(shape_for(INDEX, SPELLED, kinds_of("-")).parents) == len(digits.parents)
    assert len(shape_for(INDEX, SPELLED, kinds_of("a")).parents) == len(whole.parents)


def test_a_folded_node_knows_its_children():
    shape = fold_shape(whole_shape(INDEX, SPELLED), kinds_of("ab"))
    for node in range(1, len(shape.parents)):
        parent = shape.parents[node]
        assert shape.first[parent] <= node < shape.first[parent + 1]


def test_letters_of_formats_are_told_from_others_in_a_shape_that_is_folded_still():
    whole = whole_shape(INDEX, SPELLED)
    digits = shape_for(INDEX, SPELLED, kinds_of("0"))
    shape = shape_for(INDEX, SPELLED, kinds_of("v"))
    assert len(digits.parents) < len(shape.parents) < len(whole.parents)
