import numpy as np

from maskc.runtime.schema.scans.folding import shape_for, whole_shape
from tests.runtime.schema.spelling import spell_below
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
SPELLED = spell_below(index=INDEX)


def kinds_of(characters):
    return np.isin(SPELLED.distinct, [ord(c) for c in characters]).astype(np.int32)


def test_kinds_that_cut_no_common_range_begin_with_what_is_folded():
    whole = whole_shape(INDEX, SPELLED)
    digits = shape_for(INDEX, SPELLED, kinds_of("0123456789"))
    one = shape_for(INDEX, SPELLED, kinds_of("3"))
    assert len(digits.parents) < len(one.parents) < len(whole.parents)
    assert len(shape_for(INDEX, SPELLED, kinds_of("-")).parents) == len(digits.parents)
    assert len(shape_for(INDEX, SPELLED, kinds_of("a")).parents) == len(whole.parents)


def test_letters_of_formats_are_told_from_others_in_a_shape_that_is_folded_still():
    whole = whole_shape(INDEX, SPELLED)
    digits = shape_for(INDEX, SPELLED, kinds_of("0"))
    shape = shape_for(INDEX, SPELLED, kinds_of("v"))
    assert len(digits.parents) < len(shape.parents) < len(whole.parents)
