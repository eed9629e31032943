import pytest

from maskc.runtime.schema.plan.blanks import BROKEN, Blanks
from maskc.runtime.schema.scans.gaps import Gaps
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.schema.vocabularies import build_index


def lead(choice, texts, gap=0, depth=1):
    index = build_index(texts)
    found = Gaps(index, Blanks(choice)).lead(index.tokens, (ROOT,), gap, depth)
    signs = {chr(b): {index.tokens.path(n) for n in nodes} for b, nodes in found.signs.items()}
    return {texts[i] for i in found.part.few}, signs, len(found.numbers)


@pytest.mark.parametrize(("depth", "legal"), [(1, set()), (2, {b"\n" + b" " * 9})])
def test_a_line_is_indented_by_as_much_as_is_open(depth, legal):
    assert lead("bounded", (b"\n" + b" " * 9,), depth=depth)[0] == legal


def test_depths_that_no_token_tells_apart_are_one():
    index = build_index((b" " * 20,))
    gaps = Gaps(index, Blanks("bounded"))
    depths = (2, 3, 90)
    assert [gaps.place(index.tokens, (ROOT,), 0, depth)[1] for depth in depths] == [2, 3, 3]
    assert gaps.place(index.tokens, (ROOT,), BROKEN, 90) == (BROKEN, 3)
    assert gaps.place(index.tokens, (ROOT,), BROKEN + 8 * 90 - 1, 90) == (BROKEN + 8 * 3 - 1, 3)


def test_only_what_comes_after_some_nodes_tells_depths_and_gaps_apart():
    index = build_index((b" " * 20, b'"', b'":   "', b'": "'))
    gaps = Gaps(index, Blanks("bounded"))
    node = index.tokens.child(index.tokens.child(ROOT, 0x22), 0x3A)
    assert gaps.place(index.tokens, (node,), 5, 90) == (0, 1)
    assert gaps.place(index.tokens, (node,), 6, 90) == (6, 1)
    assert gaps.place(index.tokens, (node,), BROKEN + 8 * 90 - 1, 90) == (BROKEN + 7, 1)


def test_after_a_carriage_return_only_its_line_break_may_come():
    assert lead("bounded", (b"\n", b" ", b","), gap=9) == ({b"\n"}, {}, 0)


def test_blanks_that_are_counted_end_with_their_number():
    texts = (b" ", b" \n", b"\t \n", b"\r", b" ,", b"\n\n,")
    legal, signs, _ = lead("at most 2", texts)
    assert (legal, signs) == ({b" ", b" \n"}, {",": {b" ,", b"\n\n,"}})
    assert lead("at most 2", texts, gap=1) == ({b" "}, {",": {b" ,"}}, 0)


def test_counts_that_no_token_tells_apart_are_one():
    index = build_index((b" " * 3,))
    gaps = Gaps(index, Blanks("at most 100"))
    found = [gaps.place(index.tokens, (ROOT,), gap, 1)[0] for gap in (0, 9, 97, 98, 100)]
    assert found == [97, 97, 97, 98, 100]
