"""A plot of times against sizes, both by their logarithms, as one SVG: a panel for each series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

PANEL, HEIGHT, MARGIN = 300, 260, 44


@dataclass(frozen=True, slots=True)
class Series:
    """Seconds by size.

    Attributes:
        title: what they are.
        sizes: positive.
        seconds: positive, as many.
        exponent: of the line that is fitted through them.
    """

    title: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]
    exponent: float


def draw_plot(series: Sequence[Series]) -> str:
    """Return an SVG document."""
    width = PANEL * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" '
        f'width="{width}" height="{HEIGHT}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
    ]
    for number, one in enumerate(series):
        parts.append(f'<g transform="translate({number * PANEL} 0)">{_draw_panel(one)}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_panel(series: Series) -> str:
    xs, ys = ([math.log10(v) for v in values] for values in (series.sizes, series.seconds))
    low_x, low_y = min(xs), min(ys)
    span_x, span_y = max(xs) - low_x or 1.0, max(ys) - low_y or 1.0
    inner_x, inner_y = PANEL - 2 * MARGIN, HEIGHT - 2 * MARGIN

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            MARGIN + inner_x * (x - low_x) / span_x,
            HEIGHT - MARGIN - inner_y * (y - low_y) / span_y,
        )

    centre_x, centre_y = sum(xs) / len(xs), sum(ys) / len(ys)
    line = [place(x, centre_y + series.exponent * (x - centre_x)) for x in (low_x, low_x + span_x)]
    parts = [
        f'<text x="{MARGIN}" y="18" font-weight="bold">{escape(series.title)}</text>',
        f'<text x="{MARGIN}" y="33">exponent {series.exponent:.2f}</text>',
        f'<path d="M{MARGIN} {MARGIN}V{HEIGHT - MARGIN}H{PANEL - MARGIN}" '
        'fill="none" stroke="#888"/>',
        '<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#b44"/>'.format(*line[0], *line[1]),
    ]
    for x, y, size, seconds in zip(xs, ys, series.sizes, series.seconds, strict=True):
        left, top = place(x, y)
        parts.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3.5" fill="#247"/>')
        parts.append(f'<text x="{left - 8:.1f}" y="{HEIGHT - 26}">{_short(size)}</text>')
        parts.append(f'<text x="2" y="{top + 4:.1f}">{seconds:.2g} s</text>')
    return "".join(parts)


def _short(size: float) -> str:
    return f"{size / 1000:.0f}k" if size >= 10_000 else f"{size:.0f}"
