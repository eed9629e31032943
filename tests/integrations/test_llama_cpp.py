"""The contract of llama-cpp-python's logits processors, on NumPy: ids and scores in, scores out."""

import numpy as np
import pytest

from maskc.integrations.errors import IntegrationError
from maskc.integrations.llama_cpp import GrammarProcessor
from tests.compiled import compile_text

EOS, WIDTH = 256, 300


@pytest.fixture(scope="module")
def artifact():
    return compile_text('start: "é" | "ab" | "ac"')


def call(processor, ids):
    scores = np.arange(WIDTH, dtype=np.single)
    found = processor(np.array(ids, dtype=np.intc), scores)
    assert found.dtype == np.single
    assert np.array_equal(scores, np.arange(WIDTH))
    kept = np.flatnonzero(np.isfinite(found))
    assert np.array_equal(found[kept], kept)
    return set(kept.tolist())


def test_a_completion_is_followed_to_its_end(artifact):
    processor = GrammarProcessor(artifact)
    assert call(processor, [9, 9]) == {ord("a"), 0xC3}
    assert call(processor, [9, 9, 0xC3]) == {0xA9}
    assert call(processor, [9, 9, 0xC3, 0xA9]) == {EOS}
    assert call(processor, [9, 9, 0xC3, 0xA9, EOS]) == {EOS}


def test_ids_that_go_back_are_followed_back(artifact):
    processor = GrammarProcessor(artifact)
    call(processor, [])
    assert call(processor, [ord("a"), ord("b")]) == {EOS}
    assert call(processor, [ord("a")]) == {ord("b"), ord("c")}
    assert call(processor, [ord("a"), ord("c"), EOS]) == {EOS}
    assert call(processor, [0xC3]) == {0xA9}


def test_the_best_legal_token_wins_whatever_the_model_wants(artifact):
    processor = GrammarProcessor(artifact)
    ids = [1, 2, 3]
    rng = np.random.default_rng(0)
    while ids[-1] != EOS:
        scores = processor(np.array(ids, dtype=np.intc), rng.normal(size=WIDTH).astype(np.single))
        ids.append(int(scores.argmax()))
    assert bytes(ids[3:-1]).decode() in {"é", "ab", "ac"}


def test_another_prompt_is_refused(artifact):
    processor = GrammarProcessor(artifact)
    call(processor, [5, 6])
    with pytest.raises(IntegrationError, match="make a GrammarProcessor for each completion"):
        call(processor, [5, 7])


def test_an_illegal_token_is_refused(artifact):
    processor = GrammarProcessor(artifact)
    call(processor, [5])
    with pytest.raises(IntegrationError, match="token 120 was generated, which is not legal"):
        call(processor, [5, ord("x")])


def test_a_smaller_model_is_refused(artifact):
    with pytest.raises(IntegrationError, match="has 257 tokens, and the model only 100"):
        GrammarProcessor(artifact)(np.array([1], dtype=np.intc), np.zeros(100, dtype=np.single))
