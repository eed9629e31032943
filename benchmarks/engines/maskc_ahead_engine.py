"""maskc, where a schema is known ahead: compiled into a file, loaded and prepared by the server.

What it takes until then stands with the time from the schema to the first mask.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import maskc
from benchmarks.engines import Engine, RefusedError, Session, Start, maskc_engine
from maskc.errors import LimitError, SchemaError
from maskc.jobs import read_schema_job
from maskc.limits import Limits
from maskc.vocab import load_vocabulary


def read() -> Engine:
    """Return maskc, with artifacts in place of constraints."""
    engine = maskc_engine.read()
    vocabulary = load_vocabulary(maskc_engine.TOKENIZER)
    maskc_engine.make_served_kit()

    def compile_ahead(kind: str, what: Any) -> Start:
        if kind != "schema":
            raise RefusedError(f"{kind} is not measured here")
        formats = "assert" if what.asserts_formats else "annotate"
        try:
            job = read_schema_job(what.schema, what.resources, formats=formats)
            contents, _ = job.compile(vocabulary, Limits())
        except (LimitError, SchemaError) as error:
            raise RefusedError(str(error)) from error
        with TemporaryDirectory() as folder:
            path = os.path.join(folder, "schema.maskc")
            maskc.Artifact(contents).save(path)
            artifact = maskc.load(path, mapped=False)
        artifact.prepare(seconds=1)

        def start() -> Session:
            matcher = artifact.matcher()
            fill = partial(matcher.fill_bitmask, engine.bitmask, 0)
            return Session(fill, matcher.accept_token, lambda: matcher.is_accepting)

        return start

    return replace(engine, name=f"{engine.name}, ahead", compile=compile_ahead)
