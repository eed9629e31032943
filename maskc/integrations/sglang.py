"""Artifacts in SGLang: ``--grammar-backend maskc``, and ``maskc://NAME`` in a request's ``ebnf``.

SGLang calls :func:`register` by the entry point ``sglang.srt.plugins`` in every process. It adds
two values of ``--grammar-backend``, which differ in who serves the requests that name no
artifact: ``maskc`` leaves them to xgrammar, ``maskc-llguidance`` to llguidance. Both may be in one
batch with ours: masks have one layout.

SGLang wraps its own backends for reasoning parsers, but not one that is registered, so this is
done here. SGLang remembers grammars, and requests that fail, by their text without bound; those of
artifacts are not remembered: a client can invent names without end, and what lies under a name may
be replaced, put in order or taken away. The registry knows them, so nothing is done twice.

Example: ``sampling_params={"ebnf": "maskc://json"}``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.drift import Interface
from maskc.integrations.errors import load_engine
from maskc.integrations.names import SCHEME, parse_reference
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.session import Session
from maskc.integrations.torch_masks import apply_bitmask
from maskc.integrations.vocabulary import read_vocabulary
from maskc.runtime.artifact import Artifact

ENGINE = "sglang"
INTERFACE = Interface(ENGINE, ("0.5.23",), "SGLANG_PLUGINS")
NAME, NAME_WITH_LLGUIDANCE = "maskc", "maskc-llguidance"

_BASE = "sglang.srt.constrained.base_grammar_backend"
_OBJECT_METHODS = {
    "accept_token": ("self", "token"),
    "rollback": ("self", "k"),
    "is_terminated": ("self",),
    "allocate_vocab_mask": ("self", "vocab_size", "batch_size", "device"),
    "fill_vocab_mask": ("self", "vocab_mask", "idx"),
    "move_vocab_mask": ("vocab_mask", "device"),
    "apply_vocab_mask": ("logits", "vocab_mask"),
    "reset_vocab_mask": ("vocab_mask",),
    "copy": ("self",),
    "try_jump_forward": ("self", "tokenizer"),
    "jump_forward_str_state": ("self", "helper"),
    "jump_and_retokenize": ("self", "old_output_ids", "new_output_ids", "next_state"),
}
_BACKEND_METHODS = {
    "dispatch_json": ("self", "key_string"),
    "dispatch_regex": ("self", "key_string"),
    "dispatch_ebnf": ("self", "key_string"),
    "dispatch_structural_tag": ("self", "key_string"),
    "dispatch_fallback": ("self", "key_type", "key_string"),
    "set_cache": ("self", "key", "value"),
    "reset": ("self",),
}


def register() -> None:
    """Make SGLang know our backends in this process.

    Raises:
        IntegrationError: SGLang's interface is not the one we know.
    """
    base = load_engine(_BASE, ENGINE)
    choices = load_engine("sglang.srt.arg_groups.choices", ENGINE)
    check_interface()
    for name, delegate in ((NAME, "xgrammar"), (NAME_WITH_LLGUIDANCE, "llguidance")):
        if name not in choices.GRAMMAR_BACKEND_CHOICES:
            choices.add_grammar_backend_choices([name])
        base.register_grammar_backend(name, _Factory(delegate))


def check_interface() -> None:
    """Check that SGLang has the interface that this module was written against.

    Raises:
        IntegrationError: it has not; the message says what differs.
    """
    base = load_engine(_BASE, ENGINE)
    choices = load_engine("sglang.srt.arg_groups.choices", ENGINE)
    INTERFACE.check(base.BaseGrammarObject, _OBJECT_METHODS)
    INTERFACE.check(base.BaseGrammarBackend, _BACKEND_METHODS)
    if not hasattr(base, "register_grammar_backend"):
        raise INTERFACE.drifted("there is no register_grammar_backend")
    if not hasattr(choices, "add_grammar_backend_choices"):
        raise INTERFACE.drifted("there is no add_grammar_backend_choices")


def build_grammar_class() -> type[Any]:
    """Return the class of SGLang grammars that follow an artifact."""
    torch = load_engine("torch", ENGINE)
    base = load_engine(_BASE, ENGINE)

    class MaskcGrammar(base.BaseGrammarObject):  # type: ignore[misc, name-defined]
        """One request; what it does is said in SGLang's ``BaseGrammarObject``."""

        def __init__(self, session: Session) -> None:
            super().__init__()
            self.session = session
            self.grammar_stats = base.GrammarStats(dispatch_type="ebnf")

        def accept_token(self, token: int) -> None:
            if not self.session.accept(token):
                raise ValueError(f"token {token} is not legal here")
            self.current_token = token

        def rollback(self, k: int) -> None:
            self.session.rollback(k)

        def is_terminated(self) -> bool:
            return self.session.is_terminated

        def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:  # noqa: ARG002
            return allocate(vocab_size, batch_size)

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

        def copy(self) -> MaskcGrammar:
            return MaskcGrammar(self.session.fork())

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

    def allocate(vocab_size: int, batch_size: int) -> Any:
        # Pinned where there is a GPU, so that the copy to it need not wait.
        pinned = torch.cuda.is_available()
        shape = (batch_size, -(-vocab_size // 32))
        return torch.full(shape, -1, dtype=torch.int32, pin_memory=pinned)

    return MaskcGrammar


def build_backend_class() -> type[Any]:
    """Return the class of the backend that serves artifacts and delegates all else."""
    base = load_engine(_BASE, ENGINE)
    grammar_class = build_grammar_class()

    class MaskcBackend(base.BaseGrammarBackend):  # type: ignore[misc, name-defined]
        """What it does is said in SGLang's ``BaseGrammarBackend``."""

        def __init__(self, delegate: Any, registry: ArtifactRegistry, end_ids: set[int]) -> None:
            super().__init__()
            self.delegate, self.registry, self.end_ids = delegate, registry, end_ids

        def dispatch_ebnf(self, key_string: str) -> Any:
            try:
                name = parse_reference(key_string)
                if name is not None:
                    artifact: Artifact = self.registry.load(name)
                    return grammar_class(Session(artifact, self.end_ids))
            except MaskcError as error:
                return base.InvalidGrammarObject(str(error))
            return self.delegate.dispatch_ebnf(key_string)

        def dispatch_json(self, key_string: str) -> Any:
            return self.delegate.dispatch_json(key_string)

        def dispatch_regex(self, key_string: str) -> Any:
            return self.delegate.dispatch_regex(key_string)

        def dispatch_structural_tag(self, key_string: str) -> Any:
            return self.delegate.dispatch_structural_tag(key_string)

        def dispatch_fallback(self, key_type: str, key_string: str) -> Any:
            return self.delegate.dispatch_fallback(key_type, key_string)

        def set_cache(self, key: tuple[str, str], value: Any) -> None:
            if not key[1].startswith(SCHEME):
                super().set_cache(key, value)

        def reset(self) -> None:
            super().reset()
            self.delegate.reset()

        def compile_framed_grammar(self, grammar: Any, frame: Any) -> Any:
            if isinstance(grammar, grammar_class):
                return None
            return self.delegate.compile_framed_grammar(grammar, frame)

        @property
        def is_support_token_filter(self) -> bool:
            return bool(self.delegate.is_support_token_filter)

    # What masks and reasoning need of a backend, and artifacts have no part in.
    for method in (
        *("set_token_filter", "reserve_framing_tokens", "initialize_vocab_mask_buffer"),
        *("allocate_vocab_mask", "move_vocab_mask", "apply_vocab_mask"),
    ):
        setattr(MaskcBackend, method, _forward(method))
    return MaskcBackend


class _Factory:
    """What SGLang calls to make a backend."""

    def __init__(self, delegate: str) -> None:
        self.delegate = delegate

    def __call__(
        self,
        server_args: Any,  # noqa: ARG002
        tokenizer: Any,
        vocab_size: int,
        eos_token_ids: Any,
    ) -> Any:
        ends = _find_ends(tokenizer, eos_token_ids)
        vocabulary = read_vocabulary(tokenizer, vocab_size=vocab_size, eos_ids=ends)
        registry = ArtifactRegistry(vocabulary)
        delegate = self._build_delegate(tokenizer, vocab_size, ends)
        backend = build_backend_class()(delegate, registry, ends)
        return _wrap_for_reasoning(backend, tokenizer)

    def _build_delegate(self, tokenizer: Any, vocab_size: int, ends: set[int]) -> Any:
        serving = load_engine("sglang.srt.runtime_context", ENGINE).get_serving()
        any_whitespace = not serving.constrained_json_disable_any_whitespace
        if self.delegate == "llguidance":
            module = load_engine("sglang.srt.constrained.llguidance_backend", ENGINE)
            return module.GuidanceBackend(
                tokenizer=tokenizer,
                any_whitespace=any_whitespace,
                whitespace_pattern=serving.constrained_json_whitespace_pattern,
                n_vocab=vocab_size,
                eos_token_ids=ends,
            )
        module = load_engine("sglang.srt.constrained.xgrammar_backend", ENGINE)
        return module.XGrammarGrammarBackend(
            tokenizer,
            vocab_size=vocab_size,
            model_eos_token_ids=sorted(ends),
            any_whitespace=any_whitespace,
            max_whitespace_cnt=serving.constrained_json_max_whitespace_cnt,
        )


def _wrap_for_reasoning(backend: Any, tokenizer: Any) -> Any:
    serving = load_engine("sglang.srt.runtime_context", ENGINE).get_serving()
    if not serving.reasoning_parser:
        return backend
    parsing = load_engine("sglang.srt.parser.reasoning_parser", ENGINE)
    reasoner = load_engine("sglang.srt.constrained.reasoner_grammar_backend", ENGINE)
    parser = parsing.ReasoningParser(
        model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer
    )

    class MaskcReasonerBackend(reasoner.ReasonerGrammarBackend):  # type: ignore[misc, name-defined]
        """Requests go to the outer backend, and its cache is the one that is used."""

        def set_cache(self, key: tuple[str, str], value: Any) -> None:
            if not key[1].startswith(SCHEME):
                super().set_cache(key, value)

    return MaskcReasonerBackend(
        backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking
    )


def _find_ends(tokenizer: Any, eos_token_ids: Iterable[int] | int | None) -> set[int]:
    """Return the ids at which SGLang ends every request."""
    given = [eos_token_ids] if isinstance(eos_token_ids, int) else eos_token_ids or ()
    more = getattr(tokenizer, "additional_stop_token_ids", None) or ()
    own = tokenizer.eos_token_id
    return {*given, *more, *([] if own is None else [own])}


def _forward(method: str) -> Any:
    def call(self: Any, *args: Any, **named: Any) -> Any:
        return getattr(self.delegate, method)(*args, **named)

    call.__name__ = method
    return call
