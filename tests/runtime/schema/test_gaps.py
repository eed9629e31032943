from maskc.runtime.schema.plan.blanks import BROKEN, Blanks
from maskc.runtime.schema.scans.gaps import Gaps
from maskc.runtime.schema.tries import ROOT
from tests.runtime.schema.vocabularies import build_index


def test_depths_that_no_token_tells_apart_are_one():
    index = build_index((b" " * 20,))
    gaps = Gaps(index, Blanks("bounded"))
    depths = (2, 3, 90)
    assert [gaps.canonical(index.tokens, (ROOT,), 0, depth)[1] for depth in depths] == [2, 3, 3]
    assert gaps.canonical(index.tokens, (ROOT,), BROKEN, 90) == (BROKEN, 3)
    assert gaps.canonical(index.tokens, (ROOT,), BROKEN + 8 * 90 - 1, 90) == (BROKEN + 8 * 3 - 1, 3)


def test_only_what_comes_after_some_nodes_tells_depths_and_gaps_apart():
    index = build_index((b" " * 20, b'"', b'":   "', b'": "'))
    gaps = Gaps(index, Blanks("bounded"))
    node = index.tokens.child(index.tokens.child(ROOT, 0x22), 0x3A)
    assert gaps.canonical(index.tokens, (node,), 5, 90) == (0, 1)
    assert gaps.canonical(index.tokens, (node,), 6, 90) == (6, 1)
    assert gaps.canonical(index.tokens, (node,), BROKEN + 8 * 90 - 1, 90) == (BROKEN + 7, 1)


def test_counts_that_no_token_tells_apart_are_one():
    index = build_index((b" " * 3,))
    gaps = Gaps(index, Blanks("at most 100"))
    found = [gaps.canonical(index.tokens, (ROOT,), gap, 1)[0] for gap in (0, 9, 97, 98, 100)]
    assert found == [97, 97, 97, 98, 100]
