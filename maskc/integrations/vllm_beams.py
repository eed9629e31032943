"""Beam search in vLLM, which asks neither its checks nor its manager for a grammar.

``LLM.beam_search`` makes a backend of its own; for ``maskc://NAME`` it is given one that follows
the artifact. Over HTTP, ``use_beam_search`` drops every constraint of the request without a word:
with a reference it is refused.

Example: ``LLM.beam_search(prompts, BeamSearchParams(beam_width=3, max_tokens=50,
structured_outputs=StructuredOutputsParams(grammar="maskc://json")))``.

Limit: vLLM looks at the 2 · ``beam_width`` likeliest tokens of each beam, and where more than 128
tokens are legal it does not mask the others: a beam none of whose likeliest tokens is legal ends
there, unfinished.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.integrations.errors import IntegrationError
from maskc.integrations.patches import Engine, Patch
from maskc.integrations.registry import SCHEME
from maskc.runtime.compiled import Compiled

_OFFLINE = "vllm.entrypoints.generate.beam_search.offline:BeamSearchOfflineMixin"
_ONLINE = (
    "vllm.entrypoints.openai.completion.protocol:CompletionRequest",
    "vllm.entrypoints.openai.chat_completion.protocol:ChatCompletionRequest",
)

# The grammar field of a request, the model's configuration and a tokenizer → the artifact if it
# names one.
Find = Callable[[object, Any, Any], Compiled | None]


def list_beam_patches(
    engine: Engine, follow: Callable[[Compiled], Any], find: Find
) -> tuple[Patch, ...]:
    """Return the patches of beam search."""

    def wrap_start(original: Callable[..., Any]) -> Callable[..., Any]:
        options = engine.load("vllm.v1.structured_output.backend_types").StructuredOutputOptions

        def start(self: Any, structured_outputs: Any, tokenizer: Any) -> Any:
            text = structured_outputs.grammar
            artifact = find(text, self.model_config, tokenizer)
            if artifact is None:
                return original(self, structured_outputs, tokenizer)
            width = self.model_config.get_vocab_size()
            backend = BeamBackend(engine, lambda: follow(artifact), width)
            return backend, (options.GRAMMAR, text), backend.allocate_token_bitmask(1)

        return start

    def wrap_convert(original: Callable[..., Any]) -> Callable[..., Any]:
        refused = engine.load("vllm.exceptions").VLLMValidationError

        def to_beam_search_params(self: Any, *args: Any, **options: Any) -> Any:
            asked = self.structured_outputs
            if asked is not None and str(asked.grammar).startswith(SCHEME):
                fact = "beam search over HTTP follows no grammar"
                raise refused(str(IntegrationError("vllm", fact, "leave use_beam_search out")))
            return original(self, *args, **options)

        return to_beam_search_params

    started = ("self", "structured_outputs", "tokenizer")
    converted = ("self", "max_tokens", "default_sampling_params")
    return (
        Patch(_OFFLINE, "_init_beam_search_structured_output", started, wrap_start),
        *(Patch(owner, "to_beam_search_params", converted, wrap_convert) for owner in _ONLINE),
    )


class BeamBackend:
    """What beam search asks of a backend, for one artifact."""

    def __init__(self, engine: Engine, start: Callable[[], Any], width: int) -> None:
        self._engine, self._start, self._width = engine, start, width

    def compile_grammar(self, request_type: Any, grammar_spec: str) -> Any:  # noqa: ARG002
        """Return the grammar of a beam, at its start."""
        return self._start()

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Return int32[max_num_seqs, words] in torch."""
        torch = self._engine.load("torch")
        return torch.zeros((max_num_seqs, -(-self._width // 32)), dtype=torch.int32)

    def destroy(self) -> None:
        """Do nothing: artifacts stay loaded for other requests."""
