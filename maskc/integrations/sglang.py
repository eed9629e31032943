"""Artifacts in SGLang: ``--grammar-backend maskc``, and ``maskc://NAME`` in a request's ``ebnf``.

SGLang calls :func:`register` by the entry point ``sglang.srt.plugins`` in every process. It adds
``maskc``, which leaves what is not ours to xgrammar, and ``maskc-llguidance``. SGLang wraps its own
backends for reasoning parsers, but not one that is registered, so this is done here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from maskc.integrations.patches import AND_MORE, Engine, Patch, PatchSet
from maskc.integrations.registry import ArtifactRegistry
from maskc.integrations.requests import (
    RequestConstraints,
    bar_ends,
    falls_back,
    find_markers,
    read_kinds,
    serves_tags,
)
from maskc.integrations.session import read_setting
from maskc.integrations.sglang_backend import (
    BASE,
    build_backend_class,
    wrap_for_reasoning,
    wrap_process,
)
from maskc.integrations.vocabulary import read_vocabulary

ENGINE = Engine("sglang", ("0.5.23",), "SGLANG_PLUGINS")
_CHOICES, _CONTEXT = "sglang.srt.arg_groups.choices", "sglang.srt.runtime_context"
_REGISTER, _ADD = "register_grammar_backend", "add_grammar_backend_choices"
NAME, NAME_WITH_LLGUIDANCE = "maskc", "maskc-llguidance"

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
    """Make SGLang know our backends in this process, as far as it is as we know it.

    Raises:
        IntegrationError: SGLang is not installed.
    """
    base, choices = ENGINE.load(BASE), ENGINE.load(_CHOICES)
    serves = _BACKEND in ENGINE.apply(_PARTS)
    if not all(hasattr(owner, name) for owner, name in ((base, _REGISTER), (choices, _ADD))):
        return  # SGLang refuses the names of our backends
    for name, delegate in ((NAME, "xgrammar"), (NAME_WITH_LLGUIDANCE, "llguidance")):
        if name not in choices.GRAMMAR_BACKEND_CHOICES:
            choices.add_grammar_backend_choices([name])
        make = _make_backend if serves else _make_delegate
        base.register_grammar_backend(name, partial(make, delegate))


def _check_backend() -> None:
    base, choices = ENGINE.load(BASE), ENGINE.load(_CHOICES)
    ENGINE.check(base, {_REGISTER: (AND_MORE,)})
    ENGINE.check(choices, {_ADD: (AND_MORE,)})
    ENGINE.check(base.BaseGrammarObject, _OBJECT_METHODS)
    ENGINE.check(base.BaseGrammarBackend, _BACKEND_METHODS)


class ForbiddingTag:
    """A tag as SGLang takes one: it writes it as JSON, and takes words out of what it excludes."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given, self.format = given, given.get("format")

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Return the JSON, as pydantic's models do."""
        return self._given


def wrap_constraint(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that makes the constraint of some tools that forbids what ends a call.

    SGLang makes it in one method of its tool parser. In the older form of tags, and in xgrammar
    before 0.2.8, there is no place for the words; other backends do not look at ours.
    """

    def get_structure_constraint(self: Any, *args: Any, **named: Any) -> Any:
        found = original(self, *args, **named)
        if found is None or found[0] != "structural_tag" or not serves_tags():
            return found
        return found[0], bar_tag(found[1], self.detector.get_structural_tag_name())

    return get_structure_constraint


def bar_tag(tag: Any, model: str | None) -> Any:
    """Return a tag of some tools that excludes what ends a call from their arguments.

    Args:
        tag: SGLang's.
        model: its name for how calls are written; ``None`` in the older form, where the names in
            angle brackets around a call are excluded.
    """
    given = tag.model_dump(by_alias=True)
    structures = given.get("structures")
    if structures is not None:
        texts = [text for one in structures for text in (one["begin"], one["end"])]
        words = list(find_markers([*texts, *given["triggers"]]))
        for one in structures:
            one["excludes"] = words
    elif model:
        bar_ends(given["format"], model)
    else:
        return tag  # made of a chat template, which has words of its own
    return ForbiddingTag(given)


_BACKEND = PatchSet(
    "maskc's backends pass all requests to the other backend, which refuses names of artifacts",
    (),
    _check_backend,
)
_PARTS = (
    _BACKEND,
    PatchSet(
        "tool arguments may contain the text that ends a call for SGLang's parser",
        (
            Patch(
                "sglang.srt.function_call.function_call_parser:FunctionCallParser",
                "get_structure_constraint",
                ("self", "tool_choice", "parallel_tool_calls", "thinking_mode"),
                wrap_constraint,
            ),
        ),
    ),
    PatchSet(
        "texts may be cut off at max_new_tokens, whatever MASKC_MAX_TOKENS says",
        (
            Patch(
                "sglang.srt.constrained.grammar_manager:GrammarManager",
                "process_req_with_grammar",
                ("self", "req"),
                wrap_process,
            ),
        ),
    ),
)


def _make_backend(
    named: str, server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Any
) -> Any:
    """Return a backend that leaves what is not ours to the one that is named."""
    ends = _find_ends(tokenizer, eos_token_ids)
    vocabulary = read_vocabulary(tokenizer, vocab_size=vocab_size, eos_ids=ends)
    # A wrong setting ends the server's start, and not a request.
    falls_back()
    read_setting()
    constraints = RequestConstraints(vocabulary) if read_kinds() else None
    delegate = _make_delegate(named, server_args, tokenizer, vocab_size, eos_token_ids)
    registry = ArtifactRegistry(vocabulary)
    registry.prepare()
    thinks = ENGINE.load(_CONTEXT).get_serving().reasoning_parser
    n_drafted = getattr(server_args, "speculative_num_draft_tokens", None) or 0
    backend = build_backend_class()(
        delegate, registry, constraints, ends, n_drafted if thinks else 0
    )
    return wrap_for_reasoning(backend, tokenizer)


def _make_delegate(
    named: str, server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Any
) -> Any:
    del server_args
    ends = _find_ends(tokenizer, eos_token_ids)
    serving = ENGINE.load(_CONTEXT).get_serving()
    any_whitespace = not serving.constrained_json_disable_any_whitespace
    if named == "llguidance":
        module = ENGINE.load("sglang.srt.constrained.llguidance_backend")
        return module.GuidanceBackend(
            tokenizer=tokenizer,
            any_whitespace=any_whitespace,
            whitespace_pattern=serving.constrained_json_whitespace_pattern,
            n_vocab=vocab_size,
            eos_token_ids=ends,
        )
    module = ENGINE.load("sglang.srt.constrained.xgrammar_backend")
    return module.XGrammarGrammarBackend(
        tokenizer,
        vocab_size=vocab_size,
        model_eos_token_ids=sorted(ends),
        any_whitespace=any_whitespace,
        max_whitespace_cnt=serving.constrained_json_max_whitespace_cnt,
    )


def _find_ends(tokenizer: Any, eos_token_ids: Iterable[int] | int | None) -> set[int]:
    given = [eos_token_ids] if isinstance(eos_token_ids, int) else eos_token_ids or ()
    more = getattr(tokenizer, "additional_stop_token_ids", None) or ()
    own = tokenizer.eos_token_id
    return {*given, *more, *([] if own is None else [own])}
