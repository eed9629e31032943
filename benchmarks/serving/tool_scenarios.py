"""What is asked of an engine's chat completions with tools, and what is wrong with an answer?

A scenario is the fields of a request in OpenAI's interface, and what may come back: which tools,
how many calls, arguments valid by ``jsonschema`` where the engine holds them to their schema. An
engine's own parser reads the calls; a text that was cut at ``max_tokens`` is not judged here.

Example: with ``parallel_tool_calls`` false a second call is wrong, whatever it says.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 9},
        "units": {"enum": ["metric", "imperial"]},
    },
    "required": ["city", "units"],
    "additionalProperties": False,
}
LIGHT = {
    "type": "object",
    "properties": {
        "on": {"type": "boolean"},
        "rooms": {"type": "array", "items": {"enum": ["hall", "bath"]}, "maxItems": 2},
    },
    "required": ["on"],
    "additionalProperties": False,
}
NOTE = {
    "type": "object",
    "properties": {
        "at": {
            "type": "object",
            "properties": {"x": {"type": "number"}, "y": {"$ref": "#/$defs/side"}},
            "required": ["x", "y"],
            "additionalProperties": False,
        },
        "level": {"type": "integer", "minimum": 0, "maximum": 3},
    },
    "required": ["at", "level"],
    "additionalProperties": False,
    "$defs": {"side": {"enum": ["left", "right"]}},
}
SCHEMAS: dict[str, dict[str, Any]] = {"get_weather": WEATHER, "set_light": LIGHT, "note": NOTE}
# Arguments of any names.
FREE_SCHEMAS: dict[str, dict[str, Any]] = {
    "run": {"type": "object"},
    "store": {
        "type": "object",
        "properties": {"key": {"type": "string"}},
        "required": ["key"],
        "additionalProperties": {"type": ["object", "integer"]},
    },
    "put": {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "object"}}},
        "required": ["items"],
    },
}
OBJECT = {
    "type": "object",
    "properties": {"answer": {"enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": OBJECT}}


class Verdict(enum.Enum):
    """What an answer is.

    ``UNREAD``: the engine's parser finds no call in what the engine's constraint asks for;
    ``LOOSE``: the engine's constraint lets more through than the request does.
    """

    GOOD, WRONG, UNREAD, LOOSE = "good", "wrong", "unread", "loose"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A request with tools.

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
    response_format: dict[str, Any] | None = field(default=None)
    schemas: Mapping[str, dict[str, Any]] = field(default_factory=lambda: SCHEMAS)

    def body(self) -> dict[str, Any]:
        """Return the fields of the request."""
        strict = {} if self.strict is None else {"strict": self.strict}
        tools = [
            {"type": "function", "function": {"name": name, "parameters": schema, **strict}}
            for name, schema in self.schemas.items()
        ]
        found = {"tools": tools, "tool_choice": self.choice}
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
        if not found and self.response_format and not is_answer(content):
            return Verdict.WRONG, f"{content!r} is not as the response_format says"
        for name, arguments in found:
            wrong = judge_call(self.schemas, name, arguments, strict=strict)
            if wrong is not None:
                return Verdict.WRONG, wrong
        if isinstance(self.choice, dict):
            others = {name for name, _ in found} - {self.choice["function"]["name"]}
            if others:
                return Verdict.LOOSE, f"{others.pop()} is called"
        if not self.parallel and len(found) > 1:
            return Verdict.LOOSE, f"there are {len(found)} calls"
        return Verdict.GOOD, ""


def judge_call(
    schemas: Mapping[str, dict[str, Any]], name: str, arguments: str, *, strict: bool
) -> str | None:
    """Return what is wrong with a call, ``None`` if nothing is."""
    if name not in schemas:
        return f"{name!r} is called"
    try:
        value = json.loads(arguments)
    except ValueError:
        return f"{arguments!r} is no JSON"
    if strict:
        wrong = next(jsonschema.Draft202012Validator(schemas[name]).iter_errors(value), None)
        return None if wrong is None else f"{name}: {arguments}: {wrong.message}"
    return None


def is_answer(text: str | None) -> bool:
    """Return whether a text is a value of the ``response_format``."""
    try:
        return jsonschema.Draft202012Validator(OBJECT).is_valid(json.loads(text or ""))
    except ValueError:
        return False


NAMED = {"type": "function", "function": {"name": "note"}}
SCENARIOS = (
    Scenario("auto", "auto"),
    Scenario("auto, one call", "auto", parallel=False),
    Scenario("auto or an object", "auto", response_format=FORMAT),
    Scenario("required", "required"),
    Scenario("required, one call", "required", parallel=False),
    Scenario("required, not strict", "required", strict=False),
    Scenario("named", NAMED),
)
FREE_SCENARIOS = (
    Scenario("auto", "auto", schemas=FREE_SCHEMAS),
    Scenario("required", "required", schemas=FREE_SCHEMAS),
    Scenario("required, one call", "required", parallel=False, schemas=FREE_SCHEMAS),
    Scenario("required, not strict", "required", strict=False),
    Scenario("named", {"type": "function", "function": {"name": "run"}}, schemas=FREE_SCHEMAS),
)
