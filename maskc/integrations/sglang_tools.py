"""SGLang's tags of tools, with what ends a call kept out of the arguments.

SGLang makes the constraint of a chat's tools in one method of its tool parser, and nothing else
goes that way. The plug-in puts itself around it: where maskc serves structural tags, arguments do
not have what the parser takes for their end (:mod:`maskc.integrations.tool_ends`). In the older
form of tags, and in xgrammar before 0.2.8, there is no place for that; other backends do not look
at ours.

Example: with ``--tool-call-parser qwen25`` no argument holds ``</tool_call>``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.integrations.tool_ends import bar_ends, find_markers, serves_tags


class ForbiddingTag:
    """A tag as SGLang takes one: it writes it as JSON, and takes words out of what it excludes."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given, self.format = given, given.get("format")

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """Return the JSON, as pydantic's models do."""
        return self._given


def wrap_constraint(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that makes the constraint of some tools that forbids what ends a call."""

    def get_structure_constraint(self: Any, *args: Any, **named: Any) -> Any:
        found = original(self, *args, **named)
        if found is None or found[0] != "structural_tag" or not serves_tags():
            return found
        return found[0], bar_tag(found[1], self.detector.get_structural_tag_name())

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
    return ForbiddingTag(given)
