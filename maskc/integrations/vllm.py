"""Artifacts in vLLM: requests whose grammar is ``maskc://NAME``, and the kinds that we serve.

vLLM has no register of backends. It calls :func:`register` by the entry point
``vllm.general_plugins`` in every process, and that puts itself around the functions of
:func:`list_parts`. In the front end a name is checked, so that a bad one is the client's error, and
vLLM's own checks then see a trivial regexp in its place. In the engine, vLLM gets a grammar object;
from 0.33 on it refuses a request that was resolved to another backend than the first one, and an
artifact fits any backend. Masks have the layout of vLLM's other backends and share their rows.
docs/vllm.md has the rest.
"""

from __future__ import annotations

import copy
import logging
import os
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from maskc.errors import ArtifactError, MaskcError, UnknownArtifactError
from maskc.integrations.compile_worker import using
from maskc.integrations.patches import AND_MORE, Engine, Patch, PatchSet
from maskc.integrations.registry import FOLDER_VARIABLE, SCHEME, ArtifactRegistry, parse_reference
from maskc.integrations.requests import (
    bar_ends,
    falls_back,
    read_kinds,
    read_unsupported,
    serves_tags,
)
from maskc.integrations.session import Allowance, Session, finishes, read_setting
from maskc.integrations.usage import SUFFIX
from maskc.integrations.vllm_requests import (
    check_route,
    detach,
    find_model,
    list_beam_patches,
    wait_before,
    wanted_kind,
)
from maskc.runtime.artifact import Compiled

ENGINE = Engine("vllm", ("0.32.0", "0.33.0"), "VLLM_PLUGINS")

_TYPES = "vllm.v1.structured_output.backend_types"
_MANAGER = "vllm.v1.structured_output:StructuredOutputManager"
_TAGS = "vllm.tool_parsers.structural_tag_registry"
_GRAMMAR_METHODS = {
    "accept_tokens": ("self", "request_id", "tokens"),
    "validate_tokens": ("self", "tokens"),
    "rollback": ("self", "num_tokens"),
    "fill_bitmask": ("self", "bitmask", "batch_index"),
    "is_terminated": ("self",),
    "reset": ("self",),
}

_lock = threading.Lock()
_log = logging.getLogger(__name__)


def register() -> None:
    """Make vLLM serve artifacts in this process, as far as it is as we know it.

    The second call does nothing.

    Raises:
        ArtifactError: a setting of the operator's is wrong.
        IntegrationError: vLLM is not installed.
    """
    ENGINE.load(ENGINE.name)
    # A wrong setting ends the server's start, and not a request.
    for read in (read_setting, read_unsupported, read_kinds, falls_back):
        read()
    with _lock:
        ENGINE.apply(list_parts())


def list_parts() -> list[PatchSet]:
    """Return what is put around functions of vLLM, and what is so without it."""
    manager = _MANAGER
    return [
        PatchSet(
            "vLLM serves all requests itself and refuses names of artifacts",
            (
                Patch(manager, "_create_grammar", ("self", "request"), _wrap_create),
                Patch(manager, "grammar_init", ("self", "request"), _wrap_init),
                Patch(
                    "vllm.sampling_params:SamplingParams",
                    "_validate_structured_outputs",
                    ("self", "model_config", "structured_outputs_config", "tokenizer"),
                    _wrap_validate,
                ),
                Patch(
                    "vllm.v1.engine.async_llm:AsyncLLM",
                    "add_request",
                    ("self", "request_id", "prompt", "params", AND_MORE),
                    wait_before,
                ),
            ),
            _check_types,
            lambda: check_route(ENGINE, ENGINE.find(manager)),
        ),
        PatchSet(
            "artifacts follow their examples with the first request",
            (Patch(manager, "__init__", ("self", AND_MORE), _wrap_start),),
        ),
        PatchSet(
            "beam search ignores artifacts, and over HTTP drops them silently",
            list_beam_patches(
                ENGINE, lambda artifact: build_grammar_class()(artifact, None), _find_artifact
            ),
        ),
        PatchSet(
            "tool arguments may contain the text that ends a call for vLLM's parser",
            (Patch(_TAGS, "get_model_structural_tag", ("model", AND_MORE), _wrap_tags),),
            _check_tags,
        ),
    ]


def _check_types() -> None:
    types = ENGINE.load(_TYPES)
    ENGINE.load("vllm.exceptions")
    grammar = types.StructuredOutputGrammar
    ENGINE.check(grammar, _GRAMMAR_METHODS)
    unknown = sorted(set(grammar.__abstractmethods__) - set(_GRAMMAR_METHODS))
    if unknown:
        raise ENGINE.changed(f"StructuredOutputGrammar also asks for {', '.join(unknown)}")
    if "GRAMMAR" not in types.StructuredOutputOptions.__members__:
        raise ENGINE.changed("StructuredOutputOptions has no GRAMMAR")


def _check_tags() -> None:
    if "excludes" not in ENGINE.load(_TAGS).JSONSchemaFormat.model_fields:
        raise ENGINE.changed("its formats of a JSON Schema exclude nothing")


def _refused() -> type[Exception]:
    refused: type[Exception] = ENGINE.load("vllm.exceptions").VLLMValidationError
    return refused


@cache
def build_grammar_class() -> type[Any]:
    base = ENGINE.load(_TYPES).StructuredOutputGrammar

    class MaskcGrammar(base):  # type: ignore[misc, valid-type]
        """One request; what it does is said in vLLM's ``StructuredOutputGrammar``."""

        def __init__(
            self,
            artifact: Compiled,
            end_ids: Iterable[int] | None,
            allowance: Allowance | None = None,
        ) -> None:
            self.session = Session(artifact, end_ids, max_tokens=allowance)
            if allowance is not None:
                self.session.prepare()

        def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:  # noqa: ARG002
            # Tokens after the end are vLLM's own business: it neither counts nor takes them back.
            return all(self.session.is_terminated or self.session.accept(t) for t in tokens)

        def validate_tokens(self, tokens: list[int]) -> list[int]:
            return tokens[: self.session.count_legal(tokens)]

        def rollback(self, num_tokens: int) -> None:
            self.session.rollback(num_tokens)

        def fill_bitmask(self, bitmask: Any, batch_index: int) -> None:
            self.session.fill(bitmask.numpy(), batch_index)

        def is_terminated(self) -> bool:
            return self.session.is_terminated

        def reset(self) -> None:
            self.session.reset()

    return MaskcGrammar


def open_registry(model_config: Any, tokenizer: Any) -> ArtifactRegistry:
    """Return the artifacts of ``MASKC_ARTIFACTS``, checked against a model of vLLM."""
    return find_model(model_config, tokenizer).registry


def _find_artifact(text: object, model_config: Any, tokenizer: Any) -> Compiled | None:
    """Return the artifact that a grammar field names, ``None`` if it names none.

    Raises:
        VLLMValidationError: there is none of that name.
        ArtifactError, VocabularyMismatchError: it cannot be served, which is the server's fault:
            vLLM answers what is no ValueError with status 500.
    """
    try:
        name = parse_reference(text)
        if name is None:
            return None
        registry = open_registry(model_config, tokenizer)
    except MaskcError as error:
        raise _refused()(str(error)) from error
    try:
        return registry.load(name)
    except UnknownArtifactError as error:
        raise _refused()(str(error)) from error
    except MaskcError as error:
        _log.error("the artifact %s cannot be served: %s", name, error)
        raise


def _wrap_create(original: Callable[..., Any]) -> Callable[..., Any]:
    grammar_class = build_grammar_class()

    def create_grammar(self: Any, request: Any) -> Any:
        kind, text = request.structured_output_request.structured_output_key
        name = parse_reference(text) if kind.name == "GRAMMAR" else None
        wanted = None if name else wanted_kind(request.structured_output_request.params)
        if name is None and wanted is None:
            return original(self, request)
        params, model_config = request.sampling_params, self.vllm_config.model_config
        ends = params.all_stop_token_ids if params else None
        allowance = _allow(self, request)
        if wanted is None:
            artifact: Compiled = open_registry(model_config, self.tokenizer).load(str(name))
            _check_width(self, artifact, str(name))
            return grammar_class(artifact, ends, allowance)
        try:
            with using(detach(params)):
                constraint = find_model(model_config, self.tokenizer).make(wanted)
        except MaskcError:
            if falls_back():
                return original(self, request)
            raise
        _check_width(self, constraint, wanted[0])
        return grammar_class(constraint, ends, allowance)

    return create_grammar


def _allow(manager: Any, request: Any) -> Allowance | None:
    """Return the tokens of a request whose text is to end in them, ``None`` for any other."""
    params = request.sampling_params
    if params is None or not finishes(params.extra_args):
        return None
    # Where drafts end the thoughts, the text begins so many tokens later than vLLM has counted.
    n_drafted = manager.vllm_config.num_speculative_tokens if manager.reasoner_cls else 0
    return Allowance(request.max_tokens - n_drafted, lambda: request.num_output_tokens)


def _check_width(manager: Any, compiled: Compiled, name: str) -> None:
    n_words = manager.backend.allocate_token_bitmask(1).shape[1]
    if n_words * 32 < compiled.vocab_size:
        raise ArtifactError(
            name,
            f"has {compiled.vocab_size} tokens, and the backend's masks {n_words * 32}",
            "start vLLM with another structured-outputs backend",
        )


def _wrap_init(original: Callable[..., None]) -> Callable[..., None]:
    def grammar_init(self: Any, request: Any) -> None:
        latched = getattr(self, "backend_name", None)
        asked = request.sampling_params.structured_outputs if request.sampling_params else None
        if latched is not None and asked is not None:
            is_named = str(asked.grammar).startswith(SCHEME)
            if is_named or wanted_kind(asked) is not None and not falls_back():
                asked._backend = latched
        original(self, request)

    return grammar_init


def _wrap_validate(original: Callable[..., None]) -> Callable[..., None]:
    sampling, refused = ENGINE.load("vllm.sampling_params"), _refused()

    def check_others(params: Any, model_config: Any, config: Any, tokenizer: Any) -> None:
        """Let vLLM check all but the constraint, of which it has no notion."""
        # Every backend takes a regexp, and what else vLLM checks is still checked: on a copy,
        # because requests of other threads may share the parameters.
        asked = params.structured_outputs
        stand_in = sampling.StructuredOutputsParams(regex="a")
        stand_in._backend, stand_in._backend_was_auto = asked._backend, asked._backend_was_auto
        checked = copy.copy(params)
        checked.structured_outputs = stand_in
        original(checked, model_config, config, tokenizer)
        asked._backend, asked._backend_was_auto = stand_in._backend, stand_in._backend_was_auto

    def validate(
        self: Any, model_config: Any, structured_outputs_config: Any, tokenizer: Any
    ) -> None:
        asked = self.structured_outputs
        text = asked.grammar if asked else None
        try:
            name = parse_reference(text)
            wanted = wanted_kind(asked) if name is None and tokenizer is not None else None
        except MaskcError as error:
            raise refused(str(error)) from error
        if name is None and wanted is None:
            original(self, model_config, structured_outputs_config, tokenizer)
            return
        check_others(self, model_config, structured_outputs_config, tokenizer)
        if wanted is None:
            _find_artifact(text, model_config, tokenizer)
            return
        try:
            find_model(model_config, tokenizer).check(wanted)
        except MaskcError as error:
            if falls_back():
                original(self, model_config, structured_outputs_config, tokenizer)
                return
            raise refused(str(error)) from error

    return validate


def _wrap_start(original: Callable[..., None]) -> Callable[..., None]:
    def start(self: Any, *args: Any, **named: Any) -> None:
        original(self, *args, **named)
        folder, tokenizer = os.environ.get(FOLDER_VARIABLE), getattr(self, "tokenizer", None)
        if tokenizer is None or not folder or not any(Path(folder).glob(f"*{SUFFIX}")):
            return
        try:
            open_registry(self.vllm_config.model_config, tokenizer).prepare()
        except MaskcError as error:
            # A request that names an artifact is told the same.
            _log.warning("examples are not followed: %s", error)

    return start


def _wrap_tags(original: Callable[..., Any]) -> Callable[..., Any]:
    def make_tag(model: str, *args: Any, **named: Any) -> Any:
        tag = original(model, *args, **named)
        if tag is not None and serves_tags():
            bar_ends(tag.format, model)
        return tag

    return make_tag
