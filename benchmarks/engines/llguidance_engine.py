"""llguidance, by its fastest way in: the mask is written to a pointer that is worked out once.

One matcher serves all documents of a pass and is reset between them, which keeps the lexer's states
that it has built: a copy of a matcher would build them again. Limits on items and lexer states are
raised as far as a workload needs; on JSON the engine gets its own JSON slices and its own JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llguidance

import maskc
from benchmarks.engines import AskedSchema, Prepared, RefusedError, Schemas, SchemaSession
from benchmarks.peers.sources import read_lark
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Session
from maskc.vocab import load_encoder, load_vocabulary

RAISED = llguidance.LLParserLimits(
    max_items_in_row=1_000_000,
    initial_lexer_fuel=1_000_000_000,
    step_lexer_fuel=1_000_000_000,
    step_max_items=10_000_000,
    max_lexer_states=10_000_000,
)


class WrappedVocabulary:
    """The vocabulary as llguidance's ``TokenizerWrapper`` asks for it."""

    def __init__(self) -> None:
        vocabulary = load_vocabulary(TOKENIZER)
        # What never writes text is special to llguidance, and must have some distinct name.
        self.tokens = [
            token if token is not None else f"<|special_{number}|>".encode()
            for number, token in enumerate(vocabulary.tokens)
        ]
        self.special_token_ids = [n for n, t in enumerate(vocabulary.tokens) if t is None]
        self.eos_ids = list(vocabulary.eos_ids)
        self.eos_token_id = self.eos_ids[0]
        self.bos_token_id = None
        self._encode = load_encoder(TOKENIZER).encode

    def __call__(self, text: str) -> list[int]:
        """Return a text's tokens, as the model writes it."""
        if isinstance(text, bytes):
            raise TypeError("texts only")
        return self._encode(text)


def prepare(workload: str, artifact: Path) -> Prepared:
    """Return llguidance with its grammar of a workload."""
    del artifact
    wrapper = llguidance.TokenizerWrapper(WrappedVocabulary())
    slices = llguidance.LLTokenizer.json_slices() if workload == "json" else None
    tokenizer = llguidance.LLTokenizer(wrapper, slices=slices)
    if workload == "json":
        grammar = llguidance.LLMatcher.grammar_from_json_schema("{}")
    else:
        grammar = llguidance.LLMatcher.grammar_from_lark(read_lark(workload))
    limits = None if workload == "json" else RAISED
    bitmask = maskc.allocate_bitmask(1, tokenizer.vocab_size)
    pointer, n_bytes = bitmask.ctypes.data, bitmask.nbytes

    def make() -> Any:
        matcher = llguidance.LLMatcher(tokenizer, grammar, limits=limits)
        if matcher.is_error():
            raise SystemExit(f"llguidance: {workload}: {matcher.get_error()}")
        return matcher

    def load() -> Callable[[], Session]:
        matcher = make()

        def start() -> Session:
            nonlocal matcher
            # An error is never left, not even by a reset.
            if matcher.is_error():
                matcher = make()
            matcher.reset()
            fill = partial(matcher.unsafe_compute_mask_ptr, pointer, n_bytes)
            return Session(fill, matcher.consume_token)

        return start

    return Prepared(f"llguidance {version('llguidance')}", bitmask, load)


def read_schemas() -> Schemas:
    """Return llguidance as it compiles schemas, with its JSON slices and its own limits."""
    wrapper = llguidance.TokenizerWrapper(WrappedVocabulary())
    tokenizer = llguidance.LLTokenizer(wrapper, slices=llguidance.LLTokenizer.json_slices())
    bitmask = maskc.allocate_bitmask(1, tokenizer.vocab_size)
    pointer, n_bytes = bitmask.ctypes.data, bitmask.nbytes

    def compile_schema(asked: AskedSchema) -> Callable[[], SchemaSession]:
        try:
            grammar = llguidance.LLMatcher.grammar_from_json_schema(asked.schema)
        except ValueError as error:
            raise RefusedError(str(error)) from error
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        if matcher.is_error():
            raise RefusedError(matcher.get_error())

        def start() -> SchemaSession:
            matcher.reset()
            fill = partial(matcher.unsafe_compute_mask_ptr, pointer, n_bytes)
            return SchemaSession(fill, matcher.consume_token, matcher.is_accepting)

        return start

    return Schemas(f"llguidance {version('llguidance')}", bitmask, compile_schema)
