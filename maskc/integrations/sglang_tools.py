"""How does SGLang's tag of some tools keep what ends a call out of the arguments?

SGLang makes the constraint of a chat's tools in one method of its tool parser, and nothing else
goes that way. The plug-in puts itself around it: where maskc serves structural tags, arguments do
not have what the parser takes for their end (:mod:`maskc.integrations.tool_ends`). In the older
form of tags, and in xgrammar before 0.2.8, there is no place for that; other backends do not look
at ours.

Example: with ``--tool-call-parser qwen25`` no argument holds ``</tool_call>``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from maskc.integrations.drift import Interface
from maskc.integrations.errors import load_engine
from maskc.integrations.tool_ends import bar_ends, find_markers, serves_tags

_MODULE = "sglang.srt.function_call.function_call_parser"
_METHOD = "get_structure_constraint"
_PATCHED = "_maskc_original"


class BarredTag:
    """A tag as SGLang takes one: it writes it as JSON, and takes words out of what it excludes.

    Args:
        given: the tag's JSON.

    Attributes:
        format: what SGLang looks for words in; ``None`` in the older form.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self._given, self.format = given, given.get("format")

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Return the JSON, as pydantic's models do."""
        return self._given


def bar_tags(interface: Interface) -> None:
    """Have SGLang's tags of tools exclude what ends a call; the second call does nothing.

    Raises:
        IntegrationError: SGLang's interface is not the one we know.
    """
    parser = getattr(load_engine(_MODULE, interface.engine), "FunctionCallParser", None)
    if parser is None:
        raise interface.drifted(f"{_MODULE} has no FunctionCallParser")
    parameters = ("self", "tool_choice", "parallel_tool_calls", "thinking_mode")
    original = getattr(parser, _METHOD, None)
    if hasattr(original, _PATCHED):
        return
    interface.check(parser, {_METHOD: parameters})
    setattr(parser, _METHOD, around_constraint(parser.get_structure_constraint))


def around_constraint(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that makes the constraint of some tools with what ends a call barred.

    Args:
        original: SGLang's.
    """

    @functools.wraps(original)
    def get_structure_constraint(self: Any, *args: Any, **named: Any) -> Any:
        found = original(self, *args, **named)
        if found is None or found[0] != "structural_tag" or not serves_tags():
            return found
        return found[0], bar_tag(found[1], self.detector.get_structural_tag_name())

    setattr(get_structure_constraint, _PATCHED, original)
    return get_structure_constraint


def bar_tag(tag: Any, model: str | None) -> Any:
    """Return a tag of some tools that excludes what ends a call from their arguments.

    Args:
        tag: SGLang's.
        model: its name for how calls are written; ``None`` in the older form, where the names in
            angle brackets around a call are excluded.
    """
    given = tag.model_dump(by_alias=True)
    structures = given.get("structures")
    if structures is not None:
        texts = [text for one in structures for text in (one["begin"], one["end"])]
        words = list(find_markers([*texts, *given["triggers"]]))
        for one in structures:
            one["excludes"] = words
    elif model:
        bar_ends(given["format"], model)
    else:
        return tag  # made of a chat template, which has words of its own
    return BarredTag(given)
