"""A server's load, for seconds instead of the minutes of `make engines`."""

from pathlib import Path

import pytest

import maskc
from tests.engines.soaking import Soak, is_flat, judge

GRAMMARS = Path(__file__).parents[2] / "grammars"


@pytest.fixture(scope="module")
def artifacts():
    return {
        name: maskc.compile_grammar(GRAMMARS / f"{name}.lark", tokenizer="bytes")
        for name in ("json", "csv")
    }


def test_a_load_of_mixed_artifacts_writes_beginnings_of_legal_texts_only(artifacts, tmp_path):
    path = tmp_path / "texts.jsonl"
    with path.open("w") as texts:
        soak = Soak(artifacts, 16, texts)
        for _ in range(300):
            soak.step()
    counts = soak.counts
    assert counts["steps"] == 300
    assert min(counts[what] for what in ("texts", "drafts", "forks", "refused", "cancelled")) > 0
    verdicts = judge(artifacts, path, seconds=20)
    assert verdicts["judged"] > 0
    assert verdicts["illegal"] == verdicts["undecided"] == 0


def test_a_text_that_lark_refuses_is_counted(artifacts, tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text(
        '{"name": "json", "ended": true, "text": "5b5d"}\n'  # []
        '{"name": "json", "ended": true, "text": "5b"}\n'  # [
        '{"name": "json", "ended": false, "text": "5d"}\n'  # ]
    )
    assert judge(artifacts, path, seconds=20) == {
        "judged": 3,
        "parsed": 1,
        "illegal": 2,
        "undecided": 0,
    }


def test_memory_that_grows_in_the_second_half_is_not_flat():
    assert is_flat([(0, 50, 0), (1, 100, 10), (2, 104, 20), (3, 101, 30)])
    assert not is_flat([(0, 50, 0), (1, 100, 10), (2, 102, 20), (3, 106, 30)])
