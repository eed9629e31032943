from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.inside import walk_body
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.trie import ROOT, Trie

TEXTS = sorted([b"a", b"ab", b'ab"', b'a"', b"b", b"\\u0061", b"\\u00", b"\xc3"])
TRIE = Trie(TEXTS)


def walk(pattern, **limits):
    body = Body(build_pattern(pattern), minimal=False)
    return walk_body(TRIE, body, body.start, (ROOT,), **limits)


def test_texts_stay_inside_as_the_pattern_has_them():
    found = walk("^ab*$")
    assert [TEXTS[place] for place in sorted(found.places)] == [b"\\u00", b"\\u0061", b"a", b"ab"]


def test_a_quote_ends_a_string_that_fits():
    assert {TRIE.path(ended.node) for ended in walk("^ab$").ended} == {b'ab"'}


def test_half_a_character_adds_none():
    found = walk("")
    assert dict(zip([TEXTS[p] for p in found.places], found.sizes, strict=True))[b"\xc3"] == 0


def test_more_nodes_than_are_allowed_give_nothing():
    assert walk("", most=3) is None
