"""The contract of llama-cpp-python's logits processors, on NumPy: ids and scores in, scores out.

The engine itself is in test_llama_cpp_engine.py, where it is installed.
"""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from maskc.integrations.errors import IntegrationError
from maskc.integrations.llama_cpp import (
    GrammarProcessor,
    ProcessorList,
    find_end_ids,
    open_registry,
)
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
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


def test_a_constraint_of_a_request_is_followed_to_its_end():
    kit = make_kit(load_vocabulary("bytes"))
    processor = GrammarProcessor(kit.sequence(kit.choice(["é", "a"]), kit.regex("[bc]")))
    assert call(processor, [9]) == {ord("a"), 0xC3}
    assert call(processor, [9, ord("a")]) == {ord("b"), ord("c")}
    assert call(processor, [9, ord("a"), ord("c")]) == {EOS}


def test_ids_that_go_back_are_followed_back(artifact):
    processor = GrammarProcessor(artifact)
    call(processor, [])
    call(processor, [ord("a")])
    assert call(processor, [ord("a"), ord("b")]) == {EOS}
    assert call(processor, [ord("a")]) == {ord("b"), ord("c")}
    assert call(processor, [ord("a"), ord("c")]) == {EOS}
    assert call(processor, [ord("a"), ord("c"), EOS]) == {EOS}
    assert call(processor, [0xC3]) == {0xA9}


def test_ids_after_the_sampled_ones_are_a_draft(artifact):
    """One call, one token: what the engine evaluates beyond is not decided, and may be illegal."""
    processor = GrammarProcessor(artifact)
    call(processor, [9])
    draft = [ord("x"), ord("y")]
    assert call(processor, [9, ord("a"), *draft]) == {ord("b"), ord("c")}
    assert call(processor, [9, ord("a"), ord("c"), *draft]) == {EOS}


def test_the_same_prompt_again_starts_again(artifact):
    processor = GrammarProcessor(artifact)
    for _ in range(2):
        assert call(processor, [9, 9]) == {ord("a"), 0xC3}
        assert call(processor, [9, 9, ord("a")]) == {ord("b"), ord("c")}


def test_the_ends_are_those_of_the_engine(artifact):
    processor = GrammarProcessor(artifact, end_ids=[260, ord("b")])
    call(processor, [])
    call(processor, [ord("a")])
    assert call(processor, [ord("a"), ord("c")]) == {260, ord("b")}
    assert call(processor, [ord("a"), ord("c"), 260]) == {260, ord("b")}


def test_what_the_engine_does_not_write_is_never_legal(artifact):
    processor = GrammarProcessor(artifact, unwritten=[ord("b"), 0xC3])
    assert call(processor, [9]) == {ord("a")}
    assert call(processor, [9, ord("a")]) == {ord("c")}


def test_the_best_legal_token_wins_whatever_the_model_wants(artifact):
    processor = GrammarProcessor(artifact)
    ids = [1, 2, 3]
    rng = np.random.default_rng(0)
    while ids[-1] != EOS:
        scores = processor(np.array(ids, dtype=np.intc), rng.normal(size=WIDTH).astype(np.single))
        ids.append(int(scores.argmax()))
    assert bytes(ids[3:-1]).decode() in {"é", "ab", "ac"}


def fail(processor, ids, width=WIDTH, score=0.0):
    """Return the error of a call, and the ids that the scores are left to."""
    scores = np.full(width, score, dtype=np.single)
    with pytest.raises(IntegrationError) as caught:
        processor(np.array(ids, dtype=np.intc), scores)
    return str(caught.value), np.flatnonzero(np.isfinite(scores)).tolist()


def test_another_prompt_is_refused(artifact):
    processor = GrammarProcessor(artifact)
    call(processor, [5, 6])
    assert "make a GrammarProcessor for each completion" in fail(processor, [5, 7])[0]


def test_a_prompt_that_contains_the_text_before_is_another_one(artifact):
    """A chat: the second prompt is the first, its answer, and more."""
    processor = GrammarProcessor(artifact)
    for ids in ([5], [5, ord("a")], [5, ord("a"), ord("b")]):
        call(processor, ids)
    assert "a second prompt" in fail(processor, [5, ord("a"), ord("b"), EOS, 6, 7])[0]


def test_an_illegal_token_is_refused(artifact):
    processor = GrammarProcessor(artifact)
    call(processor, [5])
    message, _ = fail(processor, [5, ord("x")])
    assert "token 120 was generated, which is not legal" in message


def test_a_smaller_model_is_refused(artifact):
    message, _ = fail(GrammarProcessor(artifact), [1], width=100)
    assert "has 257 tokens, and the model only 100" in message


def test_scores_without_a_legal_token_are_refused(artifact):
    message, _ = fail(GrammarProcessor(artifact), [1], score=-np.inf)
    assert "every legal token has the score -inf" in message


def test_an_error_leaves_nothing_but_the_end_and_is_kept(artifact):
    """The engine prints and drops what a processor raises, and reads the scores."""
    processor = GrammarProcessor(artifact)
    call(processor, [5])
    assert processor.check() is False
    assert fail(processor, [5, ord("x")])[1] == [EOS]
    assert fail(processor, [5, EOS])[1] == [EOS]
    with pytest.raises(IntegrationError, match="token 120 was generated"):
        processor.check([5, EOS], None)


def test_a_list_of_processors_survives_being_extended(artifact):
    """The engine takes what ``extend`` returns for the list; the grammar stays the last."""
    grammar = GrammarProcessor(artifact)
    processors = ProcessorList([grammar])
    assert processors.extend([abs]) is processors
    assert processors == [abs, grammar]


def test_a_version_that_lacks_a_function_is_refused_by_name(monkeypatch):
    engine = SimpleNamespace(__version__="0.1.0", llama_model_get_vocab=None)
    monkeypatch.setitem(sys.modules, "llama_cpp", engine)
    with pytest.raises(IntegrationError, match=r"version 0\.1\.0 has no llama_token_to_piece"):
        find_end_ids(None)


def test_artifacts_follow_their_examples_before_the_first_completion(
    artifact, monkeypatch, tmp_path
):
    module = "maskc.integrations.llama_cpp"
    monkeypatch.setattr(f"{module}.find_end_ids", lambda _: (EOS,))
    monkeypatch.setattr(f"{module}.find_unwritten", lambda *_: ())
    monkeypatch.setattr(f"{module}.read_vocabulary", lambda *_: load_vocabulary("bytes"))
    artifact.save(tmp_path / "word.maskc")
    (tmp_path / "word.examples.jsonl").write_text("[97, 98]\n")
    registry = open_registry(SimpleNamespace(), tmp_path)
    assert registry.preload() == {}
    processor, served = registry.make_processor("word"), registry.load("word")
    n_masks = len(served.mask_table())
    assert call(processor, [9]) == {ord("a"), 0xC3}
    assert call(processor, [9, ord("a")]) == {ord("b"), ord("c")}
    assert len(served.mask_table()) == n_masks == 3  # with the one that has no token
