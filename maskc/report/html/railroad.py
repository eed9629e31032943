"""A rule as a railroad diagram: follow the line, and what you pass is a text of the rule.

The drawing is the package ``railroad-diagrams``'; what it escapes, tests look at.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from io import StringIO
from typing import Any

from maskc.frontends.lark.shapes import RuleShape, Shape
from maskc.report.html.blocks import make_paragraph, make_section
from maskc.report.html.markup import Html, element

INSTALL = "Diagrams of the rules need the package railroad-diagrams: pip install 'maskc[diagrams]'."
_MAX_TEXT = 48
_MAX_ROW = 560.0  # wider rows are broken into lines


def is_installed() -> bool:
    """Return whether diagrams can be drawn."""
    return importlib.util.find_spec("railroad") is not None


def build_rules(rules: Sequence[RuleShape]) -> Html:
    """Return the section of the rules."""
    if not is_installed():
        return make_section("rules", "Rules", make_paragraph(INSTALL))
    figures = [
        element(
            "figure",
            element("figcaption", element("code", rule.name)),
            draw_rule(rule),
            class_="rule",
            tabindex=0,
            role="group",
            aria_label=f"rule {rule.name}",
        )
        for rule in rules
    ]
    intro = "Follow a line from the left to the right: what you pass is what the rule reads."
    return make_section("rules", "Rules", make_paragraph(intro), *figures)


def draw_rule(rule: RuleShape) -> Html:
    """Return the diagram of a rule as SVG."""
    import railroad

    diagram = railroad.Diagram(_draw(railroad, rule.shape), type="complex")
    out = StringIO()
    diagram.writeSvg(out.write)
    return Html(out.getvalue())


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
