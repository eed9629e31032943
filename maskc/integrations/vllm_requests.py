"""Requests of vLLM that maskc serves itself (docs/vllm.md).

They are compiled against the model's kit in the front end, so that what is refused is the client's
error. What was compiled goes to the engine with the request, in its ``extra_args``; what it lacks
it compiles again.

vLLM checks a request on the loop that serves all clients, so nothing there may wait. The plug-in
puts itself around ``AsyncLLM.add_request``, waits in a thread, and goes on when it is known whether
the request can be served; vLLM's check then finds the answer. If the task is cancelled, as vLLM
does when the client goes away, the work on the request is ended.
"""

from __future__ import annotations

import asyncio
import copy
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from maskc.errors import ArtifactError, MaskcError
from maskc.integrations.compile_pool import holding
from maskc.integrations.compile_worker import Answers, read_answers, recording
from maskc.integrations.errors import IntegrationError, load_engine
from maskc.integrations.patches import Engine, Patch
from maskc.integrations.registry import SCHEME, ArtifactRegistry
from maskc.integrations.requests import RequestConstraints, read_kinds
from maskc.integrations.vocabulary import read_vocabulary
from maskc.kit.constraint import Constraint
from maskc.runtime import made_once
from maskc.runtime.artifact import Compiled
from maskc.vocab.vocabulary import Vocabulary
from maskc.work.worker_queue import MOST_WAITING, Request

EXTRA = "maskc_compiled"  # our entry of a request's extra_args

Wanted = tuple[str, str]

_local = threading.local()
_threads: dict[int, ThreadPoolExecutor] = {}
# What was waited for in this task: the request, and its error if it is refused.
SETTLED: ContextVar[tuple[Wanted, MaskcError | None] | None] = ContextVar(
    "maskc_settled", default=None
)


@contextmanager
def nothing_wanted() -> Iterator[None]:
    """Serve no request in this thread for the block: vLLM's own route is tested with some."""
    _local.is_off = True
    try:
        yield
    finally:
        _local.is_off = False


def wanted_kind(asked: Any) -> Wanted | None:
    """Return the kind and the text of what a request asks for, if maskc is to serve it."""
    kinds = frozenset() if getattr(_local, "is_off", False) else read_kinds()
    if not kinds or asked is None or asked.all_constraints_none():
        return None
    request = load_engine("vllm.v1.structured_output.request", "vllm")
    option, text = request.get_structured_output_key(asked)
    kind = option.name.lower()
    if kind not in kinds or text.startswith(SCHEME):
        return None
    return kind, text


class ServedModel:
    """What is made once for a model of vLLM: its vocabulary, its artifacts, its constraints."""

    def __init__(self, config: Any, tokenizer: Any) -> None:
        # Holding the configuration keeps its id from being used again.
        self._config, self._tokenizer = config, tokenizer
        self._lock = threading.Lock()
        # By the process, since vLLM may fork, and by whether masks are filled here.
        self._constraints: dict[tuple[int, bool], RequestConstraints] = {}

    @made_once
    def vocabulary(self) -> Vocabulary:
        ends = self._config.try_get_generation_config().get("eos_token_id") or []
        eos_ids = [*ends] if isinstance(ends, (list, tuple)) else [ends]
        if self._tokenizer.eos_token_id is not None:
            eos_ids.append(self._tokenizer.eos_token_id)
        width = self._config.get_vocab_size()
        return read_vocabulary(self._tokenizer, vocab_size=width, eos_ids=eos_ids)

    @made_once
    def registry(self) -> ArtifactRegistry:
        return ArtifactRegistry(self.vocabulary)

    def make(self, wanted: Wanted, *, fills_masks: bool = True) -> Constraint:
        """Return the constraint of a request, for the engine; MaskcError: it cannot be served."""
        key = (os.getpid(), fills_masks)
        with self._lock:
            if key not in self._constraints:
                made = RequestConstraints(self.vocabulary, fills_masks=fills_masks)
                self._constraints[key] = made
        return self._constraints[key].make(*wanted)

    def check(self, wanted: Wanted) -> None:
        """Check a request, for the front end; MaskcError: it cannot be served."""
        settled = SETTLED.get()
        if settled is None or settled[0] != wanted:
            self.make(wanted, fills_masks=False)
        elif settled[1] is not None:
            raise settled[1]


# By the model's configuration object, which lives as long as vLLM.
_models: dict[int, ServedModel] = {}


def find_model(config: Any, tokenizer: Any) -> ServedModel:
    """Return what is made for a model; without a tokenizer nothing is, and nothing is kept."""
    made = ServedModel(config, tokenizer)
    return made if tokenizer is None else _models.setdefault(id(config), made)


def wait_before(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an ``add_request`` that waits before vLLM's own."""

    async def add_request(
        self: Any, request_id: str, prompt: Any, params: Any, *args: Any, **named: Any
    ) -> Any:
        tokenizer = self.input_processor.tokenizer
        try:
            wanted = wanted_kind(getattr(params, "structured_outputs", None))
        except MaskcError:
            wanted = None  # vLLM's check comes upon it again, and tells it
        if wanted is None or tokenizer is None:
            return await original(self, request_id, prompt, params, *args, **named)
        error, answers = await settle(find_model(self.model_config, tokenizer).check, wanted)
        token = SETTLED.set((wanted, error))
        try:
            params = attach(params, answers)
            return await original(self, request_id, prompt, params, *args, **named)
        finally:
            SETTLED.reset(token)

    return add_request


async def settle(
    check: Callable[[Wanted], None], wanted: Wanted
) -> tuple[MaskcError | None, Answers]:
    """Return why a request is refused, if it is, and what was compiled; the loop goes on."""
    request = Request()

    def work() -> tuple[MaskcError | None, Answers]:
        with holding(request), recording() as answers:
            try:
                check(wanted)
            except MaskcError as error:
                return error, {}
        return None, answers

    if os.getpid() not in _threads:
        _threads[os.getpid()] = ThreadPoolExecutor(2 * MOST_WAITING, "maskc-request")
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads[os.getpid()], work)
    except asyncio.CancelledError:
        request.cancel()
        raise


def attach(params: Any, answers: Answers) -> Any:
    """Return a copy of parameters with what was compiled; a client's own entry is dropped."""
    given = params.extra_args or {}
    if not answers and EXTRA not in given:
        return params
    others = {name: value for name, value in given.items() if name != EXTRA}
    attached = copy.copy(params)
    attached.extra_args = {**others, EXTRA: answers} if answers else others or None
    return attached


def detach(params: Any) -> Answers:
    """Return what :func:`attach` gave a request's parameters, in the engine."""
    return read_answers((getattr(params, "extra_args", None) or {}).get(EXTRA))


@nothing_wanted()
def check_route(engine: Engine, manager: type[Any]) -> None:
    """Send two requests through vLLM's own code, and check that they pass our wrappers.

    One names an artifact, with a name that is none, and must be refused by maskc at both ends; the
    other has a grammar, and must reach the backend.
    """
    sampling = engine.load("vllm.sampling_params")
    requests = engine.load("vllm.v1.structured_output.request")
    refused = engine.load("vllm.exceptions").VLLMValidationError
    probe: Any = object.__new__(manager)
    probe._use_async_grammar_compilation = False  # noqa: SLF001 - vLLM has no public way
    probe.backend, probe.backend_name = _Recorder(), "recorder"
    found = []
    for text in ("maskc:// no name", 'root ::= "a"'):
        params = sampling.SamplingParams(
            structured_outputs=sampling.StructuredOutputsParams(grammar=text)
        )
        params.structured_outputs._backend = "recorder"  # noqa: SLF001
        asked = requests.StructuredOutputRequest.from_sampling_params(params)
        try:
            probe.grammar_init(_Request(asked, params))
        except (AssertionError, AttributeError, TypeError) as error:
            # It reads what the probe has not: what else is new, we cannot know.
            raise engine.changed(f"our self-test failed with {error!r}") from error
        found.append(asked.grammar)
        if text.startswith("maskc"):
            try:
                params._validate_structured_outputs(None, None, None)  # noqa: SLF001
            except refused:
                continue
            raise engine.changed(
                "vLLM's front end does not ask maskc about the grammar of a request"
            )
    if not isinstance(found[0], ArtifactError):
        raise engine.changed("vLLM does not ask maskc for the grammar of a request")
    if found[1] != ("GRAMMAR", 'root ::= "a"'):
        raise engine.changed("vLLM does not ask the configured backend for its own grammars")


class _Recorder:
    """A backend that gives back what it is asked for."""

    def compile_grammar(self, kind: Any, text: str, **_: Any) -> tuple[str, str]:
        return kind.name, text


class _Request:
    """What the manager reads of a request."""

    request_id = "maskc self-test"

    def __init__(self, asked: Any, params: Any) -> None:
        self.structured_output_request, self.sampling_params = asked, params


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
    """Return the patches of beam search, which asks vLLM's checks and manager for no grammar.

    ``LLM.beam_search`` makes a backend of its own; for ``maskc://NAME`` it is given one that
    follows the artifact. Over HTTP, ``use_beam_search`` drops every constraint of a request without
    a word: with a reference it is refused.

    Limit: vLLM looks at the 2 · ``beam_width`` likeliest tokens of each beam, and where more than
    128 tokens are legal it does not mask the others: a beam none of whose likeliest tokens is legal
    ends there, unfinished.
    """

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
        return self._start()

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Return int32[max_num_seqs, words] in torch."""
        torch = self._engine.load("torch")
        return torch.zeros((max_num_seqs, -(-self._width // 32)), dtype=torch.int32)

    def destroy(self) -> None:
        """Do nothing: artifacts stay loaded for other requests."""
