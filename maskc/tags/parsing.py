"""A request's JSON: a text parsed within bounds, what is parsed already as it is.

Example: ``parse_tag('{"format": …')`` is refused as no JSON, and ``parse_tag("[]")`` as no object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from maskc.errors import TagError

MAX_CHARACTERS = 8 * 1024 * 1024


def parse_tag(given: Any) -> Any:
    """Return a tag as parsed JSON, a mapping as it is; TagError if it is not a JSON object."""
    given = parse_json(given, "")
    if not isinstance(given, Mapping):
        raise TagError("", "it is not a JSON object", "give a mapping or its text")
    return given


def is_tag(given: Any) -> bool:
    """Return whether parsed JSON is meant as a structural tag, and not as a JSON Schema."""
    if not isinstance(given, dict):
        return False
    is_marked = given.get("type") == "structural_tag" or bool({"format", "structures"} & set(given))
    return is_marked and not {"$schema", "properties"} & set(given)


def parse_json(given: Any, pointer: str) -> Any:
    """Return what a JSON text says, and what is not a text as it is.

    A TagError at the pointer says that it is not JSON, or too large.
    """
    if not isinstance(given, str | bytes | bytearray):
        return given
    if len(given) > MAX_CHARACTERS:
        raise TagError(pointer, f"it has more than {MAX_CHARACTERS:,} characters", "split it")
    try:
        return json.loads(given)
    except RecursionError:
        raise TagError(pointer, "it is nested too deep", "nest less") from None
    except ValueError as error:
        raise TagError(pointer, f"it is not JSON ({error})", "give valid JSON") from None
