"""What a model is to write: a value of a Python type, JSON by a schema, or a text of a grammar."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from maskc.errors import WrongTypeError
from maskc.integrations.errors import IntegrationError
from maskc.jsonschema.python_types import adapt_type, describe_type, is_type, read_as
from maskc.jsonschema.reader import read_schema

if TYPE_CHECKING:
    from maskc.kit.kit import Kit
    from maskc.runtime.compiled import Compiled


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a text is to be."""

    read: Callable[[str], Any]  # makes the value of a whole text
    schema: Any = None  # of the text, as parsed JSON; None: it is a text of compiled
    style: str = "any"  # how the JSON text is written; see maskc.compile_json_schema
    compiled: Compiled | None = None  # an artifact, or a constraint of a kit

    def constrain(self, kit: Kit) -> Compiled:
        if self.compiled is not None:
            return self.compiled
        return kit.json_schema(self.schema, style=self.style)


def read_wanted(wanted: Any, style: str | None = None) -> Wanted:
    """Return what is meant by a type, a schema, an artifact or a constraint.

    Raises:
        SchemaError: Pydantic cannot describe the type, or the mapping is not a schema.
        WrongTypeError: it is none of these.
    """
    if is_type(wanted):
        adapted = adapt_type(wanted)
        return Wanted(read_as(adapted), describe_type(adapted), style or "plain")
    if isinstance(wanted, Mapping):
        return Wanted(_read_json, read_schema(dict(wanted)), style or "any")
    if callable(getattr(wanted, "matcher", None)):
        return Wanted(str, compiled=cast("Compiled", wanted))
    raise WrongTypeError(
        f"what is wanted must be a type, a JSON Schema, an artifact or a constraint, not "
        f"{type(wanted).__name__[:40]}"
    )


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fact = f"wrote text that is not JSON ({error})"
        raise IntegrationError(
            "the model", fact, "use a server that supports response_format"
        ) from None
