"""Two charts: how many rows each step left, and how they are spread over the lexer states.

Both are drawn 1,000 units wide and scale with the page. What a chart shows is also in a table
beside it; the drawing itself has a title and a description for those who cannot see it.

Source: blog, Figure 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maskc.report.html.markup import Html, element
from maskc.report.html.scales import list_log_ticks, list_ticks, place, place_log
from maskc.report.render import format_count
from maskc.report.streamlining import Step, format_change

WIDTH = 1000.0
N_COLOURS = 6
# Colour alone must not tell curves apart.
DASHES = ("2 4", "10 4", "5 3", "12 3 2 3", "7 2", None)

_LEFT, _RIGHT = 130.0, 150.0
_BAND, _BAR, _STORED = 48.0, 18.0, 8.0
_PLOT_LEFT, _PLOT_HEIGHT, _TOP = 64.0, 330.0, 14.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A cumulative distribution.

    Attributes:
        name: of what.
        percentiles: 101 numbers, ascending.
    """

    name: str
    percentiles: Sequence[int]

    def describe(self) -> str:
        """Return its middle and its end in words."""
        p50, p90, most = (format_count(self.percentiles[p]) for p in (50, 90, 100))
        return f"{self.name}: half have at most {p50}, 90 % at most {p90}, the largest has {most}"


def draw_steps(steps: Sequence[Step]) -> Html:
    """Return a bar for the rows of each step, and a thin one for those that are stored."""
    ticks = list_ticks(max(step.rows for step in steps))
    length, bottom = WIDTH - _LEFT - _RIGHT, _BAND * len(steps) + 4
    parts = []
    for tick in ticks:
        x = place(tick, ticks[-1], _LEFT, length)
        parts.append(element("path", d=f"M{x:.1f} 0V{bottom + 5:.1f}", class_="grid"))
        parts.append(_text(x, bottom + 20, format_count(tick), "dim middle"))
    before = steps[0]
    for number, step in enumerate(steps):
        top = number * _BAND + 8
        rows = place(step.rows, ticks[-1], 0, length)
        stored = place(step.stored, ticks[-1], 0, length)
        change = format_change(before.rows, step.rows)
        label = element("tspan", format_count(step.rows), class_="strong")
        note = element("tspan", f"  {change}", class_="dim")
        parts.append(
            element(
                "g",
                element("title", f"{step.step}: {step.rows:,} rows, {step.stored:,} stored"),
                _text(_LEFT - 12, top + 14, step.step, "end"),
                _rect(_LEFT, top, rows, _BAR, f"fill:var(--step-{number % N_COLOURS})"),
                _rect(_LEFT, top + _BAR + 3, stored, _STORED, None),
                _text(_LEFT + rows + 8, top + 14, label, None, note),
            )
        )
        before = step
    parts.append(element("path", d=f"M{_LEFT:.1f} 0V{bottom:.1f}", class_="axis"))
    parts.append(_text(_LEFT + length / 2, bottom + 42, "number of rows", "dim middle"))
    summary = "; ".join(f"{step.step} {step.rows:,}" for step in steps)
    return _draw("Rows after each streamlining step", summary, bottom + 50, parts)


def draw_distribution(curves: Sequence[Curve], *, title: str, x_axis: str, y_axis: str) -> Html:
    """Return cumulative distributions over one logarithmic axis, with a legend."""
    largest = max(1, *(curve.percentiles[-1] for curve in curves))
    length, bottom = WIDTH - _PLOT_LEFT - 24, _TOP + _PLOT_HEIGHT
    parts = []
    for percent in range(0, 101, 20):
        y = bottom - _PLOT_HEIGHT * percent / 100
        parts.append(element("path", d=f"M{_PLOT_LEFT:.1f} {y:.1f}h{length:.1f}", class_="grid"))
        parts.append(_text(_PLOT_LEFT - 9, y + 4.5, f"{percent} %", "dim end"))
    for tick in list_log_ticks(largest):
        x = place_log(tick, largest, _PLOT_LEFT, length)
        parts.append(element("path", d=f"M{x:.1f} {_TOP:.1f}V{bottom + 5:.1f}", class_="grid"))
        parts.append(_text(x, bottom + 20, format_count(tick), "dim middle"))
    axes = f"M{_PLOT_LEFT:.1f} {_TOP:.1f}V{bottom:.1f}h{length:.1f}"
    parts.append(element("path", d=axes, class_="axis"))
    for number, curve in enumerate(curves):
        points = [
            f"{place_log(value, largest, _PLOT_LEFT, length):.1f} "
            f"{bottom - _PLOT_HEIGHT * percent / 100:.1f}"
            for percent, value in enumerate(curve.percentiles)
        ]
        stroke = _stroke(number, len(curves))
        parts.append(
            element(
                "path",
                element("title", curve.describe()),
                d=f"M{'L'.join(points)}",
                class_="curve",
                **stroke,
            )
        )
    parts.append(_text(_PLOT_LEFT + length / 2, bottom + 44, x_axis, "dim middle"))
    middle = _TOP + _PLOT_HEIGHT / 2
    turned = element(
        "text", y_axis, class_="dim middle", transform=f"translate(13 {middle:.0f})rotate(-90)"
    )
    parts.append(turned)
    height = bottom + 52
    if len(curves) > 1:
        parts += _draw_legend(curves, height + 14)
        height += 28
    return _draw(title, "; ".join(c.describe() for c in curves), height, parts)


def _draw_legend(curves: Sequence[Curve], y: float) -> list[Html]:
    """Return the legend on one line, which no curve can cross."""
    parts, x = [], _PLOT_LEFT
    for number, curve in enumerate(curves):
        sample = f"M{x:.1f} {y:.1f}h30"
        parts.append(element("path", d=sample, class_="curve", **_stroke(number, len(curves))))
        parts.append(_text(x + 37, y + 4.5, curve.name, None))
        x += 37 + 7.6 * len(curve.name) + 24
    return parts


def _stroke(number: int, n_curves: int) -> dict[str, str | None]:
    # A single curve, and the last of several, is the result.
    index = N_COLOURS - 1 if number == n_curves - 1 else number % N_COLOURS
    return {"style": f"stroke:var(--step-{index})", "stroke_dasharray": DASHES[index]}


def _draw(title: str, summary: str, height: float, parts: Sequence[Html]) -> Html:
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH:.0f} {height:.0f}",
        class_="fluid",
        role="img",
        aria_label=f"{title}: {summary}",
    )


def _text(x: float, y: float, text: str, class_: str | None, *more: Html) -> Html:
    return element("text", text, *more, x=x, y=y, class_=class_)


def _rect(x: float, y: float, width: float, height: float, style: str | None) -> Html:
    # Something is not nothing.
    width = max(width, 1.0) if width else 0.0
    class_ = None if style else "stored"
    return element("rect", x=x, y=y, width=width, height=height, rx=2, style=style, class_=class_)
