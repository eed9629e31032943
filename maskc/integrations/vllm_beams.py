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

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.errors import IntegrationError, load_engine
from maskc.integrations.names import SCHEME, parse_reference
from maskc.integrations.registry import ArtifactRegistry
from maskc.runtime.compiled import Compiled

_OFFLINE = ("vllm.entrypoints.generate.beam_search.offline", "BeamSearchOfflineMixin")
_ONLINE = (
    ("vllm.entrypoints.openai.completion.protocol", "CompletionRequest"),
    ("vllm.entrypoints.openai.chat_completion.protocol", "ChatCompletionRequest"),
)
_START, _CONVERT = "_init_beam_search_structured_output", "to_beam_search_params"

# Module, class, and the methods that a plug-in puts itself around.
BEAM_METHODS: tuple[tuple[str, str, Mapping[str, tuple[str, ...]]], ...] = (
    (*_OFFLINE, {_START: ("self", "structured_outputs", "tokenizer")}),
    (*_ONLINE[0], {_CONVERT: ("self", "max_tokens", "default_sampling_params")}),
    (*_ONLINE[1], {_CONVERT: ("self", "max_tokens", "default_sampling_params")}),
)


def around_beams(
    engine: str,
    grammar_class: type[Any],
    open_registry: Callable[[Any, Any], ArtifactRegistry],
) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Yield a class of vLLM's, the name of a method and what is to be put in its place.

    Args:
        engine: the extra of maskc that installs vLLM.
        grammar_class: of vLLM grammars that follow an artifact.
        open_registry: the artifacts for a model's configuration and tokenizer.
    """
    refused = load_engine("vllm.exceptions", engine).VLLMValidationError
    module, name = _OFFLINE
    owner = getattr(load_engine(module, engine), name)
    original = getattr(owner, _START)
    yield owner, _START, _around_start(original, grammar_class, open_registry, refused)
    for module, name in _ONLINE:
        owner = getattr(load_engine(module, engine), name)
        yield owner, _CONVERT, _around_convert(getattr(owner, _CONVERT), refused)


class BeamBackend:
    """What beam search asks of a backend, for one artifact.

    Args:
        artifact: of every beam.
        grammar_class: of vLLM grammars that follow an artifact.
        width: of the model's logits.
    """

    def __init__(self, artifact: Compiled, grammar_class: type[Any], width: int) -> None:
        self._artifact, self._grammar_class, self._width = artifact, grammar_class, width

    def compile_grammar(self, request_type: Any, grammar_spec: str) -> Any:  # noqa: ARG002
        """Return the grammar of a beam, at its start."""
        return self._grammar_class(self._artifact, None)

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Return int32[max_num_seqs, words] in torch."""
        torch = load_engine("torch", "vllm")
        return torch.zeros((max_num_seqs, -(-self._width // 32)), dtype=torch.int32)

    def destroy(self) -> None:
        """Do nothing: artifacts stay loaded for other requests."""


def _around_start(
    original: Callable[..., Any],
    grammar_class: type[Any],
    open_registry: Callable[[Any, Any], ArtifactRegistry],
    refused: type[Exception],
) -> Callable[..., Any]:
    backend_types = load_engine("vllm.v1.structured_output.backend_types", "vllm")

    @functools.wraps(original)
    def start(self: Any, structured_outputs: Any, tokenizer: Any) -> Any:
        text = structured_outputs.grammar
        try:
            name = parse_reference(text)
            if name is None:
                return original(self, structured_outputs, tokenizer)
            artifact = open_registry(self.model_config, tokenizer).load(name)
        except MaskcError as error:
            raise refused(str(error)) from error
        backend = BeamBackend(artifact, grammar_class, self.model_config.get_vocab_size())
        key = (backend_types.StructuredOutputOptions.GRAMMAR, text)
        return backend, key, backend.allocate_token_bitmask(1)

    return start


def _around_convert(original: Callable[..., Any], refused: type[Exception]) -> Callable[..., Any]:
    @functools.wraps(original)
    def to_beam_search_params(self: Any, *args: Any, **options: Any) -> Any:
        asked = self.structured_outputs
        if asked is not None and str(asked.grammar).startswith(SCHEME):
            error = IntegrationError(
                "vllm", "beam search over HTTP follows no grammar", "leave use_beam_search out"
            )
            raise refused(str(error))
        return original(self, *args, **options)

    return to_beam_search_params
