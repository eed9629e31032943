"""maskc: an artifact is loaded afresh, and what requests bring is made by a prepared kit."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import maskc
from benchmarks.engines import TOKENIZER, Engine, RefusedError, Session, Start
from maskc.errors import LimitError, SchemaError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.kit.rows import lend_rows, make_rows
from maskc.vocab import load_vocabulary


@cache
def make_served_kit() -> Kit:
    """Return a prepared kit, with what its file holds."""
    kit = make_kit(load_vocabulary(TOKENIZER))
    lend_rows(kit.tokens.index, make_rows(kit.tokens.index))
    kit.prepare()
    return kit


def read() -> Engine:
    """Return maskc."""
    bitmask = maskc.allocate_bitmask(1, load_vocabulary(TOKENIZER).vocab_size)

    def make(kind: str, what: Any) -> Any:
        if kind == "workload":
            return maskc.load(what[1])
        kit = make_served_kit()
        if kind == "schema":
            formats = "assert" if what.asserts_formats else "annotate"
            return kit.json_schema(what.schema, resources=what.resources, formats=formats)
        if kind in ("lark", "grammar"):
            return kit.lark(what if kind == "lark" else what["lark"])
        return getattr(kit, kind)(what)

    def compile_constraint(kind: str, what: Any) -> Start:
        try:
            made = make(kind, what)
        except SchemaError as error:
            raise RefusedError(error.reason) from error
        except LimitError as error:
            raise RefusedError(str(error)) from error

        def start() -> Session:
            matcher = made.matcher()
            fill = partial(matcher.fill_bitmask, bitmask, 0)
            return Session(fill, matcher.accept_token, lambda: matcher.is_accepting)

        return start

    return Engine(f"maskc {maskc.__version__}", bitmask, compile_constraint)
