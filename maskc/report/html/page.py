"""The page of an artifact, by the templates beside this module.

The grammar is built again from the header, so that terminals have their texts and a small grammar
its automaton, as a table. Every value is escaped, except the drawings of :mod:`railroad`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from maskc.grammar.reduce import reduce_grammar
from maskc.pushdown.dft import build_dft
from maskc.report.author import warmth_of
from maskc.report.explain import IGNORED, say_death
from maskc.report.grammar import (
    format_entry,
    format_terminal,
    list_texts,
    name_unnamed,
    rebuild_grammar,
)
from maskc.report.html import scales
from maskc.report.html.railroad import draw_rule, is_installed
from maskc.report.inspect import Inspection, list_facts, list_sections
from maskc.report.render import format_count, format_lexemes, format_seconds, format_size
from maskc.report.streamlining import (
    EXPLANATIONS,
    Step,
    format_change,
    format_step_time,
    list_residue,
)


def build_page(inspection: Inspection, *, internals: bool = False) -> str:
    """Return the page of an artifact.

    Args:
        inspection: what was read.
        internals: also what the compiler made: streamlining, the automaton, sections of the file.
    """
    header, view = inspection.header, inspection.view
    grammar = rebuild_grammar(header)
    texts = list_texts(grammar)
    automaton = None
    if internals and grammar is not None:
        reduced = reduce_grammar(grammar.bnf)
        names = tuple(format_terminal(name, texts) for name in reduced.terminals)
        automaton = build_dft(replace(reduced, terminals=names))
    diagrams = None
    if view is not None and is_installed():
        diagrams = [(rule.name, Markup(draw_rule(rule))) for rule in view.rules]  # noqa: S704
    return (
        make_environment()
        .get_template("page.html.j2")
        .render(
            automaton=automaton,
            diagrams=diagrams,
            file=os.path.basename(inspection.path),
            header=header,
            inspection=inspection,
            internals=internals,
            steps=inspection.steps,
            texts=texts,
            tiles=_list_tiles(inspection),
            title=f"{header['grammar']['name']} for {header['tokenizer']['name']}",
            view=view,
        )
    )


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
        curve=_make_curve,
        entry_name=format_entry,
        lexemes=format_lexemes,
        named=name_unnamed,
        number=format_count,
        point=_format_point,
        seconds=format_seconds,
        shown=lambda token: format_lexemes(token)[1:-1],
        warmth=warmth_of,
        # Something is not nothing.
        width=lambda width: _format_point(max(width, 1.0) if width else 0.0),
    )
    environment.globals.update(
        change=format_change,
        explanations=EXPLANATIONS,
        ignored=IGNORED,
        list_facts=list_facts,
        list_log_ticks=scales.list_log_ticks,
        list_residue=list_residue,
        list_sections=list_sections,
        list_ticks=scales.list_ticks,
        place=scales.place,
        place_log=scales.place_log,
        say_death=say_death,
        step_time=format_step_time,
    )
    return environment


def _list_tiles(inspection: Inspection) -> list[tuple[str, str, str]]:
    """Return the numbers that matter most: a name, the number, and a note."""
    header, residue = inspection.header, inspection.header["residue"]
    first, last = inspection.steps[0].rows, inspection.steps[-1].rows
    note = ", ".join(filter(None, [f"of {format_count(first)}", format_change(first, last)]))
    size, n_bytes = format_size(inspection.n_bytes), format_count(inspection.n_bytes)
    tiles = [("Rows left", format_count(last), note)]
    if residue:
        note = f"rows at the median, {format_count(residue['max'])} at most"
        tiles.append(("Depend on the stack", format_count(residue["median"]), note))
    tiles.append(("Artifact", size, f"{n_bytes} bytes"))
    if inspection.timings:
        seconds = sum(record["seconds"] for record in inspection.timings["passes"])
        return [*tiles, ("Compiled in", format_seconds(seconds), "on this machine")]
    counts = header["counts"]
    kind, name = ("general",) * 2 if "general_states" in counts else ("lalr", "LALR")
    note = f"{format_count(counts[f'{kind}_states'])} {name} states"
    return [*tiles, ("Productions", format_count(counts["productions"]), note)]


def _make_curve(step: Step) -> tuple[str, Sequence[int]]:
    return step.step, step.per_state


def _format_point(value: Any) -> str:
    """Return a coordinate to a tenth of a unit."""
    return f"{value:.1f}".removesuffix(".0")
