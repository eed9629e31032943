from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans.inside import find_inside
from tests.runtime.schema.spelling import TEXTS, TRIE, spell_below


def find(pattern, **how):
    return find_inside(spell_below(), build_pattern(pattern), **{"exactly": False, **how})


def inside(found):
    return sorted(TEXTS[place] for place in [*found.places, *found.free])


def test_texts_stay_inside_as_the_pattern_has_them():
    assert inside(find("^ab*$")) == [b"\\u00", b"\\u0061", b"a", b"ab"]


def test_a_quote_ends_a_string_that_fits():
    assert {TRIE.path(ended.node) for ended in find("^ab$").ended} == {b'ab"'}


def test_what_is_free_is_not_told_apart():
    assert {TEXTS[place] for place in find("^a").free} == {b"\\u0061", b"a", b"ab"}


def test_sizes_count_a_character_that_is_left_open():
    found = find("", exactly=True)
    assert dict(zip([TEXTS[p] for p in found.places], found.sizes, strict=True))[b"\xc3"] == 1


def test_a_dropped_state_is_dead():
    assert find("^a", dropped=build_pattern("^a").sink).free == ()
