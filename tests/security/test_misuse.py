"""One matcher's misuse is nobody else's problem: refused, or without an effect on others."""

import copy
import pickle
import weakref

import numpy as np
import pytest

import maskc
from maskc.integrations.session import Session
from maskc.runtime.artifact import Artifact
from tests.compiled import compile_text, legal_ids

NESTED = 'start: "(" start ")" | "[" start ("," start)* "]" | "a"\n'
TOKENS = (b"(", b")", b"[", b"]", b",", b"a", b"((", b"))", b"[a", b"a]", b",a", b"]]", b")]")
CONTENTS = compile_text(NESTED, TOKENS).contents
# Wide enough for two words, and for ids that 8 and 16 bits do not hold.
WIDE = compile_text(NESTED, tuple(b"a" if n == 127 else b"(" for n in range(130))).contents

NO_INTEGERS = [True, None, 1.0, "1", b"1", np.array(1), np.array([1]), np.float64(1), np.True_, [1]]


@pytest.fixture
def artifact():
    return Artifact(CONTENTS)


@pytest.fixture
def wide():
    return Artifact(WIDE)


def follow(artifact):
    """Return a matcher three tokens from the start, one of them taken back."""
    matcher = artifact.matcher()
    assert matcher.accept_tokens([0, 2, 5, 4]) == 4
    matcher.rollback(1)
    return matcher


def state_of(matcher):
    """Return what can be seen of a matcher, going back included."""
    twin, states = matcher.fork(), [matcher.configuration()]
    for _ in range(3):
        twin.rollback(1)
        states.append(twin.configuration())
    return states


def raise_after(*token_ids):
    yield from token_ids
    raise RuntimeError("the source broke")


def test_a_numpy_integer_is_the_same_token_for_every_matcher(wide):
    assert wide.matcher().accept_token(np.int8(127)) is True
    assert wide.matcher().accept_token(127) is True
    assert wide.token_bytes(np.int8(127)) == b"a"


TAKE_INTEGERS = (
    lambda matcher, value: matcher.accept_token(value),
    lambda matcher, value: matcher.accept_tokens([4, value]),
    lambda matcher, value: matcher.validate_tokens([4, value]),
    lambda matcher, value: matcher.rollback(value),
    lambda matcher, value: matcher._artifact.token_bytes(value),
    lambda matcher, value: matcher._artifact.mask_table(value),
    lambda _, value: Artifact(CONTENTS, cache_bytes=value),
    lambda _, value: maskc.allocate_bitmask(value, 5),
    lambda matcher, value: matcher.fill_bitmask(maskc.allocate_bitmask(2, 14), value),
)


@pytest.mark.parametrize(
    ("use", "values", "error", "words"),
    [
        *((use, NO_INTEGERS, TypeError, "must be an int, not") for use in TAKE_INTEGERS),
        (
            lambda matcher, data: matcher.accept_bytes(data),
            ["a", None, 97, [97], np.array([97], np.uint8)],
            *(TypeError, "accept_bytes takes bytes"),
        ),
        # A source that breaks.
        (
            lambda matcher, name: getattr(matcher, name)(raise_after(4, 5, 4)),
            ["accept_tokens", "validate_tokens"],
            *(RuntimeError, "broke"),
        ),
    ],
)
def test_what_is_refused_changes_nothing(artifact, use, values, error, words):
    matcher = follow(artifact)
    before = state_of(matcher)
    for value in values:
        with pytest.raises(error, match=words):
            use(matcher, value)
        assert state_of(matcher) == before


def test_bytes_in_other_containers_are_taken(artifact):
    assert artifact.matcher().accept_bytes(bytearray(b"[a"))
    assert artifact.matcher().accept_bytes(memoryview(b"[a"))


@pytest.mark.parametrize("token_id", [1 << 80, -(1 << 80), np.uint64((1 << 64) - 1), -1])
def test_no_integer_raises_in_the_place_of_a_token(artifact, token_id):
    assert follow(artifact).accept_token(token_id) is False


# Reading tokens.


@pytest.mark.costly
def test_validating_more_tokens_than_a_history_keeps_changes_nothing(artifact):
    matcher = follow(artifact)
    before = state_of(matcher)
    assert matcher.validate_tokens([4, 5] * 100_000) == 200_000
    assert state_of(matcher) == before


def test_a_session_counts_tokens_without_moving(artifact):
    session = Session(artifact)
    for token in (0, 2, 5):
        assert session.accept(token)
    before = state_of(session._matcher)
    assert session.count_legal([4, 5] * 100_000) == 200_000
    with pytest.raises(TypeError, match="a token must be an int"):
        session.count_legal([4, 5, None])
    with pytest.raises(RuntimeError, match="broke"):
        session.count_legal(raise_after(4))
    assert state_of(session._matcher) == before


def test_what_follows_the_first_illegal_token_is_not_read(artifact):
    matcher = follow(artifact)
    assert matcher.accept_tokens(raise_after(4, 1)) == 1
    matcher.rollback(1)
    assert matcher.validate_tokens(raise_after(4, 1)) == 1


def test_an_end_is_counted_and_nothing_after_it(artifact):
    matcher = artifact.matcher()
    end = artifact.eos_ids[0]
    assert matcher.validate_tokens([5, end, end]) == 2
    assert not matcher.is_terminated
    assert matcher.accept_tokens([5, end, end]) == 2
    assert matcher.is_terminated
    assert matcher.validate_tokens([5]) == 0
    matcher.rollback(1)
    assert matcher.is_accepting


# Copies.


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_a_fork(artifact, copied):
    matcher = follow(artifact)
    before = state_of(matcher)
    twin = copied(matcher)
    assert type(twin) is maskc.Matcher
    assert twin.accept_tokens([4, 5]) == 2
    twin.rollback(3)
    assert state_of(matcher) == before


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_matcher_says_what_to_send_in_its_place(artifact, protocol):
    with pytest.raises(TypeError, match=r"not pickled.*send the token ids"):
        pickle.dumps(artifact.matcher(), protocol)


# Bitmasks.

N_WORDS = 5


def frozen(array):
    array.setflags(write=False)
    return array


BAD_BITMASKS = {
    "a list": [[0] * N_WORDS],
    "None": None,
    "int64": np.zeros((2, N_WORDS), np.int64),
    "float32": np.zeros((2, N_WORDS), np.float32),
    "bool": np.zeros((2, N_WORDS), np.bool_),
    "int16": np.zeros((2, N_WORDS), np.int16),
    "uint32": np.zeros((2, N_WORDS), np.uint32),
    "the other byte order": np.zeros((2, N_WORDS), np.dtype(np.int32).newbyteorder()),
    "read-only": frozen(np.zeros((2, N_WORDS), np.int32)),
    "strided words": np.zeros((2, 2 * N_WORDS), np.int32)[:, ::2],
    "strided rows": np.zeros((4, N_WORDS), np.int32)[::2],
    "columns of a wider one": np.zeros((2, N_WORDS + 1), np.int32)[:, :N_WORDS],
    "Fortran order": np.zeros((2, N_WORDS), np.int32, order="F"),
    "too wide": np.zeros((2, N_WORDS + 1), np.int32),
    "too narrow": np.zeros((2, N_WORDS - 1), np.int32),
    "one dimension": np.zeros(N_WORDS, np.int32),
    "three dimensions": np.zeros((2, 2, N_WORDS), np.int32),
    "masked": np.ma.zeros((2, N_WORDS), np.int32),
    "unaligned": np.frombuffer(bytearray(8 * N_WORDS + 1), np.int32, offset=1).reshape(2, -1),
}


@pytest.mark.parametrize("kind", BAD_BITMASKS)
def test_an_array_that_is_no_bitmask_is_refused_and_not_written_to(wide, kind):
    bitmask = BAD_BITMASKS[kind]
    with pytest.raises((TypeError, ValueError), match=r"^a bitmask "):
        wide.matcher().fill_bitmask(bitmask, 0)
    with pytest.raises((TypeError, ValueError), match=r"^a bitmask "):
        maskc.fill_bitmasks([wide.matcher(), wide.matcher()], bitmask, [0, 1])
    assert not np.any(bitmask)


@pytest.mark.parametrize("row", [None, True, -1, slice(None), [0], 2, 1.0, 1 << 70, "0", ...])
@pytest.mark.parametrize("n_fills", [0, 1])
def test_a_row_that_is_none_is_refused_and_nothing_is_written(wide, row, n_fills):
    matcher, bitmask = wide.matcher(), maskc.allocate_bitmask(2, wide.vocab_size)
    for _ in range(n_fills):
        matcher.fill_bitmask(bitmask, 0)
    before = bitmask.copy()
    with pytest.raises((TypeError, ValueError), match=r"^(a )?row "):
        matcher.fill_bitmask(bitmask, row)
    assert np.array_equal(bitmask, before)


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_a_mask_of_one_word_is_not_written_into_a_wider_row(artifact, n_rows):
    matcher, bitmask = artifact.matcher(), np.zeros((n_rows, 2), np.int32)
    for array in (bitmask, bitmask.reshape(n_rows, 2, 1), bitmask.reshape(-1)):
        with pytest.raises(ValueError, match=r"a bitmask must be int32\[rows, 1\] here"):
            matcher.fill_bitmask(array, 0)
    assert not bitmask.any()


def with_attribute(name, value):
    """Return a function that makes an array another one in place."""
    return lambda array: setattr(array, name, value) or array


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array.view(np.float32),
        lambda array: array.reshape(2, 2, N_WORDS),
        frozen,
        with_attribute("dtype", np.dtype(np.float32)),
        with_attribute("shape", (2, 2, N_WORDS)),
    ],
)
def test_an_array_that_changed_since_it_was_filled_is_looked_at_again(wide, change):
    matcher, bitmask = wide.matcher(), np.zeros((4, N_WORDS), np.int32)
    matcher.fill_bitmask(bitmask, 0)
    filled = bitmask.tobytes()
    changed = change(bitmask)
    with pytest.raises((TypeError, ValueError), match=r"^a bitmask "):
        matcher.fill_bitmask(changed, 1)
    assert bitmask.tobytes() == filled


def test_any_name_of_int32_is_written_to(wide):
    """NumPy has several objects for one type; masks have the usual one."""
    matcher, plain = wide.matcher(), np.zeros((1, N_WORDS), np.int32)
    matcher.fill_bitmask(plain, 0)
    named = np.zeros((1, N_WORDS), np.dtype(np.int32, metadata={"of": "a test"}))
    matcher.fill_bitmask(named, 0)
    assert np.array_equal(named, plain)


def test_a_bitmask_in_the_place_of_one_that_is_gone_is_looked_at(wide):
    matcher = wide.matcher()
    for dtype in [np.int32, np.int64] * 20:
        # A new array often has the number of the one before.
        bitmask = np.zeros((1, N_WORDS), dtype)
        if dtype == np.int32:
            matcher.fill_bitmask(bitmask, 0)
        else:
            with pytest.raises(TypeError, match="holds int32, not int64"):
                matcher.fill_bitmask(bitmask, 0)
            assert not bitmask.any()


def test_a_matcher_keeps_no_bitmask_alive(wide):
    matcher, bitmask = wide.matcher(), maskc.allocate_bitmask(1, wide.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    gone = weakref.ref(bitmask)
    del bitmask
    assert gone() is None


# Batches.


def test_a_batch_may_come_from_generators(artifact):
    matchers = [artifact.matcher(), follow(artifact)]
    bitmask = maskc.allocate_bitmask(2, artifact.vocab_size)
    maskc.fill_bitmasks((m for m in matchers), bitmask, (row for row in (1, 0)))
    for matcher, row in zip(matchers, (1, 0), strict=True):
        alone = maskc.allocate_bitmask(1, artifact.vocab_size)
        matcher.fill_bitmask(alone, 0)
        assert np.array_equal(bitmask[row], alone[0])


@pytest.mark.parametrize(
    ("last", "rows", "width"),
    [
        *((follow, rows, 1) for rows in ([0], [0, 0], [0, 2], [-1, 0], [0, None], [0, True])),
        *((follow, rows, 1) for rows in ([0.0, 1.0], [0, 1, 2], 0)),
        *((lambda _, value=value: value, [0, 1], 1) for value in (None, "a matcher")),
        # Vocabularies of two sizes.
        *((lambda _: Artifact(WIDE).matcher(), [0, 1], width) for width in (1, N_WORDS)),
    ],
)
def test_a_batch_that_is_refused_writes_nothing(artifact, last, rows, width):
    for matchers in ([artifact.matcher(), last(artifact)], [last(artifact), artifact.matcher()]):
        bitmask = np.zeros((2, width), np.int32)
        with pytest.raises((TypeError, ValueError)):
            maskc.fill_bitmasks(matchers, bitmask, rows)
        assert not bitmask.any()


def test_a_matcher_may_fill_two_rows(artifact):
    matcher, bitmask = artifact.matcher(), np.zeros((2, 1), np.int32)
    maskc.fill_bitmasks([matcher, matcher], bitmask, [0, 1])
    assert bitmask[0] == bitmask[1] != 0


# What matchers share.


def test_the_mask_table_cannot_be_made_writable(artifact):
    matcher = artifact.matcher()
    legal = legal_ids(matcher, artifact.vocab_size)
    table = artifact.mask_table()
    for array in (table, table[1], table[:, :], table.reshape(-1), table.view(np.uint8)):
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.setflags(write=True)
    assert legal_ids(artifact.matcher(), artifact.vocab_size) == legal


@pytest.mark.parametrize("first", [2, 3, 1 << 70])
def test_the_mask_table_ends_where_the_masks_do(artifact, first):
    artifact.matcher().mask_id()
    assert artifact.mask_table(first).shape == (0, 1)


def test_the_mask_table_does_not_count_from_its_end(artifact):
    with pytest.raises(ValueError, match="first is -1; give 0 or more"):
        artifact.mask_table(-1)


@pytest.mark.parametrize("cache_bytes", [-1, -(1 << 80)])
def test_less_memory_than_none_is_refused(tmp_path, artifact, cache_bytes):
    path = tmp_path / "a.maskc"
    artifact.save(path)
    with pytest.raises(ValueError, match=r"cache_bytes is -1.*; give 0 or more"):
        maskc.load(path, cache_bytes=cache_bytes)


def test_the_budget_is_looked_at_before_the_file():
    with pytest.raises(TypeError, match="cache_bytes must be an int, not None"):
        maskc.load("there is no such file", cache_bytes=None)


@pytest.mark.parametrize("cache_bytes", [0, 1 << 80, np.int64(1 << 20)])
def test_any_other_amount_of_memory_gives_the_same_masks(artifact, cache_bytes):
    other = Artifact(CONTENTS, cache_bytes=cache_bytes)
    assert legal_ids(follow(other), other.vocab_size) == legal_ids(follow(artifact), 14)


def test_without_memory_no_mask_has_a_number():
    small = Artifact(CONTENTS, cache_bytes=0)
    matcher = small.matcher()
    assert matcher.mask_id() == -1
    assert matcher.accept_tokens([5, small.eos_ids[0]]) == 2
    assert matcher.mask_id() == -1
    assert small.mask_table().shape == (0, 1)
