"""Sets of stacks: shared, interned, and reduced once."""

import pytest

from maskc.runtime.cache import Budget
from maskc.runtime.glr.gss import GraphStructuredStack, Lr0Tables
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def artifact():
    return compile_text('start: start "+" start | "a"\n', (b"a", b"+"), parser="earley")


@pytest.fixture
def gss(artifact):
    return GraphStructuredStack(Lr0Tables(artifact.contents.arrays), Budget(1 << 20))


def shift(gss, artifact, names):
    stacks = gss.start
    for name in names:
        stacks = gss.shift(stacks, artifact.header["terminals"].index(name))
    return stacks


def test_a_list_comes_back_to_the_same_set(gss, artifact):
    two, nine = (shift(gss, artifact, ["A"] + ["PLUS", "A"] * n) for n in (2, 9))
    assert two is nine


def test_a_union_with_a_part_is_the_whole(gss, artifact):
    item, sign = shift(gss, artifact, ["A"]), shift(gss, artifact, ["A", "PLUS"])
    both = gss.unite(item, sign)
    assert gss.unite(both, item) is both
    assert gss.unite(item, item) is item


def test_stacks_are_described_without_those_that_do_not_go_on(gss, artifact):
    item, sign = shift(gss, artifact, ["A"]), shift(gss, artifact, ["A", "PLUS"])
    both, taken = gss.unite(item, sign), gss.taken(item)
    assert gss.describe(both, taken) == gss.describe(item, taken)
    assert gss.describe(both, gss.taken(both)) != gss.describe(item, taken)


def test_equal_stacks_are_described_alike_whatever_holds_them():
    artifact = compile_text(
        'start: "(" start ")" | "[" start "]" | "a"\n', (b"a",), parser="earley"
    )
    gss = GraphStructuredStack(Lr0Tables(artifact.contents.arrays), Budget(1 << 20))
    round_, square = (shift(gss, artifact, [sign, "LPAR"]) for sign in ("LPAR", "LSQB"))
    terminal = artifact.header["terminals"].index("A")
    early = gss.shift(gss.unite(round_, square), terminal)
    late = gss.unite(gss.shift(round_, terminal), gss.shift(square, terminal))
    assert early is not late
    taken = gss.taken(early)
    assert gss.describe(early, taken) == gss.describe(late, taken)
    assert gss.describe(early, taken) != gss.describe(gss.shift(round_, terminal), taken)
