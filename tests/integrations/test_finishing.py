"""Requests that are to end within their tokens: who asks for it, and what is counted."""

import pytest

from maskc.errors import ArtifactError
from maskc.integrations.session import Allowance, Session, finishes, read_setting
from tests.compiled import compile_text
from tests.integrations.test_session import legal


@pytest.mark.parametrize(
    ("setting", "fields", "expected"),
    [
        (None, {"maskc_finish": True}, False),
        ("cut", {"maskc_finish": True}, False),
        ("finish", None, True),
        ("finish", {"maskc_finish": False}, True),
        ("asked", None, False),
        ("asked", {"maskc_finish": "false"}, False),
        ("asked", {"maskc_finish": "true"}, True),
        ("asked", {"maskc_finish": 1}, True),
        ("asked", {"maskc_finish": True}, True),
    ],
)
def test_the_operator_says_which_requests(monkeypatch, setting, fields, expected):
    if setting is None:
        monkeypatch.delenv("MASKC_MAX_TOKENS", raising=False)
    else:
        monkeypatch.setenv("MASKC_MAX_TOKENS", setting)
    assert finishes(fields) is expected


def test_a_wrong_setting_is_refused(monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "yes")
    with pytest.raises(ArtifactError, match="'yes' is unknown; choose one of cut, asked, finish"):
        read_setting()


def test_what_came_before_the_text_is_counted_once():
    """Thoughts come before a text, and the engine counts the text's own tokens as well."""
    counted = [3]
    session = Session(compile_text('start: "a"+ "b"'), max_tokens=Allowance(7, lambda: counted[0]))
    assert legal(session) == {ord("a")}
    assert session.accept(ord("a"))
    counted[0] = 4
    assert legal(session) == {ord("a"), ord("b")}
    assert session.accept(ord("a"))
    assert legal(session) == {ord("b")}
    assert legal(session.fork()) == {ord("b")}
    session.rollback(2)
    assert legal(session) == {ord("a")}


def test_tokens_that_a_text_has_when_it_is_first_masked_are_not_counted_twice():
    session = Session(compile_text('start: "a"+ "b"'), max_tokens=Allowance(5, lambda: 4))
    assert session.accept(ord("a"))
    assert session.accept(ord("a"))
    # Two came before the text, and one token is left: not even the end fits after "b".
    assert legal(session) == {ord("a"), ord("b")}
    session = Session(compile_text('start: "a"+ "b"'), max_tokens=Allowance(6, lambda: 4))
    assert session.accept(ord("a"))
    assert session.accept(ord("a"))
    assert legal(session) == {ord("b")}


def test_a_session_that_begins_again_counts_again():
    counted = [0]
    session = Session(compile_text('start: "a"+ "b"'), max_tokens=Allowance(4, lambda: counted[0]))
    session.prepare()
    counted[0] = 1
    session.reset()
    assert session.accept(ord("a"))
    counted[0] = 2
    assert legal(session) == {ord("b")}


def test_a_budget_that_is_not_kept_is_told_once(caplog):
    session = Session(compile_text('start: "a"~8 "b"'), max_tokens=Allowance(4))
    for _ in range(3):
        assert legal(session) == {ord("a")}
        assert session.accept(ord("a"))
    assert caplog.text.count("a token budget is not kept") == 1


def test_a_token_at_which_the_engine_stops_finishes_no_text(caplog):
    """With ``b`` among its stop tokens, the known ways to finish are none for this engine."""
    session = Session(
        compile_text('start: "a" ("b" | "cd")'), [256, ord("b")], max_tokens=Allowance(3)
    )
    assert session.accept(ord("a"))
    assert legal(session) == {ord("c")}
    assert "a token budget is not kept" in caplog.text
