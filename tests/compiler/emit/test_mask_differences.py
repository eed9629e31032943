"""Masks are kept as what they differ by, and asked of a graph of parser queries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.artifact.model import MAX_PARENTS, check
from maskc.compiler.emit import building
from maskc.compiler.emit.mask_differences import Unions, encode_unions
from maskc.compiler.rows.token_sets import TokenSets
from maskc.ids import NO_BASE, NO_PARENT
from tests.compiled import compile_text, legal_tokens

VOCAB = 100_000
token_sets = st.lists(
    st.sets(st.integers(0, VOCAB - 1), max_size=600).map(
        lambda tokens: np.array(sorted(tokens), dtype=np.int32)
    ),
    min_size=1,
    max_size=6,
)


def encode(lists, sets, n_tokens):
    """Return the unions of sets, given by their indices."""
    interned = TokenSets()
    number = [interned.intern(tokens) for tokens in sets]
    return encode_unions([tuple(number[n] for n in some) for some in lists], interned, n_tokens)


def decode(unions: Unions, number: int, n_tokens: int = VOCAB) -> set[int]:
    base = unions.base[number]
    mask = unions.masks[base].copy() if base != NO_BASE else np.zeros(-(-n_tokens // 32), np.int32)
    own, chain = mask.copy(), [number]
    while (parent := unions.parent[chain[-1]]) != NO_PARENT:
        assert parent < chain[-1]
        assert unions.base[parent] == unions.base[number]
        chain.append(parent)
    assert len(chain) <= MAX_PARENTS + 1
    for link in reversed(chain):
        changes = unions.change[unions.first[link] : unions.first[link + 1]]
        assert len(np.unique(unions.word[changes])) == len(changes)
        for change in changes:
            word = unions.word[change]
            mask[word] = own[word] ^ unions.bits[change]
    return set(np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")).tolist())


@given(token_sets, st.data())
def test_a_union_is_read_back_as_the_union_of_its_sets(sets, data):
    numbers = st.lists(st.integers(0, len(sets) - 1), unique=True).map(sorted).map(tuple)
    lists = data.draw(st.lists(numbers, min_size=1, max_size=80))
    unions = encode(lists, sets, VOCAB)
    for union, number in zip(lists, unions.number_of, strict=True):
        assert decode(unions, number) == {t for n in union for t in sets[n].tolist()}


def test_equal_masks_are_one_union():
    sets = [np.array(x, dtype=np.int32) for x in ([1, 2], [1], [2])]
    assert encode([(0,), (1, 2)], sets, VOCAB).number_of.tolist() == [0, 0]


def test_more_masks_than_recent_bases_keep_their_own_base():
    generator = np.random.default_rng(1)
    sets = [np.flatnonzero(generator.random(VOCAB) < 0.5).astype(np.int32) for _ in range(120)]
    unions = encode([(n,) for n in range(120)], sets, VOCAB)
    assert len(unions.masks) == 120
    assert all(decode(unions, n) == set(sets[n].tolist()) for n in range(120))


def test_masks_that_grow_are_kept_as_what_they_grow_by():
    wide = 32 * 4096
    sets = [np.arange(96 * n, 96 * n + 3072, 32, dtype=np.int32) for n in range(0, 1200, 32)]
    lists = [tuple(range(n)) for n in range(len(sets) + 1)]
    unions = encode(lists, sets, wide)
    assert (unions.parent != NO_PARENT).any()
    assert len(unions.change) < sum(96 * len(union) for union in lists) / 3
    for union, number in zip(lists, unions.number_of, strict=True):
        assert decode(unions, number, wide) == {t for n in union for t in sets[n].tolist()}


BRACKETS = 'start: "(" start ")" | "[" start "]" | "x"\n'
TOKENS = (b"(", b")", b"[", b"]", b"x", b"x)", b"x]", b"))", b")]", b"x)]", b"x))", b"]]", b"])")


def test_the_innermost_bracket_is_known_and_only_the_next_one_is_asked_about():
    arrays = compile_text(BRACKETS, TOKENS).contents.arrays
    assert np.diff(arrays["question_first"]).max() == 1


def test_a_question_leads_to_a_node_before_the_one_that_asks():
    contents = compile_text(BRACKETS, TOKENS).contents
    assert check(contents) is None
    last = len(contents.arrays["node_first"]) - 2
    nodes = contents.arrays["question_node"].copy()
    nodes[:] = last
    contents.arrays["question_node"] = nodes
    assert check(contents) == "section question_node goes in circles"


def test_the_header_bounds_the_moves_of_one_fill():
    # The x itself, the bracket around it, and the one around that.
    assert compile_text(BRACKETS, TOKENS).header["counts"]["questions"] == 3


@pytest.mark.parametrize("text", ["", "(", "([", "([x", "([x]", "((x", "((x)"])
def test_nodes_left_open_by_the_bound_give_the_same_masks(monkeypatch, text):
    decided = compile_text(BRACKETS, TOKENS)
    monkeypatch.setattr(building, "MAX_UNIONS", 0)
    asked = compile_text(BRACKETS, TOKENS)
    assert asked.header["counts"]["undecided_nodes"] > 0
    assert legal_tokens(asked, text) == legal_tokens(decided, text)
