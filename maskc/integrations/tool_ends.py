"""Texts that the arguments of a call exclude, in a tag that an engine makes of tools.

Parsers of engines find the end of a call in the text, in a string of the arguments as well, and the
tags that engines make allow it there. So the plug-ins have an engine exclude it: the words that
maskc's own family of the same models does not let arguments have, and of models that are no family
of ours the names in angle brackets around a call. JSON loses no value by that, as a character in a
string can be an escape.

What a client sends as a structural tag of its own stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.requests import read_kinds
from maskc.tags.families import list_families, list_parsers, load_family

_MARKER = re.compile(r"<[^\s<>\"'{}]+>")


def serves_tags() -> bool:
    """Return whether the operator wants structural tags served.

    A setting that is wrong serves none: the engine's start, or its check of a request, tells it.
    """
    try:
        return "structural_tag" in read_kinds()
    except MaskcError:
        return False


def bar_ends(form: Any, model: str) -> None:
    """Exclude what ends a call from all arguments in a tag, which is changed.

    Args:
        form: of calls, and of nothing else that has a JSON Schema; as JSON, or an object of the
            engine whose attributes are the fields of a format.
        model: the engine's name for how calls are written.
    """
    is_known = model in list_families() or model in list_parsers()
    words = load_family(model).list_forbidden() if is_known else _list_markers(form)
    for fields in _walk(form):
        # Of parameters that we do not know for sure, a text may need the word.
        if fields["type"] == "json_schema" and (is_known or fields.get("style", "json") == "json"):
            fields["excludes"] = list(dict.fromkeys((*(fields.get("excludes") or ()), *words)))


def find_markers(texts: Iterable[Any]) -> tuple[str, ...]:
    """Return the names in angle brackets in some texts, in order; what is not a text has none.

    >>> find_markers(['<tool_call>{"name": "f<a b>", ', "}</tool_call>"])
    ('</tool_call>', '<tool_call>')
    """
    found = set[str]()
    for text in texts:
        found.update(_MARKER.findall(text) if isinstance(text, str) else ())
    return tuple(sorted(found))


def _list_markers(form: Any) -> tuple[str, ...]:
    delimiters: list[Any] = []
    for fields in _walk(form):
        if fields["type"] == "tag":
            ends = fields["end"] if isinstance(fields["end"], list) else [fields["end"]]
            delimiters += [fields["begin"], *ends]
    return find_markers(delimiters)


def _walk(form: Any) -> Iterator[dict[str, Any]]:
    open_ = [form]
    while open_:
        here = open_.pop()
        if isinstance(here, list | tuple):
            open_ += here
            continue
        fields = here if isinstance(here, dict) else getattr(here, "__dict__", {})
        if "type" in fields:
            yield fields
            open_ += [inner for name, inner in fields.items() if name != "json_schema"]
