from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.characters import CharDfa
from maskc.runtime.schema.differences import compare_body
from maskc.runtime.schema.inside import walk_body
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.trie import ROOT, Trie

TEXTS = sorted([b"foo", b"fo", b"f", b"x", b'fo"', b'foo"', b'x"', b"\\u0066", b"oo"])
TRIE = Trie(TEXTS)
FREE = Body(CharDfa([0], [0], [0, 1], [{}, {}], [-1, 0], 1), minimal=False)


def compare(pattern, most=1000):
    body = Body(build_pattern(pattern), minimal=False)
    return compare_body(TRIE, body, FREE, body.start, (ROOT,), most)


def test_what_may_still_differ_is_followed():
    found = compare("foo")
    assert {TEXTS[place] for place, _ in found.inside} >= {b"f", b"fo", b"x"}


def test_what_differs_nowhere_is_what_any_string_does():
    found = compare("foo")
    body = Body(build_pattern("foo"), minimal=False)
    whole = walk_body(TRIE, body, body.start, (ROOT,))
    free = walk_body(TRIE, FREE, FREE.start, (ROOT,))
    dead = {place for low, high in found.dead for place in range(low, high)}
    assert set(whole.places) == set(free.places) - dead


def test_too_many_nodes_give_nothing():
    assert compare("foo", most=2) is None
