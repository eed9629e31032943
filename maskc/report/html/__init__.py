"""A report as one HTML page, by the templates beside this module: no network, script or font.

Every value is escaped, except the drawings of the package ``railroad-diagrams``.
"""

from __future__ import annotations

import importlib.util
import math
from io import StringIO
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from maskc.frontends.lark.shapes import RuleShape, Shape
from maskc.report import Curves, Diagrams, Heat, Report, Table, format_count, show_token, warmth_of


def build_page(report: Report, *, title: str, lead: str, version: str) -> str:
    """Return the page of a report, below its title and a line about it."""
    template = make_environment().get_template("page.html.j2")
    return template.render(blocks=list(report.blocks), title=title, lead=lead, version=version)


def make_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("maskc.report.html", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        number=format_count,
        point=_format_point,
        shown=show_token,
        warmth=warmth_of,
        # Something is not nothing.
        width=lambda width: _format_point(max(width, 1.0) if width else 0.0),
    )
    environment.globals.update(
        draw_rules=_draw_rules,
        heat_table=_tabulate_heat,
        list_log_ticks=list_log_ticks,
        list_ticks=list_ticks,
        percentiles=_tabulate_percentiles,
        scale_linear=scale_linear,
        scale_log=scale_log,
    )
    return environment


def _draw_rules(block: Diagrams) -> list[tuple[str, Markup]] | None:
    """Return the drawing of each rule, ``None`` if nothing is there that draws."""
    if not is_installed():
        return None
    return [(rule.name, Markup(draw_rule(rule))) for rule in block.rules]  # noqa: S704


def _tabulate_heat(block: Heat) -> Table:
    rows = [(show_token(token), format_count(n)) for token, n in block.tokens]
    return Table("Tokens of the text", ("token", "legal"), rows, ("legal",), fold="As a table")


def _tabulate_percentiles(block: Curves) -> Table:
    columns = ("", "50 % have at most", "90 % have at most", "99 % have at most", "largest")
    rows = [
        (name, *(format_count(percentiles[n]) for n in (50, 90, 99, 100)))
        for name, percentiles in block.curves
    ]
    return Table("Percentiles", columns, rows, columns[1:])


def _format_point(value: Any) -> str:
    """Return a coordinate to a tenth of a unit."""
    return f"{value:.1f}".removesuffix(".0")


_MAX_TEXT = 48
_MAX_ROW = 560.0  # wider rows are broken into lines


def is_installed() -> bool:
    return importlib.util.find_spec("railroad") is not None


def draw_rule(rule: RuleShape) -> str:
    import railroad

    diagram = railroad.Diagram(_draw_shape(railroad, rule.shape), type="complex")
    out = StringIO()
    diagram.writeSvg(out.write)
    return out.getvalue()


def _draw_shape(railroad: Any, shape: Shape) -> Any:
    match shape.kind:
        case "row":
            return _draw_row(railroad, [_draw_shape(railroad, part) for part in shape.parts])
        case "either":
            parts = [_draw_shape(railroad, part) for part in shape.parts]
            return railroad.Choice(0, *parts) if parts else railroad.Skip()
        case "repeat":
            return _draw_repeat(railroad, shape)
        case "rule":
            return railroad.NonTerminal(_cut(shape.text))
        case "more":
            return railroad.Comment(shape.text)
    return railroad.Terminal(_cut(shape.text), cls=shape.kind)


def _draw_repeat(railroad: Any, shape: Shape) -> Any:
    inner = _draw_shape(railroad, shape.parts[0])
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


MAX_TICKS = 8


def list_ticks(largest: float) -> list[int]:
    """Return round numbers from 0 to the first that is not below ``largest``.

    >>> list_ticks(112_283)
    [0, 20000, 40000, 60000, 80000, 100000, 120000]
    """
    step, exponent = 1, 0
    while step * (MAX_TICKS - 1) < largest:
        for digit in (2, 5, 10):
            step = digit * 10**exponent
            if step * (MAX_TICKS - 1) >= largest:
                break
        exponent += 1
    n_steps = max(1, math.ceil(largest / step))
    return [step * i for i in range(n_steps + 1)]


def list_log_ticks(largest: float) -> list[int]:
    """Return 0 and round numbers up to ``largest``: 1, 2, 5 of each power of ten if few.

    Rows per lexer state span four powers of ten and begin at 0: such an axis is logarithmic in
    1 + x.

    >>> list_log_ticks(40)
    [0, 1, 2, 5, 10, 20]
    """
    digits = (1, 2, 5) if largest < 500 else (1, 3) if largest < 50_000 else (1,)
    found = [0]
    power = 1
    while power <= largest:
        found += [digit * power for digit in digits if digit * power <= largest]
        power *= 10
    return found


def scale_linear(value: float, largest: float, start: float, length: float) -> float:
    """Return where a linear axis from 0 to ``largest`` has a value."""
    return start + length * value / largest if largest else start


def scale_log(value: float, largest: float, start: float, length: float) -> float:
    """Return where an axis that is logarithmic in 1 + x has a value."""
    return scale_linear(math.log1p(value), math.log1p(largest), start, length)
