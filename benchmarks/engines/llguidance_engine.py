"""llguidance, by its fastest way in: the mask is written to a pointer that is worked out once.

One matcher serves all texts of a constraint and is reset between them, which keeps the lexer's
states that it has built: a copy of a matcher would build them again. Limits are raised as far as a
workload needs, but for JSON, where the engine gets its own JSON slices and its own JSON.
"""

from __future__ import annotations

import json
from functools import partial
from importlib.metadata import version
from typing import Any

import llguidance

import maskc
from benchmarks.engines import TOKENIZER, Engine, RefusedError, Session, Start
from benchmarks.peers.sources import read_lark
from maskc.vocab import load_encoder, load_vocabulary

_RAISED = llguidance.LLParserLimits(
    max_items_in_row=1_000_000,
    initial_lexer_fuel=1_000_000_000,
    step_lexer_fuel=1_000_000_000,
    step_max_items=10_000_000,
    max_lexer_states=10_000_000,
    max_grammar_size=100_000_000,
)


class WrappedVocabulary:
    """The vocabulary as llguidance's ``TokenizerWrapper`` asks for it."""

    def __init__(self) -> None:
        vocabulary = load_vocabulary(TOKENIZER)
        # What never writes text is special to llguidance, and must have some distinct name.
        self.tokens = [t or f"<|special_{n}|>".encode() for n, t in enumerate(vocabulary.tokens)]
        self.special_token_ids = [n for n, t in enumerate(vocabulary.tokens) if t is None]
        self.eos_ids = list(vocabulary.eos_ids)
        self.eos_token_id, self.bos_token_id = self.eos_ids[0], None
        self._encode = load_encoder(TOKENIZER).encode

    def __call__(self, text: str) -> list[int]:
        """Return a text's tokens, as the model writes it."""
        if isinstance(text, bytes):
            raise TypeError("texts only")
        return self._encode(text)


def read() -> Engine:
    """Return llguidance."""
    wrapper = llguidance.TokenizerWrapper(WrappedVocabulary())
    slices = llguidance.LLTokenizer.json_slices()
    with_slices = llguidance.LLTokenizer(wrapper, slices=slices)
    plain = llguidance.LLTokenizer(wrapper, slices=[])
    bitmask = maskc.allocate_bitmask(1, plain.vocab_size)
    pointer, n_bytes = bitmask.ctypes.data, bitmask.nbytes

    def read_grammar(kind: str, what: Any) -> Any:
        match kind:
            case "workload" if what[0] == "json":
                return llguidance.LLMatcher.grammar_from_json_schema("{}")
            case "schema":
                return llguidance.LLMatcher.grammar_from_json_schema(what.schema)
            case "regex":
                return llguidance.LLMatcher.grammar_from_regex(what)
            case "choice":
                text = "start: " + " | ".join(map(json.dumps, what))
            case "grammar":
                text = what["lark"]
            case "workload":
                text = read_lark(what[0])
            case _:
                text = what
        return llguidance.LLMatcher.grammar_from_lark(text)

    def compile_constraint(kind: str, what: Any) -> Start:
        is_json = kind == "schema" or kind == "workload" and what[0] == "json"
        try:
            grammar = read_grammar(kind, what)
        except ValueError as error:
            raise RefusedError(str(error)) from error

        def make() -> Any:
            tokenizer, limits = (with_slices, None) if is_json else (plain, _RAISED)
            matcher = llguidance.LLMatcher(tokenizer, grammar, limits=limits)
            if matcher.is_error():
                raise RefusedError(matcher.get_error())
            return matcher

        matcher = make()

        def may_end() -> bool:
            # Where nothing can follow it stops by itself, after a text that it accepts.
            return matcher.is_accepting() or (matcher.is_stopped() and not matcher.is_error())

        def start() -> Session:
            nonlocal matcher
            # An error is never left, not even by a reset.
            if matcher.is_error():
                matcher = make()
            matcher.reset()
            fill = partial(matcher.unsafe_compute_mask_ptr, pointer, n_bytes)
            return Session(fill, matcher.consume_token, may_end)

        return start

    return Engine(f"llguidance {version('llguidance')}", bitmask, compile_constraint)
