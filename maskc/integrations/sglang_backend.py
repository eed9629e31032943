"""SGLang's backend that serves artifacts and what requests bring, and delegates the rest.

SGLang remembers grammars, and requests that fail, by their text without bound; ours are not
remembered: a client can invent texts without end, and what lies under a name may be replaced, put
in order or taken away. The registry and the kit know them, so nothing is done twice.

Where SGLang gives up on a grammar that is being compiled, it cancels its future: with the executor
of this module that ends the work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any

from maskc.errors import MaskcError, UnknownArtifactError
from maskc.integrations.compile_pool import holding
from maskc.integrations.errors import load_engine
from maskc.integrations.mask_tables import apply_bitmask
from maskc.integrations.registry import SCHEME, ArtifactRegistry, parse_reference
from maskc.integrations.requests import RequestConstraints, falls_back, read_kinds
from maskc.integrations.session import Allowance, Session, finishes
from maskc.runtime.artifact import Compiled
from maskc.work.worker_queue import MOST_WAITING, Request

_log = logging.getLogger(__name__)

ENGINE, BASE = "sglang", "sglang.srt.constrained.base_grammar_backend"
# What SGLang writes for a schema that takes any object.
_ANY_OBJECT = "$$ANY$$"
# SGLang's kinds of requests by ours.
_KIND_OF = {
    "json": "json",
    "regex": "regex",
    "ebnf": "grammar",
    "full_assistant_ebnf": "grammar",  # of GLM's tools, with its reasoning in it
    "structural_tag": "structural_tag",
}


# The request of SGLang that a grammar is made for, in the threads that make it.
_asking: ContextVar[Any] = ContextVar("maskc_sglang_request", default=None)


def wrap_process(original: Callable[..., Any]) -> Callable[..., Any]:
    """Have the threads that make a grammar know its request.

    SGLang asks a backend for grammars by their text, and a request's ``max_new_tokens`` is not
    told. With ``MASKC_MAX_TOKENS=finish`` and ``{"ebnf": "maskc://json", "max_new_tokens": 40}``
    the JSON is whole after 40 tokens, its end included.
    """

    def process(self: Any, req: Any) -> Any:
        token = _asking.set(req)
        try:
            return original(self, req)
        finally:
            _asking.reset(token)

    return process


def allow(n_drafted: int) -> Allowance | None:
    """Return the tokens of the asking request, less those drafted; ``None``: it may break off."""
    request = _asking.get()
    if request is None or not finishes(request.sampling_params.custom_params):
        return None
    most = request.sampling_params.max_new_tokens
    return Allowance(most - n_drafted, lambda: len(request.output_ids))


class CancellingExecutor(ThreadPoolExecutor):
    """Threads whose futures, when they are cancelled, end what is compiled for them."""

    def __init__(self) -> None:
        super().__init__(MOST_WAITING, "maskc-request")

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Return the future of some work, which knows of the request that asks for it."""
        request, context = Request(), copy_context()

        def run() -> Any:
            with holding(request):
                return work(*args, **named)

        future = super().submit(context.run, run)
        give_up = future.cancel

        def cancel() -> bool:
            request.cancel()
            return give_up()

        future.cancel = cancel  # type: ignore[method-assign]
        return future


class _SessionGrammar:
    """One request's session, as SGLang's ``BaseGrammarObject`` asks for it."""

    session: Session
    kind: str

    def accept_token(self, token: int) -> None:
        if not self.session.accept(token):
            raise ValueError(f"token {token} is not legal here")
        self.current_token = token

    def rollback(self, k: int) -> None:
        self.session.rollback(k)

    def is_terminated(self) -> bool:
        return self.session.is_terminated

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        self.session.fill(vocab_mask.numpy(), idx)

    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None:
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
        apply_bitmask(logits, vocab_mask)

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:  # noqa: ARG002
        text = self.session.forced_text()
        return ([], text) if text else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        return helper[1], -1

    def jump_and_retokenize(
        self,
        old_output_ids: list[int],
        new_output_ids: list[int],
        next_state: int,  # noqa: ARG002
    ) -> None:
        pairs = zip(old_output_ids, new_output_ids, strict=False)
        kept = next((i for i, (old, new) in enumerate(pairs) if old != new), None)
        if kept is None:
            kept = min(len(old_output_ids), len(new_output_ids))
        self.session.rollback(len(old_output_ids) - kept)
        for token in new_output_ids[kept:]:
            self.accept_token(token)


def build_grammar_class() -> type[Any]:
    torch = load_engine("torch", ENGINE)
    base = load_engine(BASE, ENGINE)

    # What is ours comes first: SGLang's class has methods of the same names.
    class MaskcGrammar(_SessionGrammar, base.BaseGrammarObject):  # type: ignore[misc, name-defined]
        """One request; what it does is said in SGLang's ``BaseGrammarObject``."""

        def __init__(self, session: Session, kind: str) -> None:
            super().__init__()
            self.session, self.kind = session, kind
            self.grammar_stats = base.GrammarStats(dispatch_type=kind)

        def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:  # noqa: ARG002
            # Pinned where there is a GPU, so that the copy to it need not wait.
            pinned = torch.cuda.is_available()
            shape = (batch_size, -(-vocab_size // 32))
            return torch.full(shape, -1, dtype=torch.int32, pin_memory=pinned)

        def copy(self) -> MaskcGrammar:
            return MaskcGrammar(self.session.fork(), self.kind)

    return MaskcGrammar


class _Dispatch:
    """Which grammar is a request's: ours or the delegate's, as SGLang's backends are asked."""

    delegate: Any  # SGLang's backend for what is not ours
    registry: ArtifactRegistry  # the artifacts
    constraints: RequestConstraints | None  # makes what requests bring; None if they bring nothing
    end_ids: set[int]  # the tokens that end a text
    n_drafted: int  # how many tokens drafts may hide, see allow
    grammar_class: type[Any]  # of the grammars that follow a session
    refusal_class: type[Any]  # of SGLang's grammars that stand for a refusal

    def dispatch_ebnf(self, key_string: str) -> Any:
        try:
            name = parse_reference(key_string)
            if name is not None:
                return self.follow(self.registry.load(name), "ebnf")
        except MaskcError as error:
            if not isinstance(error, UnknownArtifactError):
                # SGLang has one status for all, 400; the log says that it is the server's fault.
                _log.error("the artifact of a request cannot be served: %s", error)
            return self.refusal_class(str(error))
        return self.serve("grammar", "ebnf", key_string)

    def dispatch_json(self, key_string: str) -> Any:
        kind = "json_object" if key_string == _ANY_OBJECT else "json"
        return self.serve(kind, "json", key_string)

    def dispatch_regex(self, key_string: str) -> Any:
        return self.serve("regex", "regex", key_string)

    def dispatch_structural_tag(self, key_string: str) -> Any:
        return self.serve("structural_tag", "structural_tag", key_string)

    def dispatch_fallback(self, key_type: str, key_string: str) -> Any:
        return self.delegate.dispatch_fallback(key_type, key_string)

    def serve(self, kind: str, theirs: str, text: str) -> Any:
        """Return the grammar of a request: ours, if its kind is, else the delegate's."""
        delegated = getattr(self.delegate, f"dispatch_{theirs}")
        if self.constraints is None or kind not in read_kinds():
            return delegated(text)
        try:
            return self.follow(self.constraints.make(kind, text), theirs)
        except MaskcError as error:
            return delegated(text) if falls_back() else self.refusal_class(str(error))

    def follow(self, compiled: Compiled, theirs: str) -> Any:
        allowance = allow(self.n_drafted)
        session = Session(compiled, self.end_ids, max_tokens=allowance)
        if allowance is not None:
            session.prepare()
        return self.grammar_class(session, theirs)

    def compile_framed_grammar(self, grammar: Any, frame: Any) -> Any:
        if isinstance(grammar, self.grammar_class):
            return None
        return self.delegate.compile_framed_grammar(grammar, frame)

    @property
    def is_support_token_filter(self) -> bool:
        return bool(self.delegate.is_support_token_filter)


def build_backend_class() -> type[Any]:
    """Return the class of the backend that serves what is ours and delegates all else."""
    base = load_engine(BASE, ENGINE)

    # What is ours comes first: SGLang's class has methods of the same names.
    class MaskcBackend(_Dispatch, base.BaseGrammarBackend):  # type: ignore[misc, name-defined]
        """What it does is said in SGLang's ``BaseGrammarBackend``."""

        grammar_class = build_grammar_class()
        refusal_class = base.InvalidGrammarObject

        def __init__(
            self,
            delegate: Any,
            registry: ArtifactRegistry,
            constraints: RequestConstraints | None,
            end_ids: set[int],
            n_drafted: int,
        ) -> None:
            super().__init__()
            self.executor = CancellingExecutor()
            self.delegate, self.registry, self.end_ids = delegate, registry, end_ids
            self.constraints, self.n_drafted = constraints, n_drafted

        def set_cache(self, key: tuple[str, str], value: Any) -> None:
            if is_remembered(key, value, base.InvalidGrammarObject):
                super().set_cache(key, value)

        def reset(self) -> None:
            super().reset()
            self.delegate.reset()

    # What masks and reasoning need of a backend, and artifacts have no part in.
    for method in (
        *("set_token_filter", "reserve_framing_tokens", "initialize_vocab_mask_buffer"),
        *("allocate_vocab_mask", "move_vocab_mask", "apply_vocab_mask"),
    ):
        setattr(MaskcBackend, method, _forward(method))
    return MaskcBackend


def _forward(method: str) -> Any:
    def call(self: Any, *args: Any, **named: Any) -> Any:
        return getattr(self.delegate, method)(*args, **named)

    call.__name__ = method
    return call


def wrap_for_reasoning(backend: Any, tokenizer: Any) -> Any:
    """Return a backend that lets a model think first, if the server has a parser for that."""
    serving = load_engine("sglang.srt.runtime_context", ENGINE).get_serving()
    if not serving.reasoning_parser:
        return backend
    parsing = load_engine("sglang.srt.parser.reasoning_parser", ENGINE)
    reasoner = load_engine("sglang.srt.constrained.reasoner_grammar_backend", ENGINE)
    invalid = load_engine(BASE, ENGINE).InvalidGrammarObject
    parser = parsing.ReasoningParser(
        model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer
    )

    class MaskcReasonerBackend(reasoner.ReasonerGrammarBackend):  # type: ignore[misc, name-defined]
        """Requests go to the outer backend, and its cache and threads are those that are used."""

        def set_cache(self, key: tuple[str, str], value: Any) -> None:
            if is_remembered(key, value, invalid):
                super().set_cache(key, value)

    made = MaskcReasonerBackend(
        backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking
    )
    made.executor = backend.executor
    return made


def is_remembered(key: tuple[str, str], value: Any, invalid: type[Any]) -> bool:
    """Return whether SGLang may remember what came of a request: the delegate's, and no refusal."""
    kind, text = key
    if text.startswith(SCHEME):
        return False
    # A variant of a kind, as for a budget of thoughts, follows a colon.
    if _KIND_OF.get(kind.partition(":")[0]) not in read_kinds():
        return True
    inner = getattr(value, "grammar", value)
    return not isinstance(inner, invalid) and not hasattr(inner, "session")
