"""A piece with counters knows exact counts, and numbers only those that tokens tell apart."""

import pytest

from maskc.errors import LimitError
from maskc.regular.counted import count_loops
from maskc.runtime.cache import Budget
from maskc.runtime.link.counts.pattern_counter import PatternCounter
from maskc.runtime.link.joining import PieceBoundaries, counting
from maskc.runtime.link.joining.counting import CountingPiece
from tests.runtime.schema.vocabularies import build_index

TOKENS = (b"a", b"aa", b"b")


@pytest.fixture
def boundaries() -> PieceBoundaries:
    return PieceBoundaries(build_index(TOKENS), Budget(1 << 20))


def _make_piece(pattern: str, boundaries: PieceBoundaries) -> CountingPiece:
    found = count_loops(pattern)
    assert found is not None
    passes = [2] * len(found.bounds)
    return CountingPiece(lambda: PatternCounter(found, passes), boundaries.scanner)


def _read(piece: CountingPiece, boundaries: PieceBoundaries, text: bytes):
    inner = piece.start(boundaries.end)[0].inner
    for byte in text:
        (inner,) = piece.step(inner, byte)
    return inner


def _tokens(piece: CountingPiece, boundaries: PieceBoundaries, text: bytes) -> set[bytes]:
    words = boundaries.scanner.words(piece.legal(_read(piece, boundaries, text), boundaries.end))
    return {t for n, t in enumerate(TOKENS) if words[n // 32] >> (n % 32) & 1}


def test_counts_far_from_the_bounds_are_seen_alike(boundaries: PieceBoundaries) -> None:
    piece = _make_piece("a{1,100}b", boundaries)
    one, other = _read(piece, boundaries, b"a" * 5), _read(piece, boundaries, b"a" * 98)
    assert piece.describe(one) != piece.describe(other)
    assert piece.seen(one) == piece.seen(other)
    assert piece.seen(other) != piece.seen(_read(piece, boundaries, b"a" * 99))


def test_states_of_old_masks_are_forgotten(
    boundaries: PieceBoundaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MAX_STATES", 20)
    piece = _make_piece(".*a.{30}", boundaries)
    for n in range(40):
        text = f"{n:b}".replace("1", "a").replace("0", "b").encode()
        assert _tokens(piece, boundaries, text * 6) == set(TOKENS)
        assert piece.n_states <= 20


def test_states_that_take_much_memory_are_forgotten(
    boundaries: PieceBoundaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MAX_BYTES", 80_000)
    piece = _make_piece(".*a.{30}", boundaries)
    for n in range(40):
        text = f"{n:b}".replace("1", "a").replace("0", "b").encode()
        assert _tokens(piece, boundaries, text * 6) == set(TOKENS)
        assert piece.held_bytes <= 80_000


def test_states_that_take_too_much_memory_are_refused(
    boundaries: PieceBoundaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece = _make_piece("(?:ab){99}", boundaries)
    monkeypatch.setattr(counting, "MAX_BYTES", 1)
    with pytest.raises(LimitError, match="more than 128 MB of states of a pattern"):
        _tokens(piece, boundaries, b"ab")


def test_a_mask_of_too_many_states_is_refused(
    boundaries: PieceBoundaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MAX_STATES", 2)
    with pytest.raises(LimitError, match="more than 2 states in the pattern's automaton"):
        _tokens(_make_piece("(?:ab){99}", boundaries), boundaries, b"")
