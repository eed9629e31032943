"""The page: one file that a browser shows without asking anyone for anything.

The grammar is built again from the header, so that terminals have their texts and a small grammar
its automaton.
"""

from __future__ import annotations

import os
from dataclasses import replace

from maskc.analysis.dft import build_dft
from maskc.grammar.model import Grammar
from maskc.grammar.reduce import ReducedGrammar, reduce_grammar
from maskc.report.grammar import Texts, format_terminal, list_texts, rebuild_grammar
from maskc.report.html.automaton import (
    MAX_PRODUCTIONS,
    MAX_TRANSITIONS,
    draw_automaton,
    number_productions,
)
from maskc.report.html.blocks import make_paragraph, make_section, make_table
from maskc.report.html.facts import build_artifact, build_tiles, build_unlexed
from maskc.report.html.markup import Html, element
from maskc.report.html.streamlining import (
    build_classes,
    build_distribution,
    build_residue,
    build_streamlining,
)
from maskc.report.html.style import STYLE
from maskc.report.inspect import Inspection

# Whatever the page holds, the browser loads nothing and runs nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def build_page(inspection: Inspection) -> str:
    """Return the page of an artifact."""
    header = inspection.header
    title = f"{header['grammar']['name']} for {header['tokenizer']['name']}"
    grammar = rebuild_grammar(header)
    texts = list_texts(grammar)
    steps = inspection.steps
    sections = [
        build_streamlining(steps),
        build_distribution(steps),
        build_classes(header["classes"], texts),
        *([build_residue(header["residue"], texts)] if header["residue"] else []),
        build_unlexed(header["not_lexed_apart"], header["counts"]["not_lexed_apart"], texts),
        _build_automaton(grammar, texts),
        build_artifact(inspection),
    ]
    body = element(
        "main",
        element("h1", title),
        element("p", f"maskc artifact {os.path.basename(inspection.path)}", class_="lead"),
        build_tiles(inspection),
        *sections,
        element("footer", f"Made by maskc {header['maskc']}."),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} – maskc"),
        element("style", Html(STYLE)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', body), lang='en')}\n"


def _build_automaton(grammar: Grammar | None, texts: Texts) -> Html:
    if grammar is None:
        parts = [make_paragraph("Not drawn: the Lark of this machine refuses the grammar.")]
    else:
        reduced = reduce_grammar(grammar)
        names = tuple(format_terminal(name, texts) for name in reduced.terminals)
        parts = _draw(replace(reduced, terminals=names))
    return make_section("automaton", "Pushdown automaton", *parts)


def _draw(reduced: ReducedGrammar) -> list[Html]:
    dft = build_dft(reduced)
    n_productions, n_transitions = len(reduced.productions), len(dft.transitions)
    if n_productions > MAX_PRODUCTIONS or n_transitions > MAX_TRANSITIONS:
        size = f"{n_productions:,} productions and {n_transitions:,} transitions"
        return [
            element(
                "p",
                f"Not drawn: {size} are more than a drawing can show. Print it with ",
                element("code", "maskc analyze GRAMMAR pda"),
                ".",
            )
        ]
    rows = [
        [row[k] or "ε" for k in ("state", "reads", "pops", "pushes", "next")]
        for row in dft.to_dict()["transitions"]
    ]
    columns = ("state", "reads", "pops", "pushes", "next state")
    return [
        element(
            "p",
            "The DFT pushdown automaton walks the syntax tree depth first. A state is a terminal "
            "that was just read, or the start •X or the end X• of a nonterminal; entering a "
            "terminal reads it. On an edge, +p.k pushes the place behind the first k symbols of "
            "production p, −p.k pops it, p.j → p.k replaces one by the other, and ε leaves the "
            "stack alone.",
        ),
        element(
            "figure",
            draw_automaton(dft),
            class_="scroll",
            role="region",
            aria_label="DFT pushdown automaton",
            tabindex=0,
        ),
        make_table(
            "Productions, as edges number them",
            ("p", "production"),
            [(number, element("code", text)) for number, text in number_productions(dft)],
        ),
        element(
            "details",
            element("summary", f"All {n_transitions} transitions"),
            make_table("Transitions; ε is nothing", columns, rows),
        ),
    ]
