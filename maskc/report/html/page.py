"""The renderer of a report as one HTML page, by the templates beside this module.

Every value is escaped, except the drawings of :mod:`railroad`.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from maskc.report.formats import format_count, show_token, warmth_of
from maskc.report.html import scales
from maskc.report.html.railroad import draw_rule, is_installed
from maskc.report.model import Curves, Diagrams, Heat, Report, Table


def build_page(report: Report, *, title: str, lead: str, version: str) -> str:
    """Return the page of a report, below its title and a line about it."""
    template = make_environment().get_template("page.html.j2")
    return template.render(blocks=list(report.blocks), title=title, lead=lead, version=version)


def make_environment() -> Environment:
    """Return what templates are rendered with."""
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
        list_log_ticks=scales.list_log_ticks,
        list_ticks=scales.list_ticks,
        percentiles=_tabulate_percentiles,
        scale_linear=scales.scale_linear,
        scale_log=scales.scale_log,
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
