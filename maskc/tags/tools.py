"""Definitions of tools and the choice among them, read and checked.

They are written as OpenAI's chat completions or responses write them, as MCP does
(``inputSchema``, or what a server answers to ``tools/list``), as Anthropic does (``input_schema``)
or as Gemini does. A field that none of them has is refused: a misspelt ``parameters`` would allow
any object.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Container, Mapping
from typing import Any, NoReturn

from maskc.arguments import as_flag, as_text
from maskc.errors import SchemaError, TagError
from maskc.tags.families import Tool, load_family
from maskc.tags.fields import parse_json
from maskc.tags.objects import escape

_MAX_DEPTH = 100
_REFUSED = (
    *("allOf", "not", "if", "then", "else", "patternProperties", "dependencies"),
    *("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
)
_OF_NAMES = ("properties", "$defs", "definitions")
_OF_SCHEMAS = ("items", "prefixItems", "anyOf", "oneOf")


def close(schema: Any, pointer: str, depth: int = 0) -> Any:
    """Return a schema as OpenAI's strict mode reads it: closed objects, all properties required.

    The mode has no keyword that asks something of one object in several subschemas (``allOf``,
    ``if``, …), since each of them would close it against the others; they are refused.

    Raises:
        SchemaError: it has a keyword that the strict mode has not, or opens an object.
    """
    if not isinstance(schema, Mapping):
        return schema
    if depth > _MAX_DEPTH:
        raise SchemaError(pointer, "", "is nested too deep", "write it with fewer levels")
    for keyword in _REFUSED:
        if keyword in schema:
            raise _refuse(pointer, keyword, "cannot be combined with strict: true")
    found = dict(schema)
    for keyword in _OF_NAMES:
        if isinstance(schema.get(keyword), Mapping):
            found[keyword] = {
                name: close(inner, f"{pointer}/{keyword}/{escape(str(name))}", depth + 1)
                for name, inner in schema[keyword].items()
            }
    for keyword in _OF_SCHEMAS:
        inner, inside = schema.get(keyword), f"{pointer}/{keyword}"
        if isinstance(inner, list | tuple):
            found[keyword] = [close(s, f"{inside}/{n}", depth + 1) for n, s in enumerate(inner)]
        elif inner is not None:
            found[keyword] = close(inner, inside, depth + 1)
    kind = schema.get("type")
    if "properties" in schema or kind == "object" or (isinstance(kind, list) and "object" in kind):
        if schema.get("additionalProperties", False) is not False:
            raise _refuse(pointer, "additionalProperties", "opens what strict: true closes")
        required = schema.get("required", [])
        names = found.get("properties", {})
        if isinstance(required, list) and isinstance(names, Mapping):
            found["required"] = list(dict.fromkeys((*names, *required)))
        found["additionalProperties"] = False
    return found


def _refuse(pointer: str, keyword: str, reason: str) -> SchemaError:
    return SchemaError(pointer, keyword, reason, "remove it, or remove strict from the tool")


# Gemini's ``functionDeclarations`` hold several functions, whose schemas are of OpenAPI 3.0: types
# in capital letters, ``nullable``, and counts that may be texts, as 64-bit integers are in JSON.
_LISTS = frozenset({"functionDeclarations", "function_declarations"})
_DECLARATIONS = {
    *("name", "description", "behavior", "response", "responseJsonSchema", "response_json_schema"),
    *("parameters", "parametersJsonSchema", "parameters_json_schema"),
}
_GEMINI_TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_RENAMED = {
    "any_of": "anyOf",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
}
_GEMINI_COUNTS = {*_RENAMED.values()} - {"anyOf"}
# What says nothing about which values are valid. `format` of a string is `enum` or `date-time`.
_GEMINI_NOTES = {
    "propertyOrdering",
    "property_ordering",
    "example",
    "title",
    "description",
    "default",
}


def _read_declarations(entry: Mapping[str, Any], pointer: str) -> list[tuple[dict[str, Any], str]]:
    """Return the definitions of an entry as MCP has them, each with its pointer.

    Raises:
        TagError: the entry, or a declaration, has a field that is not read.
    """
    (name, *more) = entry
    declared = entry[name]
    if more:
        raise TagError(f"{pointer}/{more[0]}", "is not a function", "remove it")
    if not isinstance(declared, list | tuple):
        raise TagError(f"{pointer}/{name}", "it is not a list", "give a list of functions")
    return [
        (_read_declaration(one, f"{pointer}/{name}/{n}"), f"{pointer}/{name}/{n}")
        for n, one in enumerate(declared)
    ]


def _read_declaration(declaration: Any, pointer: str) -> dict[str, Any]:
    if not isinstance(declaration, Mapping):
        raise TagError(pointer, "it is not a function", "give an object with name and parameters")
    for field, value in declaration.items():
        if field not in _DECLARATIONS and value is not None:
            raise TagError(f"{pointer}/{field}", "a function has no such field", "remove it")
    found = {"name": declaration.get("name")}
    for key in ("parametersJsonSchema", "parameters_json_schema"):
        if declaration.get(key) is not None:
            found["parameters"] = declaration[key]
    if declaration.get("parameters") is not None:
        if "parameters" in found:
            fact = "the schema of the arguments is given twice"
            raise TagError(pointer, fact, "give parameters or parametersJsonSchema")
        found["parameters"] = read_gemini(declaration["parameters"])
    return found


def read_gemini(given: Any, depth: int = 0) -> Any:
    """Return a schema of Gemini's as a JSON Schema; what is none stays as it is.

    >>> read_gemini({"type": "STRING", "nullable": True})
    {'anyOf': [{'type': 'string'}, {'type': 'null'}]}
    """
    if not isinstance(given, Mapping) or depth > _MAX_DEPTH:
        return given
    found: dict[str, Any] = {}
    for given_name, value in given.items():
        name = _RENAMED.get(given_name) or str(given_name)
        if value is None or name in _GEMINI_NOTES or name == "nullable":
            continue
        if name == "type":
            found[name] = value.lower() if value in _GEMINI_TYPES else value
        elif name in _GEMINI_COUNTS and isinstance(value, str) and value.isdecimal():
            found[name] = int(value)
        elif name == "format" and value == "enum":
            continue
        elif name == "properties" and isinstance(value, Mapping):
            found[name] = {key: read_gemini(inner, depth + 1) for key, inner in value.items()}
        elif name == "anyOf" and isinstance(value, list | tuple):
            found[name] = [read_gemini(inner, depth + 1) for inner in value]
        else:
            found[name] = read_gemini(value, depth + 1) if name == "items" else value
    if given.get("nullable") is True:
        return {"anyOf": [found, {"type": "null"}]}
    return found


MAX_TOOLS = 10_000
# What the wrappers of all families leave as it is.
_NAME = re.compile(r"[^\x00-\x20\x7f\"'\\<>{}|&=\ud800-\udfff]{1,256}")
ANY_OBJECT = {"type": "object"}
# Choices without a name, in an object: OpenAI's and Anthropic's.
_KINDS = {"auto": "auto", "none": "none", "required": "required", "any": "required"}
# The schema of the arguments, as each protocol names it.
_SCHEMAS = ("parameters", "inputSchema", "input_schema")
# Fields of definitions that do not change which arguments are legal.
_NOTES = {
    "_meta",
    "allowed_callers",
    "annotations",
    "cache_control",
    "defer_loading",
    "description",
}
_NOTES |= {"eager_input_streaming", "execution", "icons", "input_examples", "outputSchema", "title"}
_FIELDS = _NOTES | {"name", "strict", "type", *_SCHEMAS}
_OUTER_FIELDS = _NOTES | {"function", "strict", "type"}


def read_tools(given: Any, *, strict: bool = False) -> list[Tool]:
    """Return the tools of a request; TagError if they are none.

    If it is ``strict``, ``"strict": true`` of a tool closes its objects (:mod:`.strict`).
    """
    given, location = _find_list(parse_json(given, "/tools"))
    if not isinstance(given, list | tuple):
        raise TagError(location, "it is not a list", "give a list of tool definitions")
    found: dict[str, Tool] = {}
    for n, entry in enumerate(given):
        is_geminis = isinstance(entry, Mapping) and not _LISTS.isdisjoint(entry)
        defined = [(entry, f"{location}/{n}")]
        if is_geminis:
            defined = _read_declarations(entry, f"{location}/{n}")
        if len(found) + len(defined) > MAX_TOOLS:
            raise TagError(location, f"there are more than {MAX_TOOLS:,}", "give fewer")
        for one, pointer in defined:
            tool = _read_tool(one, pointer, closes=strict)
            if tool.name in found:
                fact = f"there are two tools of the name {tool.name!r}"
                raise TagError(pointer, fact, "give each name once")
            found[tool.name] = tool
    return list(found.values())


def is_tools(given: Any) -> bool:
    """Return whether parsed JSON is a list of tools, or what holds one."""
    holders = {"tools", "result", *_LISTS}
    return isinstance(given, list) or (isinstance(given, dict) and not holders.isdisjoint(given))


def _find_list(given: Any) -> tuple[Any, str]:
    """Return a list of definitions and its pointer; MCP's answers and Gemini's entries hold one."""
    location = "/tools"
    if not isinstance(given, Mapping):
        return given, location
    if not _LISTS.isdisjoint(given):
        return [given], location
    if "result" in given:
        _check_fields(given, {"jsonrpc", "id", "result"}, "")
        given, location = given["result"], "/result/tools"
    if not isinstance(given, Mapping) or "tools" not in given:
        return given, location
    _check_fields(given, {"tools", "_meta", "nextCursor"}, location.removesuffix("/tools"))
    if given.get("nextCursor") is not None:
        fact = "the list goes on after nextCursor"
        raise TagError(location, fact, "ask for the rest, and give all tools in one list")
    return given["tools"], location


def _read_tool(given: Any, pointer: str, *, closes: bool) -> Tool:
    if isinstance(given, Mapping) and given.get("type") in (None, "function", "custom"):
        function, location = given, pointer
        if "function" in given:
            _check_fields(given, _OUTER_FIELDS, pointer)
            function, location = given["function"], f"{pointer}/function"
        if isinstance(function, Mapping):
            _check_fields(function, _FIELDS, location)
            key = _name_schema(function, location)
            strict = function.get("strict", given.get("strict"))
            if strict not in (None, False, True):
                raise TagError(f"{location}/strict", "it is neither true nor false", "give one")
            schema = ANY_OBJECT if strict is False else _read_schema(function, key, location)
            if strict and closes:
                schema = close(schema, f"{location}/{key}")
            return Tool(_read_name(function, location), schema, f"{location}/{key}")
    raise TagError(pointer, "it is not a function", "give an object with type and function")


def _check_fields(given: Mapping[str, Any], known: set[str], pointer: str) -> None:
    """Raise a TagError for a field that no protocol has; one that is null says nothing."""
    for field, value in given.items():
        if field not in known and value is not None:
            fact, remedy = (
                "a tool has no such field",
                "the schema of the arguments is named parameters",
            )
            if pointer.startswith("/choice"):
                fact, remedy = "a choice has no such field", "parallel=False allows one call alone"
            raise TagError(f"{pointer}/{field}", fact, f"remove it; {remedy}")


def _name_schema(function: Mapping[str, Any], pointer: str) -> str:
    given = [key for key in _SCHEMAS if function.get(key) is not None]
    if len(given) > 1:
        fact = f"the schema of the arguments is given twice, as {given[0]} and {given[1]}"
        raise TagError(pointer, fact, "give one of them")
    return given[0] if given else "parameters"


def _read_name(function: Mapping[str, Any], pointer: str) -> str:
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        remedy = "give 1 to 256 characters without blanks, quotes and brackets"
        raise TagError(f"{pointer}/name", "it is missing, or not a tool's name", remedy)
    return name


def _read_schema(function: Mapping[str, Any], key: str, pointer: str) -> Any:
    schema = function.get(key)
    if schema is None or schema is True:
        return ANY_OBJECT
    if not isinstance(schema, Mapping):
        raise TagError(f"{pointer}/{key}", "it is not a JSON Schema of an object", "give an object")
    return schema if "type" in schema else {"type": "object", **schema}


def read_choice(given: Any, tools: list[Tool]) -> tuple[str, list[Tool]]:
    """Return the form of the choice, and the tools that are left; TagError if it is none.

    A choice is one of OpenAI's, or of Anthropic's without ``disable_parallel_tool_use``.
    """
    if isinstance(given, Mapping):
        kind = given.get("type")
        if kind == "allowed_tools":
            return _read_allowed(given, tools)
        if kind in _KINDS:
            _check_fields(given, {"type"}, "/choice")
            given = _KINDS[kind]
        else:
            name = _read_chosen(given, {tool.name for tool in tools}, "/choice")
            return "named", [tool for tool in tools if tool.name == name]
    if not isinstance(given, str) or given not in ("auto", "none", "required"):
        remedy = "use auto, required, none or the name of a tool in an object"
        raise TagError("/choice", f"{given!r} is not a choice", remedy)
    if given == "required" and not tools:
        raise TagError("/choice", "a call is required, but there is no tool", "give a tool")
    return str(given), [] if given == "none" else tools


def _read_allowed(given: Mapping[str, Any], tools: list[Tool]) -> tuple[str, list[Tool]]:
    """Return the form and the tools of OpenAI's ``allowed_tools``, of either of its interfaces."""
    inner = given.get("allowed_tools", given)
    location = "/choice/allowed_tools" if "allowed_tools" in given else "/choice"
    if not isinstance(inner, Mapping) or not isinstance(inner.get("tools"), list | tuple):
        raise TagError(f"{location}/tools", "it is not a list", "give a list of names")
    _check_fields(
        given, {"type", "mode", "tools"} if inner is given else {"type", "allowed_tools"}, "/choice"
    )
    _check_fields(inner, {"type", "mode", "tools"}, location)
    mode = inner.get("mode")
    if mode not in ("auto", "required"):
        raise TagError(f"{location}/mode", f"{mode!r} is not a mode", "use auto or required")
    known = {tool.name for tool in tools}
    listed = {
        _read_chosen(one, known, f"{location}/tools/{n}") for n, one in enumerate(inner["tools"])
    }
    return read_choice(mode, [tool for tool in tools if tool.name in listed])


def _read_chosen(given: Any, known: Container[str], location: str) -> str:
    inner = given.get("function", given) if isinstance(given, Mapping) else None
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if isinstance(name, str) and name in known:
        _check_fields(given, {"type", "function" if "function" in given else "name"}, location)
        if "function" in given:
            _check_fields(given["function"], {"name"}, f"{location}/function")
        return name
    raise TagError(location, f"there is no tool {name!r:.80}", "name one of the tools")


def describe_tools(
    tools: Any,
    *,
    family: str,
    choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    reasoning: bool = False,
    strict: bool = False,
    as_json: bool = True,
) -> dict[str, Any]:
    """Return the structural tag of some tools; see :meth:`maskc.kit.kit.Kit.tools`.

    With ``as_json`` it is all JSON, see :meth:`maskc.tags.families.Family.describe`. A TagError
    says that a tool, the choice or the family is none.
    """
    form, chosen = read_choice(choice, read_tools(tools, strict=as_flag("strict", strict)))
    return load_family(as_text("family", family)).describe(
        chosen,
        form,
        parallel=as_flag("parallel", parallel),
        reasoning=as_flag("reasoning", reasoning),
        as_json=as_json,
    )


class _Writer(pickle.Pickler):
    """Writes plain JSON, and refuses all else; nothing that it writes is ever read."""

    def reducer_override(self, value: object) -> NoReturn:
        raise pickle.PicklingError(f"{type(value).__name__} is not JSON")


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
