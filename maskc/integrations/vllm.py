"""Artifacts in vLLM: requests whose grammar is ``maskc://NAME``; all others go on unchanged.

But for those of the kinds that the operator wants served here: schemas, patterns, choices, grammars
(:mod:`maskc.integrations.vllm_requests`).

vLLM has no register of backends. It calls :func:`register` by the entry point
``vllm.general_plugins`` in every process, and that puts itself around these methods:

- ``SamplingParams._validate_structured_outputs``, in the front end: the name is checked there, so
  that a bad one is the client's error; vLLM's own checks then see a trivial regexp in its place;
- ``StructuredOutputManager._create_grammar``, in the engine: it gives vLLM a grammar object that
  follows the artifact;
- ``StructuredOutputManager.grammar_init``, in the engine: from 0.33 on vLLM refuses a request that
  was resolved to another backend than the first one, and an artifact fits any backend;
- ``AsyncLLM.add_request``, in the front end: it waits for what a request brings to be compiled,
  see :mod:`maskc.integrations.vllm_waiting`;
- ``StructuredOutputManager.__init__``, in the engine, where examples are followed: see
  :mod:`maskc.integrations.vllm_start`;
- those of beam search, which go past both: see :mod:`maskc.integrations.vllm_beams`;
- ``get_model_structural_tag``, in the front end, which makes a constraint of a chat's tools: see
  :mod:`maskc.integrations.vllm_tools`.

Masks have the layout of vLLM's other backends and share their rows, so the configured backend may
be any of them. If vLLM is not as we know it, ``register`` raises, and the server does not start:
a constraint that is silently ignored would be worse.

Example: ``SamplingParams(structured_outputs=StructuredOutputsParams(grammar="maskc://json"))``.
"""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any

from maskc.errors import ArtifactError, MaskcError
from maskc.integrations.compile_answers import using
from maskc.integrations.drift import Interface
from maskc.integrations.errors import IntegrationError, load_engine
from maskc.integrations.finishing import Allowance, finishes, read_setting
from maskc.integrations.names import SCHEME, parse_reference
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.requests import falls_back
from maskc.integrations.session import Session
from maskc.integrations.vllm_beams import BEAM_METHODS, around_beams
from maskc.integrations.vllm_probe import check_route
from maskc.integrations.vllm_requests import (
    check_constraint,
    make_constraint,
    nothing_wanted,
    wanted_kind,
)
from maskc.integrations.vllm_start import around_start
from maskc.integrations.vllm_tools import METHOD, around_tags, find_tags
from maskc.integrations.vllm_waiting import around_add, detach, find_front
from maskc.integrations.vocabulary import read_vocabulary
from maskc.runtime.compiled import Compiled
from maskc.vocab.vocabulary import Vocabulary

ENGINE = "vllm"
INTERFACE = Interface(ENGINE, ("0.32.0", "0.33.0"), "VLLM_PLUGINS")

_GRAMMAR_METHODS = {
    "accept_tokens": ("self", "request_id", "tokens"),
    "validate_tokens": ("self", "tokens"),
    "rollback": ("self", "num_tokens"),
    "fill_bitmask": ("self", "bitmask", "batch_index"),
    "is_terminated": ("self",),
    "reset": ("self",),
}
_VALIDATE = ("self", "model_config", "structured_outputs_config", "tokenizer")
_PATCHED = "_maskc_original"

_lock = threading.Lock()
# By the model that they were checked against: its configuration object lives as long as vLLM.
_registries: dict[int, tuple[Any, ArtifactRegistry]] = {}
_vocabularies: dict[int, tuple[Any, Vocabulary]] = {}


def register() -> None:
    """Make vLLM serve artifacts in this process; the second call does nothing.

    Raises:
        IntegrationError: vLLM's interface is not the one we know.
    """
    manager_module = load_engine("vllm.v1.structured_output", ENGINE)
    manager = manager_module.StructuredOutputManager
    params = load_engine("vllm.sampling_params", ENGINE).SamplingParams
    read_setting()  # a wrong one ends the server's start, and not a request
    with _lock:
        if hasattr(getattr(manager, "_create_grammar", None), _PATCHED):
            return
        check_interface()
        front, tags = find_front(INTERFACE), find_tags(INTERFACE)
        grammar_class = build_grammar_class()
        patches: list[tuple[Any, str, Callable[..., Any]]] = [
            (manager, "__init__", around_start(manager.__init__, open_registry)),
            (manager, "_create_grammar", _around_create(manager._create_grammar, grammar_class)),
            (manager, "grammar_init", _around_init(manager.grammar_init)),
            (
                params,
                "_validate_structured_outputs",
                _around_validate(params._validate_structured_outputs),
            ),
            (front, "add_request", around_add(front.add_request, _vocabulary_of)),
            (tags, METHOD, around_tags(getattr(tags, METHOD))),
            *around_beams(ENGINE, grammar_class, open_registry),
        ]
        originals = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
        _put(patches)
        try:
            with nothing_wanted():
                check_route(INTERFACE, manager)
        except IntegrationError:
            _put(originals)
            raise


def check_interface() -> None:
    """Check that vLLM has the interface that this module was written against.

    Raises:
        IntegrationError: it has not; the message says what differs.
    """
    types = load_engine("vllm.v1.structured_output.backend_types", ENGINE)
    manager = load_engine("vllm.v1.structured_output", ENGINE).StructuredOutputManager
    sampling = load_engine("vllm.sampling_params", ENGINE)
    load_engine("vllm.exceptions", ENGINE)
    grammar = types.StructuredOutputGrammar
    INTERFACE.check(
        manager, {"grammar_init": ("self", "request"), "_create_grammar": ("self", "request")}
    )
    INTERFACE.check(sampling.SamplingParams, {"_validate_structured_outputs": _VALIDATE})
    INTERFACE.check(grammar, _GRAMMAR_METHODS)
    unknown = sorted(set(grammar.__abstractmethods__) - set(_GRAMMAR_METHODS))
    if unknown:
        raise INTERFACE.drifted(f"StructuredOutputGrammar also asks for {', '.join(unknown)}")
    if "GRAMMAR" not in types.StructuredOutputOptions.__members__:
        raise INTERFACE.drifted("StructuredOutputOptions has no GRAMMAR")
    for module, owner, methods in BEAM_METHODS:
        found = getattr(load_engine(module, ENGINE), owner, None)
        if found is None:
            raise INTERFACE.drifted(f"{module} has no {owner}")
        INTERFACE.check(found, methods)


def build_grammar_class() -> type[Any]:
    """Return the class of vLLM grammars that follow an artifact."""
    base = load_engine("vllm.v1.structured_output.backend_types", ENGINE).StructuredOutputGrammar

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
    """Return the artifacts of ``MASKC_ARTIFACTS``, checked against a model of vLLM.

    Raises:
        ArtifactError: the folder is not set or not there.
        TokenizerError: the tokenizer does not say its tokens' bytes.
    """
    with _lock:
        known = _registries.get(id(model_config))
        if known is None:
            # Holding the configuration keeps its id from being used again.
            known = (model_config, ArtifactRegistry(_read_vocabulary(model_config, tokenizer)))
            _registries[id(model_config)] = known
        return known[1]


def _vocabulary_of(model_config: Any, tokenizer: Any) -> Vocabulary:
    """Return the vocabulary of a model of vLLM, read once."""
    with _lock:
        known = _vocabularies.get(id(model_config))
        if known is None:
            known = (model_config, _read_vocabulary(model_config, tokenizer))
            _vocabularies[id(model_config)] = known
        return known[1]


def _read_vocabulary(model_config: Any, tokenizer: Any) -> Vocabulary:
    ends = model_config.try_get_generation_config().get("eos_token_id") or []
    eos_ids = [*ends] if isinstance(ends, (list, tuple)) else [ends]
    if tokenizer.eos_token_id is not None:
        eos_ids.append(tokenizer.eos_token_id)
    return read_vocabulary(tokenizer, vocab_size=model_config.get_vocab_size(), eos_ids=eos_ids)


def _around_create(original: Callable[..., Any], grammar_class: type[Any]) -> Callable[..., Any]:
    @functools.wraps(original)
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
                constraint = make_constraint(
                    model_config, lambda: _vocabulary_of(model_config, self.tokenizer), wanted
                )
        except MaskcError:
            if falls_back():
                return original(self, request)
            raise
        _check_width(self, constraint, wanted[0])
        return grammar_class(constraint, ends, allowance)

    setattr(create_grammar, _PATCHED, original)
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


def _around_init(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def grammar_init(self: Any, request: Any) -> None:
        latched = getattr(self, "backend_name", None)
        asked = request.sampling_params.structured_outputs if request.sampling_params else None
        if latched is not None and asked is not None:
            is_named = str(asked.grammar).startswith(SCHEME)
            if is_named or wanted_kind(asked) is not None and not falls_back():
                asked._backend = latched
        original(self, request)

    return grammar_init


def _put(patches: Iterable[tuple[Any, str, Callable[..., Any]]]) -> None:
    for owner, name, method in patches:
        setattr(owner, name, method)


def _around_validate(original: Callable[..., None]) -> Callable[..., None]:
    sampling = load_engine("vllm.sampling_params", ENGINE)
    refused = load_engine("vllm.exceptions", ENGINE).VLLMValidationError

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

    @functools.wraps(original)
    def validate(
        self: Any, model_config: Any, structured_outputs_config: Any, tokenizer: Any
    ) -> None:
        asked = self.structured_outputs
        try:
            name = parse_reference(asked.grammar if asked else None)
            wanted = wanted_kind(asked) if name is None and tokenizer is not None else None
        except MaskcError as error:
            raise refused(str(error)) from error
        if name is None and wanted is None:
            original(self, model_config, structured_outputs_config, tokenizer)
            return
        check_others(self, model_config, structured_outputs_config, tokenizer)
        try:
            if name is not None:
                open_registry(model_config, tokenizer).load(name)
            elif wanted is not None:
                check_constraint(
                    model_config, lambda: _vocabulary_of(model_config, tokenizer), wanted
                )
        except MaskcError as error:
            if name is None and falls_back():
                original(self, model_config, structured_outputs_config, tokenizer)
                return
            raise refused(str(error)) from error

    setattr(validate, _PATCHED, original)
    return validate
