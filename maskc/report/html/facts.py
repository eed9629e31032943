"""The facts of an artifact: the tiles at the top, what cannot be lexed apart, and its bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskc.report.grammar import Texts
from maskc.report.html.blocks import (
    make_chip,
    make_facts,
    make_paragraph,
    make_section,
    make_table,
)
from maskc.report.html.markup import Html, element
from maskc.report.inspect import Inspection, list_facts, list_sections
from maskc.report.render import format_count, format_lexemes, format_seconds, format_size
from maskc.report.streamlining import format_change


def build_tiles(inspection: Inspection) -> Html:
    """Return the numbers that matter most."""
    header, steps, residue = inspection.header, inspection.steps, inspection.header["residue"]
    first, last = steps[0].rows, steps[-1].rows
    change = format_change(first, last)
    note = f"of {format_count(first)}" + (f", {change}" if change else "")
    tiles = [("Rows left", format_count(last), note)]
    if residue:
        note = f"rows at the median, {format_count(residue['max'])} at most"
        tiles.append(("Depend on the stack", format_count(residue["median"]), note))
    tiles.append(
        ("Artifact", format_size(inspection.n_bytes), f"{format_count(inspection.n_bytes)} bytes")
    )
    if inspection.timings:
        seconds = sum(record["seconds"] for record in inspection.timings["passes"])
        tiles.append(("Compiled in", format_seconds(seconds), "on this machine"))
    else:
        n_productions = header["counts"]["productions"]
        kind = "general" if "general_states" in header["counts"] else "lalr"
        n_states = format_count(header["counts"][f"{kind}_states"])
        note = f"{n_states} {'LALR' if kind == 'lalr' else kind} states"
        tiles.append(("Productions", format_count(n_productions), note))
    return element(
        "dl",
        *(
            element("div", element("dt", name), element("dd", value, element("small", note)))
            for name, value, note in tiles
        ),
        class_="tiles",
    )


def build_unlexed(pairs: Sequence[Mapping[str, Any]], n_pairs: int, texts: Texts) -> Html:
    """Return the terminals that are side by side in the grammar and never in a text."""
    if not pairs:
        return make_section(
            "lexing",
            "Terminals that cannot be lexed apart",
            make_paragraph(
                "None: what the grammar puts side by side, a text can have side by side."
            ),
        )
    rows = [
        (
            make_chip(pair["first"], texts),
            make_chip(pair["second"], texts),
            element("code", format_lexemes(pair["witness"])),
        )
        for pair in pairs
    ]
    columns = ("first", "second", "witness")
    shown = "" if len(pairs) == n_pairs else f"; the first {len(pairs)} are shown"
    return make_section(
        "lexing",
        "Terminals that cannot be lexed apart",
        make_paragraph(
            f"{format_count(n_pairs)} pairs of terminals are side by side in the grammar, and "
            f"never in a text: the lexer takes the witness for something else{shown}."
        ),
        make_table("Pairs with a witness", columns, rows),
    )


def build_artifact(inspection: Inspection) -> Html:
    """Return what the artifact was made from, and where its bytes go."""
    counts = [
        (name.replace("_", " "), format_count(number))
        for name, number in inspection.header["counts"].items()
    ]
    parts = [
        make_facts(list_facts(inspection)),
        element(
            "div",
            make_table("Counts", ("of", "number"), counts, numbers=("number",)),
            make_table(
                "Sections of the file",
                ("section", "type", "shape", "size"),
                list_sections(inspection),
                numbers=("shape", "size"),
            ),
            class_="columns",
        ),
    ]
    if inspection.timings:
        rows = [
            (
                p["name"],
                format_seconds(p["seconds"]),
                format_seconds(p["cpu_seconds"]),
                f"{p['peak_mb']:,.0f} MiB",
            )
            for p in inspection.timings["passes"]
        ]
        columns = ("pass", "time", "processor", "peak memory so far")
        table = make_table("Passes, on this machine", columns, rows, numbers=columns[1:])
        parts.append(element("details", element("summary", "What each pass cost"), table))
    return make_section("artifact", "Artifact", *parts)
