"""GLRMask: compiled ahead of time like maskc, in Rust.

Its Lark has no ``& ~/…/``, so names may be keywords there; JSON is its own schema of anything.
"""

from __future__ import annotations

import json
from functools import partial
from importlib.metadata import version
from typing import Any

import glrmask

import maskc
from benchmarks.engines import TOKENIZER, Engine, RefusedError, Session, Start
from benchmarks.peers.sources import read_plain
from maskc.vocab import load_vocabulary


def read() -> Engine:
    """Return GLRMask."""
    vocabulary = load_vocabulary(TOKENIZER)
    texts = {number: text for number, text in enumerate(vocabulary.tokens) if text is not None}
    known = glrmask.Vocab.from_id_to_bytes(texts)
    bitmask = maskc.allocate_bitmask(1, vocabulary.vocab_size)

    def read_grammar(kind: str, what: Any) -> Any:
        if kind == "schema" or kind == "workload" and what[0] == "json":
            schema = json.dumps(what.schema) if kind == "schema" else "{}"
            return glrmask.Grammar.from_json_schema(schema)
        if kind == "workload":
            return glrmask.Grammar.from_lark(read_plain(what[0]))
        raise RefusedError(f"{kind} is not asked of GLRMask")

    def compile_constraint(kind: str, what: Any) -> Start:
        try:
            constraint = read_grammar(kind, what).compile(known)
        except ValueError as error:
            raise RefusedError(str(error)) from error

        def start() -> Session:
            state = constraint.start()
            return Session(
                partial(state.fill_mask, bitmask[0]), state.commit_token, state.is_accepting
            )

        return start

    return Engine(f"glrmask {version('glrmask')}", bitmask, compile_constraint)
