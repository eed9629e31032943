"""What streamlining did, in order: steps, lexer states, classes and residue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from maskc.report.grammar import Texts, name_unnamed
from maskc.report.html.blocks import (
    make_chip,
    make_chips,
    make_facts,
    make_figure,
    make_paragraph,
    make_section,
    make_table,
)
from maskc.report.html.charts import Curve, draw_distribution, draw_steps
from maskc.report.html.markup import Html, element, join
from maskc.report.render import format_count
from maskc.report.streamlining import (
    EXPLANATIONS,
    Step,
    format_change,
    format_step_time,
    list_residue,
)


def build_streamlining(steps: Sequence[Step]) -> Html:
    """Return rows after each step, drawn and listed."""
    columns = ("step", "rows", "stored", "change", "time", "what it does")
    rows = [
        (
            step.step,
            format_count(step.rows),
            format_count(step.stored),
            format_change(before.rows, step.rows),
            format_step_time(step) or "–",
            EXPLANATIONS.get(step.step, ""),
        )
        for before, step in pairwise((*steps[:1], *steps))
    ]
    return make_section(
        "streamlining",
        "Streamlining",
        make_paragraph(
            "A row is a distinct pair of a lexer state and a terminal sequence, with the tokens "
            "that make the sequence there. No step changes a mask. Raw rows are terminal sequences "
            "alone, and each terminal that an open lexeme may become closes one; from the second "
            "step on a row is what is asked of the parser, contexts included, so there can be more."
        ),
        make_figure(
            "Rows after each step",
            "Wide bars: rows. Thin bars: rows that the store keeps, shared between lexer states.",
            draw_steps(steps),
        ),
        make_table("Rows after each step", columns, rows, numbers=columns[1:5]),
    )


def build_distribution(steps: Sequence[Step]) -> Html:
    """Return how rows are spread over the lexer states, after each step."""
    percents = (50, 90, 99, 100)
    columns = ("step", *(f"{p} % have at most" for p in percents[:-1]), "largest")
    rows = [
        (step.step, *(format_count(step.per_state[percent]) for percent in percents))
        for step in steps
    ]
    title = "Rows of a lexer state: cumulative distribution after each step"
    return make_section(
        "lexer-states",
        "Rows per lexer state",
        make_paragraph(
            "While a token is chosen, only the rows of one lexer state count. The further left a "
            "curve rises, the fewer questions are asked of the parser."
        ),
        make_figure(
            title,
            "A point at x, y: y % of the lexer states have at most x rows.",
            draw_distribution(
                [Curve(step.step, step.per_state) for step in steps],
                title=title,
                x_axis="rows of a lexer state (logarithmic)",
                y_axis="share of lexer states",
            ),
        ),
        make_table("Percentiles of rows of a lexer state", columns, rows, numbers=columns[1:]),
    )


def build_classes(classes: Sequence[Sequence[str]], texts: Texts) -> Html:
    """Return the classes of interchangeable terminals."""
    if not classes:
        found = make_paragraph("No two terminals are interchangeable.")
    else:
        n_terminals = sum(map(len, classes))
        intro = (
            f"{format_count(n_terminals)} terminals in {format_count(len(classes))} "
            f"{'class' if len(classes) == 1 else 'classes'}: exchanging members of a class "
            "anywhere in a text never changes whether it is legal."
        )
        items = [
            element("li", element("span", str(number), class_="dim"), make_chips(members, texts))
            for number, members in enumerate(classes, 1)
        ]
        found = join([make_paragraph(intro), element("ol", *items, class_="classes")])
    return make_section("classes", "Interchangeable terminals", found)


def build_residue(residue: Mapping[str, Any], texts: Texts) -> Html:
    """Return what still depends on the stack, and why."""
    title = "Rows that depend on the stack: cumulative distribution over the pairs"
    examples = [
        (
            element("span", *(make_chip(name, texts) for name in found["sequence"]), class_="word"),
            format_count(found["pairs"]),
            name_unnamed(found["why"], texts),
        )
        for found in residue["examples"]
    ]
    columns = ("terminal sequence", "pairs", "why it depends on the stack")
    table = make_table(
        "Sequences that depend on the stack in the most pairs; a dashed one stays open",
        columns,
        examples,
        numbers=("pairs",),
    )
    drawn = (
        [
            make_figure(
                title,
                "A point at x, y: in y % of the pairs of a row source and an LALR state, at most x "
                "rows depend on the stack.",
                draw_distribution(
                    [Curve("rows that depend on the stack", residue["per_pair"])],
                    title=title,
                    x_axis="rows that depend on the stack (logarithmic)",
                    y_axis="share of pairs",
                ),
            ),
            table,
        ]
        if examples
        else [make_paragraph("No row depends on the stack.")]
    )
    return make_section(
        "residue",
        "Residue",
        make_paragraph(
            "Many rows are accepted or rejected by the LALR state on top of the stack, whatever is "
            "below it. The residue is what is left: rows that some stack with that state on top "
            "takes and another refuses. It is counted over the pairs of a row source (where a "
            "token can start) and a state that can be on top there."
        ),
        make_facts(list_residue(residue)),
        *drawn,
    )
