"""The plug-in of vLLM beside a stand-in for vLLM: what is in place, and what is left to it."""

import asyncio
from abc import abstractmethod
from types import SimpleNamespace

import pytest

from maskc.errors import ArtifactError
from maskc.integrations import vllm as plugin
from maskc.integrations import vllm_requests
from maskc.integrations.patches import ORIGINAL
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text
from tests.integrations.vllm_stand_in import (
    StructuredOutputRequest,
    StructuredOutputsParams,
    VLLMValidationError,
    install,
)

MANAGER, SAMPLING = "vllm.v1.structured_output", "vllm.sampling_params"
BEAMS = "vllm.entrypoints.generate.beam_search.offline"


@pytest.fixture
def vllm(monkeypatch, tmp_path):
    """The modules of a vLLM; ``answer`` is an artifact."""
    compile_text('start: "yes" | "no"').save(tmp_path / "answer.maskc")
    monkeypatch.setenv("MASKC_ARTIFACTS", str(tmp_path))
    monkeypatch.setattr(vllm_requests.ServedModel, "vocabulary", load_vocabulary("bytes"))
    monkeypatch.setattr(vllm_requests, "_models", {})
    plugin.build_grammar_class.cache_clear()
    yield install(monkeypatch)
    plugin.build_grammar_class.cache_clear()


@pytest.fixture
def model():
    return SimpleNamespace(get_vocab_size=lambda: 257)


def is_patched(module, owner, name):
    return hasattr(getattr(getattr(module, owner), name), ORIGINAL)


def asked(vllm, text):
    params = vllm[SAMPLING].SamplingParams(StructuredOutputsParams(grammar=text))
    request = SimpleNamespace(
        structured_output_request=StructuredOutputRequest(params.structured_outputs),
        sampling_params=params,
    )
    return params, request


def test_a_request_that_names_an_artifact_is_served_and_others_go_on(vllm, model, caplog):
    plugin.register()
    assert caplog.text == ""
    params, request = asked(vllm, "maskc://answer")
    params._validate_structured_outputs(model, None, "bytes")
    manager = vllm[MANAGER].StructuredOutputManager(
        SimpleNamespace(model_config=model, num_speculative_tokens=0)
    )
    manager.tokenizer, manager.reasoner_cls = "bytes", None
    manager.backend = SimpleNamespace(
        allocate_token_bitmask=lambda _: SimpleNamespace(shape=(1, 9)),
        compile_grammar=lambda kind, text: (kind.name, text),
    )
    manager.grammar_init(request)
    grammar = request.structured_output_request.grammar
    assert grammar.validate_tokens(list(b"yesno")) == list(b"yes")
    assert grammar.accept_tokens("id", list(b"no"))
    assert not grammar.is_terminated()
    _, other = asked(vllm, 'root ::= "a"')
    manager.grammar_init(other)
    assert other.structured_output_request.grammar == ("GRAMMAR", 'root ::= "a"')


def test_a_name_that_is_none_is_the_clients_error(vllm, model):
    plugin.register()
    params, _ = asked(vllm, "maskc://gone")
    with pytest.raises(VLLMValidationError, match="gone: no such artifact"):
        params._validate_structured_outputs(model, None, "bytes")


def test_a_file_that_is_damaged_is_the_servers_fault_and_may_leave_the_last_good_one(
    vllm, model, monkeypatch, tmp_path, caplog
):
    plugin.register()
    for keeps in (False, True):
        monkeypatch.setenv("MASKC_KEEP_LAST_GOOD", str(int(keeps)))
        name, own = f"answer{keeps}", SimpleNamespace(**vars(model))
        path = tmp_path / f"{name}.maskc"
        compile_text('start: "yes"').save(path)
        params, _ = asked(vllm, f"maskc://{name}")
        params._validate_structured_outputs(own, None, "bytes")
        path.write_bytes(b"nothing")
        if keeps:
            params._validate_structured_outputs(own, None, "bytes")
        else:
            with pytest.raises(ArtifactError, match=f"{name}: is not a maskc artifact"):
                params._validate_structured_outputs(own, None, "bytes")
            assert f"the artifact {name} cannot be served" in caplog.text
        counts = plugin.open_registry(own, "bytes").usage.counts()[name]
        assert (counts["refusals"], counts["failures"], counts["kept"]) == (0, not keeps, keeps)


def test_requests_wait_before_they_are_added(vllm, model, monkeypatch):
    plugin.register()
    monkeypatch.setenv("MASKC_REQUESTS", "json")
    front = vllm["vllm.v1.engine.async_llm"].AsyncLLM()
    front.input_processor, front.model_config = SimpleNamespace(tokenizer="bytes"), model
    schema = '{"type": "object", "properties": {"a": {"pattern": "^a$"}}}'
    params = vllm[SAMPLING].SamplingParams(StructuredOutputsParams(json=schema))
    number, added = asyncio.run(front.add_request("7", "prompt", params))
    assert number == "7"
    assert len(plugin.detach(added)) == 1
    for made in vllm_requests.find_model(model, "bytes")._constraints.values():
        made.close()


@pytest.mark.usefixtures("vllm")
@pytest.mark.parametrize(
    "variable", ["MASKC_MAX_TOKENS", "MASKC_REFUSED", "MASKC_REQUESTS", "MASKC_UNSUPPORTED"]
)
def test_a_wrong_setting_ends_the_servers_start(monkeypatch, variable):
    monkeypatch.setenv(variable, "jsno")
    with pytest.raises(ArtifactError, match="jsno"):
        plugin.register()


def test_beam_search_follows_an_artifact_or_refuses_its_name(vllm, model):
    plugin.register()
    mixin = vllm[BEAMS].BeamSearchOfflineMixin()
    mixin.model_config = model
    named, other = (StructuredOutputsParams(grammar=text) for text in ("maskc://gone", "a"))
    with pytest.raises(VLLMValidationError, match="no such artifact"):
        mixin._init_beam_search_structured_output(named, "bytes")
    assert mixin._init_beam_search_structured_output(other, "bytes") == "vLLM's own"
    request = vllm["vllm.entrypoints.openai.completion.protocol"].CompletionRequest()
    assert request.to_beam_search_params(5, {}) == 5
    request.structured_outputs = named
    with pytest.raises(VLLMValidationError, match="beam search over HTTP follows no grammar"):
        request.to_beam_search_params(5, {})


def renamed(self, request, priority):
    """A later version's."""


@pytest.mark.parametrize(
    ("module", "owner", "name"),
    [
        (MANAGER, "StructuredOutputManager", "_create_grammar"),
        (MANAGER, "StructuredOutputManager", "grammar_init"),
        (SAMPLING, "SamplingParams", "_validate_structured_outputs"),
        ("vllm.v1.engine.async_llm", "AsyncLLM", "add_request"),
    ],
)
def test_requests_are_left_to_a_vllm_whose_method_has_changed(
    vllm, monkeypatch, caplog, module, owner, name
):
    monkeypatch.setattr(getattr(vllm[module], owner), name, renamed)
    plugin.register()
    (record,) = caplog.records
    assert record.getMessage().startswith(
        f"vLLM serves all requests itself and refuses names of artifacts, since vllm 0.99: {owner}."
    )
    assert not is_patched(vllm[MANAGER], "StructuredOutputManager", "_create_grammar")
    assert is_patched(vllm[BEAMS], "BeamSearchOfflineMixin", "_init_beam_search_structured_output")


def test_a_manager_that_goes_another_way_is_left_alone(vllm, monkeypatch, caplog):
    def grammar_init(self, request):  # noqa: ARG001 - vLLM's own names
        request.structured_output_request.grammar = "other"

    monkeypatch.setattr(vllm[MANAGER].StructuredOutputManager, "grammar_init", grammar_init)
    plugin.register()
    assert "vLLM does not ask maskc for the grammar of a request" in caplog.text
    assert vllm[MANAGER].StructuredOutputManager.grammar_init is grammar_init
    assert not is_patched(vllm[SAMPLING], "SamplingParams", "_validate_structured_outputs")


def test_a_grammar_that_asks_for_more_is_left_alone(vllm, monkeypatch, caplog):
    types = vllm["vllm.v1.structured_output.backend_types"]

    class Asking(types.StructuredOutputGrammar):
        @abstractmethod
        def freeze(self): ...

    monkeypatch.setattr(types, "StructuredOutputGrammar", Asking)
    plugin.register()
    assert "StructuredOutputGrammar also asks for freeze" in caplog.text


def test_other_parts_are_left_to_a_vllm_that_has_changed(vllm, monkeypatch, caplog):
    tags = vllm["vllm.tool_parsers.structural_tag_registry"]
    tags.JSONSchemaFormat = SimpleNamespace(model_fields={"style": None})
    monkeypatch.delattr(vllm["vllm.entrypoints.openai.completion.protocol"], "CompletionRequest")
    plugin.register()
    assert "its formats of a JSON Schema exclude nothing" in caplog.text
    assert "completion.protocol has no CompletionRequest" in caplog.text
    assert is_patched(vllm[MANAGER], "StructuredOutputManager", "_create_grammar")
    assert not hasattr(tags.get_model_structural_tag, ORIGINAL)
