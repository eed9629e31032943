"""Maskforge, which reads JSON Schemas only, and nearly all of them, in Rust.

Each document that it is given must refer to nothing that it lacks, so it gets those that it asks
for, one by one; the standard's meta-schemas are among them.
"""

from __future__ import annotations

import json
from functools import partial
from importlib.metadata import version
from typing import Any

import maskforge
import numpy as np
from jsonschema_specifications import REGISTRY

from benchmarks.engines import TOKENIZER, AskedSchema, Engine, RefusedError, Session, Start
from maskc.vocab import load_vocabulary

_BASE = "http://localhost:1234/"  # of a schema that has no address
_DRAFT = "/2020-12/"  # of the meta-schemas that it gets
_REFERENCES = ("$ref", "$dynamicRef", "$schema")


def _read_program(compiler: Any, asked: AskedSchema) -> Any:
    """Return a schema with the documents that it needs.

    Raises:
        RefusedError: it is not compiled, or a document is not there.
    """
    needed: dict[str, str] = {}
    while True:
        try:
            return compiler.compile(
                json.dumps(asked.schema), retrieval_uri=_BASE, resources=dict(needed)
            )
        except maskforge.MaskforgeError as error:
            found = _find_documents(str(error.observed).partition("#")[0], asked)
            if error.keyword not in _REFERENCES or found.keys() <= needed.keys():
                raise RefusedError(str(error)) from error
            needed |= found


def _find_documents(name: str, asked: AskedSchema) -> dict[str, str]:
    """Return the documents that an error may mean, by address: it names one as it is written."""
    found = {}
    for uri in REGISTRY if name else ():
        if uri == name or _DRAFT in uri and uri.endswith(f"/{name}"):
            found[uri] = json.dumps(REGISTRY.contents(uri))
    for uri, text in asked.resources.items() if name else ():
        if uri == name or uri.endswith(f"/{name}"):
            found[uri] = text
    return found


def read() -> Engine:
    """Return Maskforge, with its own cache."""
    vocabulary = load_vocabulary(TOKENIZER)
    known = maskforge.Vocabulary.from_id_ordered_tokens(
        vocabulary.tokens, vocabulary.eos_ids[0], vocabulary.vocab_size
    )
    buffer = bytearray(4 * -(-known.mask_vocab_size // 32))
    bitmask = np.frombuffer(buffer, dtype=np.int32)[None, :]
    compiler = maskforge.Compiler()

    def compile_constraint(kind: str, what: AskedSchema) -> Start:
        if kind != "schema":
            raise RefusedError(f"{kind} is not read")
        program = _read_program(compiler, what)
        try:
            bound = program.bind(known)
        except maskforge.MaskforgeError as error:
            raise RefusedError(str(error)) from error

        def start() -> Session:
            session = bound.start_session()

            def accept(token: int) -> bool:
                try:
                    session.advance(token)
                except maskforge.MaskforgeError as error:
                    if error.code != "IllegalToken":
                        raise
                    return False
                return True

            return Session(
                partial(session.write_mask, buffer), accept, lambda: session.is_accepting
            )

        return start

    return Engine(f"maskforge {version('maskforge')}", bitmask, compile_constraint)
