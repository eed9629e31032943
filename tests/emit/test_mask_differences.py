import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.artifact.relations import MAX_PARENTS
from maskc.emit.mask_differences import Unions, encode_unions
from maskc.ids import NO_BASE, NO_PARENT
from maskc.store.token_sets import TokenSets

VOCAB = 100_000
token_sets = st.lists(
    st.sets(st.integers(0, VOCAB - 1), max_size=600).map(
        lambda tokens: np.array(sorted(tokens), dtype=np.int32)
    ),
    min_size=1,
    max_size=6,
)


def encode(lists, sets, n_tokens):
    """Return the unions of sets, given by their places."""
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
