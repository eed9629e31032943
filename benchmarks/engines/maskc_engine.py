"""maskc: an artifact is loaded afresh for each cold pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import maskc
from benchmarks.engines import AskedSchema, Prepared, RefusedError, Schemas, SchemaSession
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Session
from maskc.errors import LimitError, SchemaError
from maskc.kit.file import make_kit
from maskc.kit.rows import lend_rows, make_rows
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
    """Return maskc as requests have it: a prepared kit, with what its file holds."""
    vocabulary = load_vocabulary(TOKENIZER)
    kit = make_kit(vocabulary)
    lend_rows(kit.tokens.index, make_rows(kit.tokens.index))
    kit.prepare()
    bitmask = maskc.allocate_bitmask(1, vocabulary.vocab_size)

    def compile_schema(asked: AskedSchema) -> Callable[[], SchemaSession]:
        formats = "assert" if asked.asserts_formats else "annotate"
        try:
            made = kit.json_schema(asked.schema, resources=asked.resources, formats=formats)
        except SchemaError as error:
            raise RefusedError(error.reason) from error
        except LimitError as error:
            raise RefusedError(str(error)) from error

        def start() -> SchemaSession:
            matcher = made.matcher()
            fill = partial(matcher.fill_bitmask, bitmask, 0)
            return SchemaSession(fill, matcher.accept_token, lambda: matcher.is_accepting)

        return start

    return Schemas(f"maskc {maskc.__version__}", bitmask, compile_schema)
