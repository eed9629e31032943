"""A rule as a railroad diagram: follow the line, and what you pass is a text of the rule.

The drawing is the package ``railroad-diagrams``'; what it escapes, tests look at.
"""

from __future__ import annotations

import importlib.util
from io import StringIO
from typing import Any

from maskc.frontends.lark.shapes import RuleShape, Shape

_MAX_TEXT = 48
_MAX_ROW = 560.0  # wider rows are broken into lines


def is_installed() -> bool:
    """Return whether diagrams can be drawn."""
    return importlib.util.find_spec("railroad") is not None


def draw_rule(rule: RuleShape) -> str:
    """Return the diagram of a rule as SVG."""
    import railroad

    diagram = railroad.Diagram(_draw(railroad, rule.shape), type="complex")
    out = StringIO()
    diagram.writeSvg(out.write)
    return out.getvalue()


def _draw(railroad: Any, shape: Shape) -> Any:
    match shape.kind:
        case "row":
            return _draw_row(railroad, [_draw(railroad, part) for part in shape.parts])
        case "either":
            parts = [_draw(railroad, part) for part in shape.parts]
            return railroad.Choice(0, *parts) if parts else railroad.Skip()
        case "repeat":
            return _draw_repeat(railroad, shape)
        case "rule":
            return railroad.NonTerminal(_cut(shape.text))
        case "more":
            return railroad.Comment(shape.text)
    return railroad.Terminal(_cut(shape.text), cls=shape.kind)


def _draw_repeat(railroad: Any, shape: Shape) -> Any:
    inner = _draw(railroad, shape.parts[0])
    again = railroad.Comment(shape.text) if shape.text.endswith("times") else None
    if shape.is_many:
        inner = railroad.OneOrMore(inner, again)
    return inner if shape.low else railroad.Optional(inner)


def _draw_row(railroad: Any, parts: list[Any]) -> Any:
    """Return parts one after the other, on several lines if they are wide."""
    if not parts:
        return railroad.Skip()
    lines: list[list[Any]] = [[]]
    width = 0.0
    for part in parts:
        if lines[-1] and width + part.width > _MAX_ROW:
            lines.append([])
            width = 0.0
        lines[-1].append(part)
        width += part.width
    rows = [railroad.Sequence(*line) for line in lines]
    return railroad.Stack(*rows) if len(rows) > 1 else rows[0]


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"
