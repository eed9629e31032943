r"""How does a family of models write calls of tools? A wrapper with places for names and arguments.

Each family is a file of data in ``wrappers/``. Its forms are those of structural tags, with places:

- ``{name}`` in a text is the name of a tool;
- ``{"$arguments": style}`` is its arguments in that style;
- ``"$calls"`` in a list is the calls of all tools, ``"$call"`` the call of the one that is named;
- ``"$single"`` is whether one call is the most there may be;
- ``"$part"`` for any other name is a part that differs with reasoning and without; nothing stands
  in its place where the file has none.

Example: of ``exaone`` the call is ``<tool_call>{"name": "{name}", "arguments": …}</tool_call>``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from maskc.errors import TagError

_FOLDER = "wrappers"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that may be called.

    Attributes:
        name: of the tool.
        schema: of its arguments.
        pointer: where the schema stands.
    """

    name: str
    schema: Any
    pointer: str


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A family of models.

    Attributes:
        name: of the family.
        models: that write calls so.
        forms: its file.
    """

    name: str
    models: tuple[str, ...]
    forms: dict[str, Any]

    def describe(
        self, tools: list[Tool], choice: str, *, parallel: bool, reasoning: bool
    ) -> dict[str, Any]:
        """Return the structural tag of some tools.

        Args:
            tools: that may be called; one if the choice is ``named``.
            choice: ``auto``, ``required``, ``named`` or ``none``.
            parallel: whether there may be more than one call.
            reasoning: whether the model thinks first.
        """
        calls = self.forms["call"]
        listed = calls if isinstance(calls, list) else [calls]
        places: dict[str, Any] = {
            "calls": [_fill_name(call, tool) for tool in tools for call in listed],
            "single": not parallel,
        }
        places["call"] = places["calls"][0] if len(places["calls"]) == 1 else None
        key = "reasoning" if reasoning else "no_reasoning"
        for name, ways in self.forms.get("parts", {}).items():
            places[name] = ways.get(key, _NOTHING)
        form = "text" if choice == "none" or not tools else choice
        if not parallel and f"{form}_single" in self.forms:
            form = f"{form}_single"
        before = self.forms.get(key, [])
        elements = [*_fill(before, places), _fill(self.forms[form], places)]
        whole = {"type": "sequence", "elements": elements} if before else elements[0]
        return {"type": "structural_tag", "format": whole}


class Arguments(dict[str, Any]):
    """The format of a tool's arguments, in any order.

    Attributes:
        pointer: where the schema stands in the request.
    """

    def __init__(self, tool: Tool, form: dict[str, Any]) -> None:
        style, excludes = form["$arguments"], form.get("excludes", [])
        fields = {"style": style, "any_order": True, "excludes": excludes}
        super().__init__(type="json_schema", json_schema=tool.schema, **fields)
        self.pointer = tool.pointer


class _Nothing:
    """What stands in the place of a part that there is not."""


_NOTHING = _Nothing()


def list_families() -> tuple[str, ...]:
    """Return the names of the families, in alphabetical order."""
    folder = files("maskc.tags") / _FOLDER
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


@cache
def load_family(name: str) -> Family:
    """Return a family.

    Raises:
        TagError: there is none of that name.
    """
    known = list_families()
    if name not in known:
        raise TagError("/family", f"{name!r} is no family", f"use one of {', '.join(known)}")
    data = (files("maskc.tags") / _FOLDER / f"{name}.json").read_bytes()
    forms = json.loads(data)
    return Family(name, tuple(forms["models"]), forms)


def _fill_name(form: Any, tool: Tool) -> Any:
    """Return a call with the tool's name and arguments in their places."""
    if isinstance(form, str):
        return form.replace("{name}", tool.name)
    if isinstance(form, list):
        return [_fill_name(inner, tool) for inner in form]
    if isinstance(form, dict):
        if "$arguments" in form:
            return Arguments(tool, form)
        return {key: _fill_name(inner, tool) for key, inner in form.items()}
    return form


def _fill(form: Any, places: dict[str, Any]) -> Any:
    """Return a form with what stands in its places; calls are filled already."""
    if isinstance(form, str):
        return _fill(places[form[1:]], places) if _is_part(form, places) else form
    if isinstance(form, list):
        found: list[Any] = []
        for inner in form:
            if inner == "$calls":
                found += places["calls"]
            elif not (isinstance(inner, str) and places.get(inner[1:]) is _NOTHING):
                found.append(_fill(inner, places))
        return found
    if isinstance(form, dict) and not isinstance(form, Arguments):
        return {
            key: places[inner[1:]] if inner in ("$single", "$call") else _fill(inner, places)
            for key, inner in form.items()
        }
    return form


def _is_part(text: str, places: dict[str, Any]) -> bool:
    return text.startswith("$") and text[1:] in places
