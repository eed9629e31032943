"""Beam search in vLLM, which goes past its checks and its manager; and shared parameters."""

from types import SimpleNamespace

import pytest

from maskc.integrations import vllm as plugin
from tests.integrations.vllm_parts import (
    BeamSearchOfflineMixin,
    BeamSearchSequence,
    ChatCompletionRequest,
    CompletionRequest,
    SamplingParams,
    StructuredOutputsConfig,
    StructuredOutputsParams,
    VLLMValidationError,
    make_model,
)

pytestmark = pytest.mark.filterwarnings("ignore")

EOS = 1


@pytest.fixture(scope="module", autouse=True)
def folder(references):
    plugin.register()
    return references


@pytest.fixture(scope="module")
def model(tokenizer):
    return make_model(tokenizer)


@pytest.fixture
def search(model):
    """What ``LLM`` inherits, without an engine."""
    made = object.__new__(BeamSearchOfflineMixin)
    made.model_config = model
    made.llm_engine = SimpleNamespace(
        vllm_config=SimpleNamespace(structured_outputs_config=StructuredOutputsConfig())
    )
    return made


def allowed(search, tokenizer, *texts):
    """Return what vLLM lets each beam go on with, ``None`` where it ends."""
    asked = StructuredOutputsParams(grammar="maskc://answer")
    backend, key, bitmask = search._init_beam_search_structured_output(asked, tokenizer)
    beams = [
        BeamSearchSequence(
            {"type": "token", "prompt_token_ids": [7]}, tokens=[7, *text], logprobs=[]
        )
        for text in texts
    ]
    base = SamplingParams(logprobs=4, max_tokens=1, detokenize=False)
    found = search._build_beam_sampling_params(beams, base, backend, key, bitmask)
    backend.destroy()
    return [entry and {tokenizer.decode([i]) for i in entry[1]} for entry in found]


def test_each_beam_follows_the_artifact_from_where_it_is(search, tokenizer):
    y, no = (tokenizer.encode(text, add_special_tokens=False) for text in ("y", "no"))
    assert allowed(search, tokenizer, [], y, no, [*no, EOS]) == [
        {"y", "ye", "yes", "n", "no"},
        {"e", "es"},
        {"<｜end▁of▁sentence｜>"},
        None,
    ]


def test_a_beam_search_for_a_bad_name_is_refused_by_name(search, tokenizer):
    asked = StructuredOutputsParams(grammar="maskc://missing")
    with pytest.raises(VLLMValidationError, match="missing: no such artifact"):
        search._init_beam_search_structured_output(asked, tokenizer)


def test_a_beam_search_for_another_grammar_is_vllms_own(search, tokenizer):
    asked = StructuredOutputsParams(grammar='root ::= "a"')
    with pytest.raises(ValueError, match="Unsupported structured output backend: auto"):
        search._init_beam_search_structured_output(asked, tokenizer)


@pytest.mark.parametrize(
    "request_class",
    [
        lambda **options: CompletionRequest(prompt="a", **options),
        lambda **options: ChatCompletionRequest(
            messages=[{"role": "user", "content": "a"}], **options
        ),
    ],
)
def test_beam_search_over_http_refuses_a_reference_and_nothing_else(request_class):
    """vLLM drops every constraint there without a word."""
    grammar = {"grammar": "maskc://answer"}
    asked = request_class(use_beam_search=True, structured_outputs=grammar)
    with pytest.raises(VLLMValidationError, match="beam search over HTTP follows no grammar"):
        asked.to_beam_search_params(5, {})
    assert request_class(use_beam_search=True, n=2).to_beam_search_params(5, {}).beam_width == 2


def test_a_changed_beam_search_is_told_by_name(monkeypatch, caplog):
    def renamed(self, structured_outputs):
        """A later version's."""

    method = "_init_beam_search_structured_output"
    monkeypatch.setattr(BeamSearchOfflineMixin, method, renamed)
    plugin.register()
    assert f"{method} takes (self, structured_outputs)" in caplog.text


def test_a_vllm_without_the_class_of_beam_search_is_told_by_name(monkeypatch, caplog):
    monkeypatch.delattr("vllm.entrypoints.openai.completion.protocol.CompletionRequest")
    plugin.register()
    assert "completion.protocol has no CompletionRequest" in caplog.text


def test_checking_a_reference_leaves_the_parameters_as_other_threads_see_them(
    model, tokenizer, monkeypatch
):
    """The check once put a regexp in the place of the reference for as long as it took."""
    asked = StructuredOutputsParams(grammar="maskc://answer")
    params = SamplingParams(structured_outputs=asked)
    seen = []
    real = plugin.open_registry

    def open_registry(*arguments):
        seen.append(params.structured_outputs)
        return real(*arguments)

    monkeypatch.setattr(plugin, "open_registry", open_registry)
    monkeypatch.setattr(
        "vllm.v1.structured_output.backend_xgrammar.validate_xgrammar_grammar",
        lambda _: seen.append(params.structured_outputs),
    )
    config = StructuredOutputsConfig(backend="xgrammar")
    params._validate_structured_outputs(model, config, tokenizer)
    assert len(seen) == 2
    assert all(found is asked for found in seen)
    assert asked._backend == "xgrammar"
