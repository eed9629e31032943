"""The page: one file that a browser shows without asking anyone for anything.

The grammar is built again from the header, so that terminals have their texts and a small grammar
its automaton, as a table.
"""

from __future__ import annotations

import os
from dataclasses import replace

from maskc.grammar.model import Grammar
from maskc.grammar.reduce import ReducedGrammar, reduce_grammar
from maskc.pushdown.dft import build_dft
from maskc.report.grammar import Texts, format_terminal, list_texts, rebuild_grammar
from maskc.report.html.author import build_author
from maskc.report.html.blocks import make_facts, make_paragraph, make_section, make_table
from maskc.report.html.facts import build_artifact, build_tiles, build_unlexed
from maskc.report.html.markup import Html, element
from maskc.report.html.streamlining import (
    build_classes,
    build_distribution,
    build_residue,
    build_streamlining,
)
from maskc.report.html.style import STYLE
from maskc.report.inspect import Inspection, list_facts

# A longer table helps nobody; `maskc dump --stage dft` prints it all.
MAX_TRANSITIONS = 200

# Whatever the page holds, the browser loads nothing and runs nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def build_page(inspection: Inspection, *, internals: bool = False) -> str:
    """Return the page of an artifact.

    Args:
        inspection: what was read.
        internals: also what the compiler made: streamlining, the automaton, sections of the file.
    """
    header = inspection.header
    title = f"{header['grammar']['name']} for {header['tokenizer']['name']}"
    grammar = rebuild_grammar(header)
    texts = list_texts(grammar)
    steps = inspection.steps
    first = [] if inspection.view is None else build_author(inspection.view)
    if inspection.view is None:
        missing = make_paragraph("Not there: the Lark of this machine refuses the grammar.")
        first = [make_section("rules", "Rules", missing)]
    facts = make_section("artifact", "Artifact", make_facts(list_facts(inspection)))
    inner = [
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
        *first,
        *([build_tiles(inspection), *inner] if internals else [facts]),
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
        parts = [make_paragraph("Not there: the Lark of this machine refuses the grammar.")]
    else:
        reduced = reduce_grammar(grammar.bnf)
        names = tuple(format_terminal(name, texts) for name in reduced.terminals)
        parts = _tell(replace(reduced, terminals=names))
    return make_section("automaton", "Pushdown automaton", *parts)


def _tell(reduced: ReducedGrammar) -> list[Html]:
    dft = build_dft(reduced)
    n_transitions = len(dft.transitions)
    told = element(
        "p",
        "The DFT pushdown automaton walks the syntax tree depth first. A state is a terminal that "
        "was just read, or the start •X or the end X• of a nonterminal; entering a terminal reads "
        f"it. It has {len(dft.states):,} states and {n_transitions:,} transitions. For a picture, "
        "give Graphviz what ",
        element("code", "maskc analyze GRAMMAR pda --dot"),
        " prints.",
    )
    if n_transitions > MAX_TRANSITIONS:
        return [told]
    rows = [
        [row[k] or "ε" for k in ("state", "reads", "pops", "pushes", "next")]
        for row in dft.to_dict()["transitions"]
    ]
    columns = ("state", "reads", "pops", "pushes", "next state")
    return [
        told,
        element(
            "details",
            element("summary", f"All {n_transitions} transitions"),
            make_table("Transitions; ε is nothing", columns, rows),
        ),
    ]
