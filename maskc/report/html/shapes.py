"""How a state, an edge and a label of a graph look, given their places."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from maskc.report.html.layout import Box, Point
from maskc.report.html.markup import Html, element

# Of the fonts at their sizes, in pixels.
NAME_WIDTH, LABEL_WIDTH, LINE = 7.4, 6.8, 13.0
NODE_HEIGHT, LOOP = 26.0, 30.0
# Of a longer name, so much is shown.
MAX_NAME = 24
ARROW = "url(#arrow)"


def measure_name(name: str) -> float:
    """Return the width of a state."""
    return 18 + NAME_WIDTH * _count_columns(shorten(name))


def measure_label(lines: Sequence[str]) -> Box:
    """Return the size of a label."""
    return Box(6 + LABEL_WIDTH * max(map(_count_columns, lines)), 3 + LINE * len(lines))


def shorten(name: str) -> str:
    """Return a name that fits into a state."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def draw_state(name: str, centre: Point, kind: str) -> Html:
    """Return a state; ``kind`` is a class of the style sheet."""
    (x, y), width = centre, measure_name(name)
    box = element(
        "rect",
        x=x - width / 2,
        y=y - NODE_HEIGHT / 2,
        width=width,
        height=NODE_HEIGHT,
        rx=4 if kind == "terminal" else 13,
    )
    text = element("text", shorten(name), x=x, y=y + 4, class_="mono name middle")
    return element("g", element("title", name), box, text, class_=kind)


def draw_edge(points: Sequence[Point], explained: str) -> Html:
    """Return a smooth curve through points whose y ascend or descend, with an arrow at its end.

    It is a cubic in y between two points. Its slopes are vertical at both ends, and at a bend the
    harmonic mean of the slopes on both sides (Fritsch and Carlson 1980, doi:10.1137/0717021): so
    it stays between its bends, and clear of what they lead it around.
    """
    slopes = [0.0]
    for (x0, y0), (x1, y1), (x2, y2) in zip(points, points[1:], points[2:], strict=False):
        before, after = (x1 - x0) / (y1 - y0), (x2 - x1) / (y2 - y1)
        mean = 2 * before * after / (before + after) if before * after > 0 else 0.0
        slopes.append(mean)
    slopes.append(0.0)
    path = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for i, (x, y) in enumerate(points[1:]):
        from_x, from_y = points[i]
        third = (y - from_y) / 3
        path.append(
            f"C{from_x + slopes[i] * third:.1f} {from_y + third:.1f} "
            f"{x - slopes[i + 1] * third:.1f} {y - third:.1f} {x:.1f} {y:.1f}"
        )
    return _draw_path("".join(path), explained)


def draw_loop(right: float, y: float, explained: str) -> Html:
    """Return an edge from a state to itself, on its right side."""
    path = (
        f"M{right:.1f} {y - 6:.1f}C{right + LOOP:.1f} {y - 20:.1f} "
        f"{right + LOOP:.1f} {y + 20:.1f} {right:.1f} {y + 6:.1f}"
    )
    return _draw_path(path, explained)


def draw_label(centre: Point, lines: Sequence[str], explained: str) -> Html:
    """Return the label of an edge, with nothing behind it."""
    (x, y), box = centre, measure_label(lines)
    halo = element(
        "rect",
        x=x - box.width / 2,
        y=y - box.height / 2,
        width=box.width,
        height=box.height,
        class_="halo",
    )
    top = y - LINE * (len(lines) - 1) / 2 + 4
    texts = (
        element("text", line, x=x, y=top + LINE * i, class_="mono label middle")
        for i, line in enumerate(lines)
    )
    return element("g", element("title", explained), halo, *texts)


def make_arrow() -> Html:
    """Return the head that edges end with."""
    return element(
        "marker",
        element("path", d="M0 0L8 4L0 8z", class_="head"),
        id="arrow",
        viewBox="0 0 8 8",
        refX=7.5,
        refY=4,
        markerWidth=7,
        markerHeight=7,
        orient="auto",
    )


def _draw_path(path: str, explained: str) -> Html:
    title = element("title", explained)
    return element("path", title, d=path, class_="edge", marker_end=ARROW)


def _count_columns(text: str) -> int:
    """Return the columns that a text takes in a font of one width."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
