"""What was compiled once is not compiled again, and gives the same masks."""

import json

import numpy as np
import pytest

import maskc
from maskc.errors import ArtifactError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.compile_worker import MOST_BYTES, find_or_make, recording, using
from maskc.integrations.requests import make_constraint
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

CHEAP = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}})
DEAR = json.dumps({"anyOf": [{"pattern": "^a+$"}, {"const": 3}]})
TAG = json.dumps(
    {
        "type": "structural_tag",
        "format": {"type": "json_schema", "json_schema": {"enum": ["x", "y"]}},
    }
)
REQUESTS = [
    ("json", CHEAP),
    ("json", DEAR),
    ("regex", "(?:ab|[c-e]){2,5}(?=!)!"),
    ("grammar", 'start: "a" start "b" | "c"\n'),
    ("structural_tag", TAG),
]


@pytest.fixture(scope="module")
def pools():
    vocabulary = load_vocabulary("bytes")
    made = [OtherProcess(vocabulary) for _ in range(2)]
    yield [(pool, make_kit(vocabulary, compiler=pool)) for pool in made]
    for pool in made:
        pool.close()


def fill(constraint, text=b""):
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    matcher = constraint.matcher()
    assert matcher.accept_bytes(text)
    matcher.fill_bitmask(bitmask, 0)
    return bitmask


@pytest.mark.parametrize(("kind", "text"), REQUESTS)
def test_what_the_front_end_compiled_the_engine_does_not(pools, monkeypatch, kind, text):
    (_, front), (engine_pool, engine) = pools
    with recording() as answers:
        accepted = make_constraint(front, kind, text)
    assert answers

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr(engine_pool, "_order", refuse)
    monkeypatch.setattr(engine_pool._here, "plan", refuse)
    with using(answers):
        constraint = make_constraint(engine, kind, text)
    assert np.array_equal(fill(constraint), fill(accepted))


def test_what_was_refused_before_a_larger_schema_is_not_compiled_again(pools, monkeypatch):
    (_, front), (engine_pool, engine) = pools
    text = json.dumps({"anyOf": [{"pattern": "(a)\\1"}, {"const": 3}]})
    with recording() as answers:
        accepted = make_constraint(front, "json", text, on_unsupported="loosen")

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr(engine_pool, "_order", refuse)
    monkeypatch.setattr(engine_pool._here, "plan", refuse)
    with using(answers):
        constraint = make_constraint(engine, "json", text, on_unsupported="loosen")
    assert constraint.notes == accepted.notes
    assert np.array_equal(fill(constraint), fill(accepted))


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b"{" * 1000])
def test_what_is_no_plan_is_refused(pools, data):
    (_, front), (_, engine) = pools
    text = json.dumps({"type": "string", "maxLength": len(data) + 1})
    with recording() as answers:
        make_constraint(front, "json", text)
    with (
        using(dict.fromkeys(answers, data)),
        pytest.raises(ArtifactError, match="<compiled>: is damaged"),
    ):
        make_constraint(engine, "json", text)


def test_what_was_recorded_for_something_else_is_not_used():
    with recording() as answers:
        find_or_make({"text": "a"}, lambda: b"a")
    with using(answers):
        assert find_or_make({"text": "b"}, lambda: b"b") == b"b"


def test_what_is_too_large_is_compiled_again():
    with recording() as answers:
        assert len(find_or_make({"text": "a"}, lambda: bytes(MOST_BYTES + 1))) > MOST_BYTES
    assert answers == {}
