"""The notations in which families of models write calls of tools, as templates.

Each family is a file of data in ``wrappers/``, with the forms of structural tags and placeholders:

- ``{name}`` in a text is the name of a tool; ``{"$arguments": style}`` its arguments in that style;
- ``"$calls"`` in a list is the calls of all tools, ``"$call"`` the call of the one that is named;
- ``"names"`` is a pattern that names must match; ``"$single"``: one call is the most there may be;
- ``"$part"`` for any other name is a part that differs with reasoning and without, or nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from keyword import iskeyword
from typing import Any

from maskc.errors import TagError
from maskc.runtime.link.text.without_words import may_be_forbidden
from maskc.tags import formats as f
from maskc.tags.reading import TagReader
from maskc.tags.styles import STYLES

_ANY_ARGUMENTS = {"type": "object"}  # where arguments stand in a template
_FOLDER = "wrappers"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that may be called: the schema of its arguments, and where the schema stands."""

    name: str
    schema: Any
    pointer: str


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A family of models, and the forms of its file."""

    name: str
    models: tuple[str, ...]
    forms: dict[str, Any]

    def describe(
        self,
        tools: list[Tool],
        choice: str,
        *,
        parallel: bool,
        reasoning: bool,
        as_json: bool = True,
    ) -> dict[str, Any]:
        """Return the structural tag of some tools; of one if the choice is ``named``.

        The choice may also be ``auto``, ``required`` or ``none``. With ``as_json`` it is all JSON;
        else the calls are formats that were read already, which is much faster.
        """
        for tool in tools if "names" in self.forms else ():
            parts = tool.name.split(".")
            if not re.fullmatch(self.forms["names"], tool.name) or any(map(iskeyword, parts)):
                pointer = f"{tool.pointer.rpartition('/')[0]}/name"
                fact = f"{tool.name!r} is no name of a function in Python"
                raise TagError(pointer, fact, "use letters, digits and underscores, a letter first")
        call = self.forms["call"]
        listed = call if isinstance(call, list) else [call]
        if as_json:
            calls = [_fill_call(c, tool.name, tool.schema) for tool in tools for c in listed]
        else:
            calls = [_make_call(c, tool) for tool in tools for c in _read_calls(self.name)]
        values: dict[str, Any] = {"calls": calls, "single": not parallel}
        values["call"] = values["calls"][0] if len(values["calls"]) == 1 else None
        key = "reasoning" if reasoning else "no_reasoning"
        for name, variants in self.forms.get("parts", {}).items():
            values[name] = variants.get(key, _NOTHING)
        form = "text" if choice == "none" or not tools else choice
        if not parallel and f"{form}_single" in self.forms:
            form = f"{form}_single"
        before = self.forms.get(key, [])
        elements = [*_fill(before, values), _fill(self.forms[form], values)]
        whole = {"type": "sequence", "elements": elements} if before else elements[0]
        return {"type": "structural_tag", "format": whole}

    def list_forbidden(self) -> tuple[str, ...]:
        """Return what arguments do not have in them, since parsers take it for their end.

        What JSON cannot be written without is left out.
        """
        found: dict[str, None] = {}
        open_: list[Any] = [self.forms["call"]]
        while open_:
            form = open_.pop()
            if isinstance(form, dict) and "$arguments" in form:
                style = STYLES.get(form["$arguments"])
                own = (style.forbidden or style.close,) if style else ()
                found |= dict.fromkeys((*own, *form.get("excludes", ())))
            elif isinstance(form, dict | list):
                open_ += form.values() if isinstance(form, dict) else form
        return tuple(word for word in found if may_be_forbidden(word.encode()))


_NOTHING = object()  # stands for a part that there is not


def list_families() -> tuple[str, ...]:
    folder = files("maskc.tags") / _FOLDER
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


@cache
def _read_parsers() -> dict[str, Any]:
    return dict(json.loads((files("maskc.tags") / "parsers.json").read_bytes()))


def list_parsers() -> dict[str, str]:
    """Return the names that vLLM and SGLang give to parsers of calls, each with its family."""
    grouped = _read_parsers()["families"]
    return {parser: family for family, parsers in grouped.items() for parser in parsers}


def list_refused() -> dict[str, str]:
    """Return the names of parsers without a family, each with what the parser does."""
    return dict(_read_parsers()["refused"])


def load_family(name: str) -> Family:
    """Return a family by its name, or by that of an engine's parser of its calls."""
    known, found = list_families(), list_parsers().get(name, name)
    refused = list_refused().get(found)
    if refused is not None:
        fact = f"{name!r} is no family: its parser {refused}"
        raise TagError("/family", fact, "describe the calls by a structural tag")
    if found not in known:
        remedy = f"use one of {', '.join(known)}, or a parser's name of vLLM or SGLang"
        raise TagError("/family", f"{name!r} is not a family", remedy)
    return _load(found)


@cache
def _load(name: str) -> Family:
    data = (files("maskc.tags") / _FOLDER / f"{name}.json").read_bytes()
    forms = json.loads(data)
    return Family(name, tuple(forms["models"]), forms)


@cache
def _read_calls(family: str) -> tuple[f.Tag, ...]:
    call = load_family(family).forms["call"]
    reader, found = TagReader(0, lambda _: None), []
    for form in call if isinstance(call, list) else [call]:
        tag = reader.read({"format": _fill_call(form, "{name}", _ANY_ARGUMENTS)})
        assert isinstance(tag, f.Tag)  # noqa: S101  # each call of a family is one
        found.append(tag)
    return tuple(found)


def _fill_call(form: Any, name: str, schema: Any) -> Any:
    """Return a call with a tool's name and arguments filled in."""
    if isinstance(form, str):
        return form.replace("{name}", name)
    if isinstance(form, list):
        return [_fill_call(inner, name, schema) for inner in form]
    if isinstance(form, dict) and "$arguments" in form:
        excludes = {"excludes": form["excludes"]} if "excludes" in form else {}
        style = form["$arguments"]
        fields = {"json_schema": schema, "style": style, "any_order": True, **excludes}
        return {"type": "json_schema", **fields}
    if isinstance(form, dict):
        return {key: _fill_call(inner, name, schema) for key, inner in form.items()}
    return form


def _make_call(form: f.Tag, tool: Tool) -> f.Tag:
    begin = _fill_call(form.begin, tool.name, None)
    return f.Tag(form.pointer, begin, _make_content(form.content, tool), form.ends)


def _make_content(form: f.Format, tool: Tool) -> f.Format:
    match form:
        case f.JsonSchema():
            fields = (tool.pointer, tool.schema, form.style, True, None, form.excludes)
            return f.JsonSchema(*fields, tool=tool.name)
        case f.ConstString():
            return f.ConstString(form.pointer, form.value.replace("{name}", tool.name))
        case f.SequenceFormat():
            elements = tuple([_make_content(element, tool) for element in form.elements])
            return f.SequenceFormat(form.pointer, elements)
    return form


def _fill(form: Any, values: dict[str, Any]) -> Any:
    """Return a form with its placeholders filled in; calls are filled already."""
    if isinstance(form, str):
        is_part = form.startswith("$") and form[1:] in values
        return _fill(values[form[1:]], values) if is_part else form
    if isinstance(form, list):
        found: list[Any] = []
        for inner in form:
            if inner == "$calls":
                found += values["calls"]
            elif not (isinstance(inner, str) and values.get(inner[1:]) is _NOTHING):
                found.append(_fill(inner, values))
        return found
    if isinstance(form, dict):
        return {
            key: values[inner[1:]] if inner in ("$single", "$call") else _fill(inner, values)
            for key, inner in form.items()
        }
    return form


def render(form: Any, arguments: Mapping[str, Any]) -> str:
    """Return the text of a format with one call, for people to look at.

    The arguments stand where a JSON Schema does. Where a tag leaves a choice, the first way is
    taken; free text is left out, and a number is 0.
    """
    match form["type"]:
        case "structural_tag":
            return render(form["format"], arguments)
        case "const_string":
            return str(form["value"])
        case "sequence":
            return "".join(render(element, arguments) for element in form["elements"])
        case "or":
            return render(form["elements"][0], arguments)
        case "tag":
            end = form["end"]
            last = end[0] if isinstance(end, list) else end
            return f"{form['begin']}{render(form['content'], arguments)}{last}"
        case "triggered_tags" | "tags_with_separator":
            return render(form["tags"][0], arguments)
        case "optional" if form["content"]["type"] == "regex":
            return ""  # such as an identifier of the call
        case "optional":
            return render(form["content"], arguments)
        case "regex":
            return "0"
        case "json_schema":
            return write_arguments(form["style"], arguments)
    return ""


def write_arguments(style: str, arguments: Mapping[str, Any]) -> str:
    """Return arguments in a style.

    >>> write_arguments("qwen_xml", {"city": "Oslo"})
    '<parameter=city>Oslo</parameter>'
    """
    if style == "json":
        return json.dumps(arguments, ensure_ascii=False)
    if STYLES[style].identifiers:
        return ", ".join(f"{name}={_write_python(value)}" for name, value in arguments.items())
    if STYLES[style].quotes:
        return _write_python(dict(arguments))[1:-1]
    return STYLES[style].separator.join(
        f"{STYLES[style].before}{name}{_write(style, value, name)}"
        for name, value in arguments.items()
    )


def _write(style_name: str, value: Any, name: str | None) -> str:
    """Return a value of a parameter or of an item, with what stands before and after it."""
    style = STYLES[style_name]
    string, other = style.string, style.other
    if name is None and style.item is not None:
        _, string, other = style.item
    between = (
        string
        if isinstance(value, str)
        else style.between(_KINDS.get(type(value), "object"), other)
    )
    close = style.closing(between).replace("{name}", name or "item")
    if isinstance(value, str):
        return f"{string}{style.gap}{value}{close}"
    if not style.is_nested or not isinstance(value, dict | list):
        return f"{between}{style.gap}{json.dumps(value, ensure_ascii=False)}{close}"
    if isinstance(value, dict):
        return f"{between}{write_arguments(style_name, value)}{close}"
    assert style.item is not None  # noqa: S101  # the style is nested
    items = style.separator.join(
        f"{style.item[0]}{_write(style_name, item, None)}" for item in value
    )
    return f"{between}{items}{close}"


def _write_python(value: Any) -> str:
    if isinstance(value, str):
        for character, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r")):
            value = value.replace(character, escaped)
        return f"'{value}'"
    if isinstance(value, dict):
        pairs = (f"{_write_python(name)}: {_write_python(of)}" for name, of in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_write_python, value))}]"
    return repr(value) if value is None or isinstance(value, bool) else json.dumps(value)


_KINDS = {type(None): "null", bool: "boolean", int: "number", float: "number", list: "array"}
