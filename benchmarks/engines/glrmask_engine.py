"""GLRMask: compiled ahead of time like maskc, in Rust.

Its Lark has no ``& ~/…/``, so names may be keywords there; JSON is its own schema of anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import glrmask

import maskc
from benchmarks.engines import AskedSchema, Prepared, RefusedError, Schemas, SchemaSession
from benchmarks.peers.sources import read_plain
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Session
from maskc.vocab import load_vocabulary


def _read_vocabulary() -> tuple[Any, int]:
    vocabulary = load_vocabulary(TOKENIZER)
    texts = {number: text for number, text in enumerate(vocabulary.tokens) if text is not None}
    return glrmask.Vocab.from_id_to_bytes(texts), vocabulary.vocab_size


def prepare(workload: str, artifact: Path) -> Prepared:
    """Return GLRMask with its grammar of a workload."""
    del artifact
    vocabulary, vocab_size = _read_vocabulary()
    bitmask = maskc.allocate_bitmask(1, vocab_size)

    def load() -> Callable[[], Session]:
        if workload == "json":
            grammar = glrmask.Grammar.from_json_schema("{}")
        else:
            grammar = glrmask.Grammar.from_lark(read_plain(workload))
        constraint = grammar.compile(vocabulary)

        def start() -> Session:
            state = constraint.start()
            return Session(partial(state.fill_mask, bitmask[0]), state.commit_token)

        return start

    return Prepared(f"glrmask {version('glrmask')}", bitmask, load)


def read_schemas() -> Schemas:
    """Return GLRMask as it compiles schemas."""
    vocabulary, vocab_size = _read_vocabulary()
    bitmask = maskc.allocate_bitmask(1, vocab_size)

    def compile_schema(asked: AskedSchema) -> Callable[[], SchemaSession]:
        try:
            constraint = glrmask.Grammar.from_json_schema(json.dumps(asked.schema)).compile(
                vocabulary
            )
        except ValueError as error:
            raise RefusedError(str(error)) from error

        def start() -> SchemaSession:
            state = constraint.start()
            fill = partial(state.fill_mask, bitmask[0])
            return SchemaSession(fill, state.commit_token, state.is_accepting)

        return start

    return Schemas(f"glrmask {version('glrmask')}", bitmask, compile_schema)
