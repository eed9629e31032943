"""What the plug-in does when vLLM's manager of structured outputs is made, without vLLM."""

import json
from types import SimpleNamespace

import pytest

from maskc.errors import ArtifactError
from maskc.integrations import vllm as plugin
from maskc.integrations.registry import ArtifactRegistry
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text


class Manager:
    """What the plug-in reads of vLLM's manager."""

    def __init__(self, vllm_config, *, tokenizer="bytes"):
        self.vllm_config = vllm_config
        if tokenizer:
            self.tokenizer = tokenizer


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """The registries that were opened; the folder has an artifact and its examples."""
    compile_text('start: "yes" | "no"').save(tmp_path / "answer.maskc")
    (tmp_path / "answer.examples.jsonl").write_text(json.dumps(list(b"yes")) + "\n")
    monkeypatch.setenv("MASKC_ARTIFACTS", str(tmp_path))
    return []


@pytest.fixture
def start(opened, monkeypatch):
    def open_registry(model_config, tokenizer):
        assert model_config == "model"
        opened.append(ArtifactRegistry(load_vocabulary(tokenizer)))
        return opened[-1]

    monkeypatch.setattr(plugin, "open_registry", open_registry)
    original = Manager.__init__

    def start(**named):
        made = object.__new__(Manager)
        plugin._wrap_start(original)(made, SimpleNamespace(model_config="model"), **named)
        return made

    return start


def test_artifacts_follow_their_examples_when_an_engine_starts(start, opened):
    assert start().tokenizer == "bytes"
    (registry,) = opened
    artifact = registry.served()["answer"]
    assert len(artifact.mask_table()) == 4  # before each token, and the one that has none


def test_without_examples_nothing_is_opened(start, opened, tmp_path):
    (tmp_path / "answer.examples.jsonl").unlink()
    assert start().tokenizer == "bytes"
    assert opened == []


def test_without_a_tokenizer_nothing_is_opened(start, opened):
    assert not hasattr(start(tokenizer=None), "tokenizer")
    assert opened == []


def test_without_artifacts_nothing_is_opened(start, opened, monkeypatch):
    monkeypatch.delenv("MASKC_ARTIFACTS")
    start()
    assert opened == []


@pytest.mark.usefixtures("opened")
def test_a_model_that_artifacts_cannot_be_opened_for_is_told_and_starts(caplog, monkeypatch):
    def fail(*_):
        raise ArtifactError("model", "has no tokens", "give another")

    monkeypatch.setattr(plugin, "open_registry", fail)
    made = object.__new__(Manager)
    plugin._wrap_start(Manager.__init__)(made, SimpleNamespace(model_config="model"))
    assert made.tokenizer == "bytes"
    assert "examples are not followed: model: has no tokens; give another" in caplog.text
