"""Requests that end where the engine says."""

import numpy as np
import pytest

from maskc import allocate_bitmask
from maskc.errors import ArtifactError, LimitError
from maskc.integrations.registry import parse_reference
from maskc.integrations.session import Allowance, Session
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text

LINE, EOS = 10, 256


@pytest.fixture(scope="module")
def artifact():
    return compile_text("start: /a[\\nb]*c?/")


def legal(session, width=257):
    bitmask = allocate_bitmask(2, width)
    session.fill(bitmask, 1)
    assert (bitmask[0] == -1).all()
    return set(np.flatnonzero(np.unpackbits(bitmask[1].view(np.uint8), bitorder="little")).tolist())


def test_the_artifacts_own_ends_are_the_default(artifact):
    session = Session(artifact)
    assert session.accept(ord("a"))
    assert legal(session) == {LINE, ord("b"), ord("c"), EOS}


def test_a_stop_token_is_an_end_and_no_text(artifact):
    session = Session(artifact, [EOS, LINE, 70])
    assert not session.accept(LINE)
    assert legal(session) == {ord("a")}
    session.accept(ord("a"))
    assert legal(session) == {LINE, ord("b"), ord("c"), EOS, 70}
    assert session.accept(LINE)
    assert session.is_terminated


def test_an_end_where_the_engine_does_not_stop_is_illegal(artifact):
    session = Session(artifact, [70])
    session.accept(ord("a"))
    assert EOS not in legal(session)
    assert not session.accept(EOS)
    assert session.accept(70)


def test_an_end_beyond_the_mask_is_left_alone(artifact):
    session = Session(artifact, [EOS, 5000])
    session.accept(ord("a"))
    assert EOS in legal(session)


def test_tokens_after_the_end_are_taken_back_one_by_one(artifact):
    session = Session(artifact)
    for token in (ord("a"), EOS, 3, 4):
        assert session.accept(token)
    session.rollback(2)
    assert session.is_terminated
    session.rollback(1)
    assert not session.is_terminated
    assert EOS in legal(session)
    session.rollback(1)
    assert legal(session) == {ord("a")}


def test_counting_legal_tokens_changes_nothing_and_stops_at_the_end(artifact):
    session = Session(artifact)
    assert session.count_legal([ord("a"), ord("b"), EOS, ord("b")]) == 3
    assert session.count_legal([ord("b")]) == 0
    assert legal(session) == {ord("a")}


def test_a_fork_goes_its_own_way(artifact):
    session = Session(artifact, [70])
    session.accept(ord("a"))
    other = session.fork()
    other.accept(70)
    assert other.is_terminated
    assert not session.is_terminated


def test_forced_text_has_whole_characters_only():
    session = Session(compile_text('start: "é" ("à" | "á")'))
    assert session.forced_text() == "é"


def test_a_reference_without_a_name_is_refused():
    with pytest.raises(ArtifactError, match="is not the name of an artifact"):
        parse_reference("maskc://../json")


@pytest.mark.costly
def test_a_text_that_cannot_be_followed_ends(monkeypatch):
    """Its ends are all that is legal; what was taken before can be taken back."""
    kit = make_kit(load_vocabulary("bytes"))
    several = kit.one_of(kit.choice(["a"]), kit.choice(["aa"]))
    session = Session(kit.repeat(several, 2_000, 20_000), [256])
    n_taken = 0
    while session.accept(ord("a")):
        n_taken += 1
    assert 100 < n_taken < 3_000

    def refuse(*_):
        raise LimitError("states", 1, "write less")

    monkeypatch.setattr("maskc.integrations.session.fill_row", refuse)
    assert legal(session) == {256}
    assert not session.accept(ord("a"))
    assert session.accept(256)
    assert session.is_terminated
    assert session.accept(7)
    session.rollback(2)
    assert not session.is_terminated
    session.rollback(1)
    assert session.accept(ord("a"))


def test_a_text_ends_within_the_requests_tokens():
    session = Session(compile_text('start: "a"+ "b"'), max_tokens=Allowance(4))
    assert legal(session) == {ord("a")}
    assert session.accept(ord("a"))
    assert session.accept(ord("a"))
    assert legal(session) == {ord("b")}
    session.rollback(1)
    assert legal(session) == {ord("a"), ord("b")}
    assert legal(session.fork()) == {ord("a"), ord("b")}


def test_a_budget_that_no_text_keeps_is_logged_and_not_kept(caplog):
    session = Session(compile_text('start: "a"+ "b"'), max_tokens=Allowance(2))
    assert legal(session) == {ord("a")}
    assert "a token budget is not kept" in caplog.text
