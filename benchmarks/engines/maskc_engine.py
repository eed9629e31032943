"""maskc: an artifact is loaded afresh for each cold pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import maskc
from benchmarks.engines import AskedSchema, Prepared, RefusedError, Schemas, SchemaSession
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Session
from maskc.errors import SchemaError
from maskc.kit.file import make_kit
from maskc.kit.rows import lend_rows, make_rows
from maskc.runtime.vocabulary import BYTES, FIRST, index_of
from maskc.vocab import load_vocabulary


def prepare(workload: str, artifact: Path) -> Prepared:
    """Return maskc with the artifact of a workload."""
    del workload
    bitmask = maskc.allocate_bitmask(1, maskc.load(artifact).vocab_size)

    def load() -> Callable[[], Session]:
        loaded = maskc.load(artifact)

        def start() -> Session:
            matcher = loaded.matcher()
            return Session(partial(matcher.fill_bitmask, bitmask, 0), matcher.accept_token)

        return start

    return Prepared(f"maskc {maskc.__version__}", bitmask, load)


def read_schemas() -> Schemas:
    """Return maskc as it compiles schemas: from one to a loaded artifact, in memory.

    What a kit's file holds is there, and the kit is prepared, as a server has it.
    """
    from maskc.jsonschema.compiling import compile_schema as compile_contents

    vocabulary = load_vocabulary(TOKENIZER)
    arrays = compile_contents({}, vocabulary).arrays
    index = index_of(arrays[FIRST], arrays[BYTES])
    lend_rows(index, make_rows(index))
    make_kit(vocabulary).prepare()
    bitmask = maskc.allocate_bitmask(1, vocabulary.vocab_size)

    def compile_schema(asked: AskedSchema) -> Callable[[], SchemaSession]:
        try:
            artifact = maskc.Artifact(
                compile_contents(
                    asked.schema,
                    vocabulary,
                    resources=asked.resources,
                    assert_formats=asked.asserts_formats,
                )
            )
        except SchemaError as error:
            raise RefusedError(error.reason) from error

        def start() -> SchemaSession:
            matcher = artifact.matcher()
            fill = partial(matcher.fill_bitmask, bitmask, 0)
            return SchemaSession(fill, matcher.accept_token, lambda: matcher.is_accepting)

        return start

    return Schemas(f"maskc {maskc.__version__}", bitmask, compile_schema)
