"""Which tools may be called? OpenAI's tool definitions and tool choice, read and checked.

Example: ``[{"type": "function", "function": {"name": "f", "parameters": {…}}}]`` is one tool, and
``{"type": "function", "function": {"name": "f"}}`` the choice of it; ``{"name": "f"}`` will do.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from maskc.errors import TagError
from maskc.tags.families import Tool, load_family
from maskc.tags.parsing import parse_json

MAX_TOOLS = 10_000
# What the wrappers of all families leave as it is.
_NAME = re.compile(r"[^\x00-\x20\x7f\"'\\<>{}|&=\ud800-\udfff]{1,256}")
ANY_OBJECT = {"type": "object"}


def read_tools(given: Any) -> list[Tool]:
    """Return the tools of a request.

    Raises:
        TagError: they are none.
    """
    given = parse_json(given, "/tools")
    if not isinstance(given, list | tuple):
        raise TagError("/tools", "it is no list", "give a list of tool definitions")
    if len(given) > MAX_TOOLS:
        raise TagError("/tools", f"there are more than {MAX_TOOLS:,}", "give fewer")
    found: dict[str, Tool] = {}
    for n, entry in enumerate(given):
        tool = _read_tool(entry, f"/tools/{n}")
        if tool.name in found:
            fact = f"there are two tools of the name {tool.name!r}"
            raise TagError(f"/tools/{n}", fact, "give each name once")
        found[tool.name] = tool
    return list(found.values())


def _read_tool(given: Any, pointer: str) -> Tool:
    if isinstance(given, Mapping) and given.get("type", "function") == "function":
        function = given.get("function", given)
        place = f"{pointer}/function" if "function" in given else pointer
        if isinstance(function, Mapping):
            schema = _read_parameters(function, given, place)
            return Tool(_read_name(function, place), schema, f"{place}/parameters")
    raise TagError(pointer, "it is no function", "give an object with type and function")


def _read_name(function: Mapping[str, Any], pointer: str) -> str:
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        remedy = "give 1 to 256 characters without blanks, quotes and brackets"
        raise TagError(f"{pointer}/name", "it is missing, or no name of a tool", remedy)
    return name


def _read_parameters(function: Mapping[str, Any], given: Mapping[str, Any], pointer: str) -> Any:
    """Return the schema of the arguments, which are an object in any case."""
    schema = function.get("parameters")
    strict = function.get("strict", given.get("strict"))
    if schema is None or schema is True or strict is False:
        return ANY_OBJECT
    if not isinstance(schema, Mapping):
        place = f"{pointer}/parameters"
        raise TagError(place, "it is no JSON Schema of an object", "give an object")
    return schema if "type" in schema else {"type": "object", **schema}


def read_choice(given: Any, tools: list[Tool]) -> tuple[str, list[Tool]]:
    """Return the form of the choice, and the tools that are left.

    Raises:
        TagError: it is no choice, or no tool is left where one is required.
    """
    name = given
    if isinstance(given, Mapping):
        inner = given.get("function", given)
        name = inner.get("name") if isinstance(inner, Mapping) else None
        chosen = [tool for tool in tools if tool.name == name]
        if not chosen:
            raise TagError("/choice", f"there is no tool {name!r}", "name one of the tools")
        return "named", chosen
    if given not in ("auto", "none", "required"):
        remedy = "use auto, required, none or the name of a tool in an object"
        raise TagError("/choice", f"{given!r} is no choice", remedy)
    if given == "required" and not tools:
        raise TagError("/choice", "a call is required, and there is no tool", "give a tool")
    return str(given), [] if given == "none" else tools


def describe_tools(
    tools: Any,
    *,
    family: str,
    choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    reasoning: bool = False,
    as_json: bool = True,
) -> dict[str, Any]:
    """Return the structural tag of some tools; see :meth:`maskc.kit.kit.Kit.tools`.

    Args:
        tools: definitions.
        family: of models.
        choice: of a tool.
        parallel: whether there may be more than one call.
        reasoning: whether the model thinks first.
        as_json: see :meth:`maskc.tags.families.Family.describe`.

    Raises:
        TagError: a tool, the choice or the family is none.
    """
    form, chosen = read_choice(choice, read_tools(tools))
    return load_family(family).describe(
        chosen, form, parallel=parallel, reasoning=reasoning, as_json=as_json
    )


class _Writer(pickle.Pickler):
    """Writes plain JSON, and refuses all else; nothing that it writes is ever read."""

    def reducer_override(self, value: object) -> NoReturn:
        raise pickle.PicklingError(f"{type(value).__name__} is no JSON")


def name_of(asked: Any) -> bytes | None:
    """Return bytes that are the same only for the same request, ``None`` if it is no plain JSON."""
    written = io.BytesIO()
    writer = _Writer(written, 4)
    # Without references, so equal values have equal bytes; marshal takes half as long again.
    writer.fast = True
    try:
        writer.dump(asked)
    except (ValueError, RecursionError, pickle.PicklingError):
        return None
    return written.getvalue()
