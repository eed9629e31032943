"""The scenarios that every engine is asked, and what is wrong with an answer.

``WAYS`` and ``NAMES`` are the texts of grammars. A ``Scenario`` is a chat with tools: the fields of
a request in OpenAI's interface, and what may come back: which tools, how many calls, arguments
valid by ``jsonschema`` where the engine holds them to their schema. An engine's own parser reads
the calls; a text that was cut at ``max_tokens`` is not judged here. ``GOOD`` are honest requests
with constraints of their own, each with its judge.

Example: with ``parallel_tool_calls`` false a second call is wrong, whatever it says.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema

NAMES = ("json", "python", "sql")
# Names of artifacts that are not served, with HTTP's status: a damaged file is the server's fault.
BAD_NAMES = {"missing": 400, "../json": 400, "broken": 500, "other": 500}
WAYS: dict[str, dict[str, Any]] = {"greedy": {"temperature": 0.0}, "sampling": {"temperature": 1.0}}

Schema = dict[str, Any]


def _object(required: str, **properties: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


_RANGE = {"type": "integer", "minimum": 1, "maximum": 9}
_AT = _object("x y", x={"type": "number"}, y={"$ref": "#/$defs/side"})
SCHEMAS: dict[str, Schema] = {
    "get_weather": _object(
        "city units", city={"type": "string"}, days=_RANGE, units={"enum": ["metric", "imperial"]}
    ),
    "set_light": _object(
        "on",
        on={"type": "boolean"},
        rooms={"type": "array", "items": {"enum": ["hall", "bath"]}, "maxItems": 2},
    ),
    "note": _object("at level", at=_AT, level={"type": "integer", "minimum": 0, "maximum": 3})
    | {"$defs": {"side": {"enum": ["left", "right"]}}},
}
_OBJECT = {"type": "object"}
# Arguments of any names.
FREE_SCHEMAS: dict[str, Schema] = {
    "run": _OBJECT,
    "store": _object("key", key={"type": "string"})
    | {"additionalProperties": {"type": ["object", "integer"]}},
    "put": {
        "type": "object",
        "properties": {"items": {"type": "array", "items": _OBJECT}},
        "required": ["items"],
    },
}
ANSWER = _object("answer", answer={"enum": ["yes", "no"]})
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": ANSWER}}


class Verdict(enum.Enum):
    """What an answer is.

    ``UNREAD``: the engine's parser finds no call in what the engine's constraint asks for;
    ``LOOSE``: the engine's constraint lets more through than the request does.
    """

    GOOD, WRONG, UNREAD, LOOSE = "good", "wrong", "unread", "loose"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A chat with tools.

    Attributes:
        name: what is asked for.
        choice: the ``tool_choice``.
        strict: of every tool; ``None``: it is left out.
        parallel: whether more than one call may come.
        response_format: of the text that is no call.
        schemas: of the tools, by their names.
    """

    name: str
    choice: Any
    strict: bool | None = True
    parallel: bool = True
    response_format: Schema | None = None
    schemas: Mapping[str, Schema] = field(default_factory=lambda: SCHEMAS)

    def body(self) -> dict[str, Any]:
        """Return the fields of the request."""
        strict = {} if self.strict is None else {"strict": self.strict}
        tools = [
            {"type": "function", "function": {"name": name, "parameters": schema, **strict}}
            for name, schema in self.schemas.items()
        ]
        found: dict[str, Any] = {"tools": tools, "tool_choice": self.choice}
        if not self.parallel:
            found["parallel_tool_calls"] = False
        if self.response_format:
            found["response_format"] = self.response_format
        return found

    def judge(
        self, calls: Iterable[tuple[str, str]], content: str | None, *, strict: bool
    ) -> tuple[Verdict, str]:
        """Return what an answer that ended is, and why.

        Args:
            calls: names and arguments, as the engine's parser has read them.
            content: the text beside them.
            strict: whether the engine holds the arguments to their schemas in this request.
        """
        found = list(calls)
        if not found and self.choice != "auto":
            return Verdict.UNREAD, f"there is no call in {content!r}"
        if not found and self.response_format and not _is_valid(content, ANSWER):
            return Verdict.WRONG, f"{content!r} is not as the response_format says"
        for name, arguments in found:
            if name not in self.schemas:
                return Verdict.WRONG, f"{name!r} is called"
            if not _is_valid(arguments, self.schemas[name] if strict else {}):
                return Verdict.WRONG, f"{name}: {arguments} is not valid"
        if isinstance(self.choice, dict):
            others = {name for name, _ in found} - {self.choice["function"]["name"]}
            if others:
                return Verdict.LOOSE, f"{others.pop()} is called"
        if not self.parallel and len(found) > 1:
            return Verdict.LOOSE, f"there are {len(found)} calls"
        return Verdict.GOOD, ""


def _is_valid(text: str | None, schema: Schema) -> bool:
    try:
        return jsonschema.Draft202012Validator(schema).is_valid(json.loads(text or ""))
    except ValueError:
        return False


def _named(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


SCENARIOS = (
    Scenario("auto", "auto"),
    Scenario("auto, one call", "auto", parallel=False),
    Scenario("auto or an object", "auto", response_format=FORMAT),
    Scenario("required", "required"),
    Scenario("required, one call", "required", parallel=False),
    Scenario("required, not strict", "required", strict=False),
    Scenario("named", _named("note")),
)
FREE_SCENARIOS = (
    Scenario("auto", "auto", schemas=FREE_SCHEMAS),
    Scenario("required", "required", schemas=FREE_SCHEMAS),
    Scenario("required, one call", "required", parallel=False, schemas=FREE_SCHEMAS),
    Scenario("required, not strict", "required", strict=False),
    Scenario("named", _named("run"), schemas=FREE_SCHEMAS),
)

_SMALL = _object("on", name={"enum": ["a", "b"]}, on={"type": "boolean"})
_CONTENT = {"type": "regex", "pattern": "-?[0-9]{1,3}"}
_TAG = {"type": "tag", "begin": "<n>", "content": _CONTENT, "end": "</n>"}


def _is_small(text: str) -> bool:
    return _is_valid(text, _SMALL)


Good = tuple[dict[str, Any], Callable[[str], object]]
GOOD: tuple[Good, ...] = (
    ({"structured_outputs": {"json": _SMALL}}, _is_small),
    ({"structured_outputs": {"regex": "[ab]{3}-[0-9]"}}, re.compile("[ab]{3}-[0-9]").fullmatch),
    ({"structured_outputs": {"choice": ["left", "right"]}}, {"left", "right"}.__contains__),
    ({"structured_outputs": {"grammar": 'root ::= "x" root | "y"'}}, re.compile("x*y").fullmatch),
    ({"structured_outputs": {"grammar": 'start: "x" start | "y"'}}, re.compile("x*y").fullmatch),
    (
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "s", "schema": _SMALL},
            }
        },
        _is_small,
    ),
    (
        {
            "structured_outputs": {
                "structural_tag": json.dumps({"type": "structural_tag", "format": _TAG})
            }
        },
        re.compile("<n>-?[0-9]+</n>").fullmatch,
    ),
)
