"""Renders the text of a tag with one call, for people to look at.

Where a tag leaves a choice, the first way is taken; free text is left out, and a number is 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from maskc.tags.styles import STYLES


def render(form: Any, arguments: Mapping[str, Any]) -> str:
    """Return the text of a format; the arguments stand where a JSON Schema does."""
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
    between = string if isinstance(value, str) else style.between(_kind_of(value), other)
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


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list) else "object"
