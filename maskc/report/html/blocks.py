"""What sections are made of: headings, paragraphs, figures, tables, facts, and terminals' names."""

from __future__ import annotations

from collections.abc import Iterable

from maskc.report.grammar import OPEN, Texts, format_entry
from maskc.report.html.markup import Html, element


def make_section(anchor: str, title: str, *parts: str) -> Html:
    """Return a section with its heading."""
    return element("section", element("h2", title), *parts, id=anchor)


def make_paragraph(text: str) -> Html:
    """Return a paragraph."""
    return element("p", text)


def make_figure(title: str, note: str, drawing: Html) -> Html:
    """Return a drawing with its title and a note on how to read it."""
    return element("figure", element("figcaption", title, element("span", note)), drawing)


def make_facts(facts: Iterable[tuple[str, str]]) -> Html:
    """Return names and values."""
    items = [part for name, value in facts for part in (element("dt", name), element("dd", value))]
    return element("dl", *items, class_="facts")


def make_chips(names: Iterable[str], texts: Texts) -> Html:
    """Return terminals as a list."""
    return element("ul", *(element("li", make_chip(name, texts)) for name in names), class_="chips")


def make_chip(entry: str, texts: Texts) -> Html:
    """Return an entry of a terminal sequence, with the text of a terminal that is a string."""
    name, text = format_entry(entry, texts), texts.get(entry)
    known = [" ", element("small", text)] if text and name not in (text, text[1:-1]) else []
    kind = "chip open" if entry.startswith(OPEN) else "chip"
    return element("span", name, *known, class_=kind, title=entry if name != entry else None)


def make_table(
    caption: str,
    columns: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    numbers: Iterable[str] = (),
) -> Html:
    """Return a table that scrolls by itself; ``numbers`` names the columns that line up right.

    The first cell of a row is its heading.
    """
    columns, right = tuple(columns), frozenset(numbers)
    classes = ["number" if column in right else None for column in columns]
    head = [
        element("th", column, scope="col", class_=c)
        for column, c in zip(columns, classes, strict=True)
    ]
    body = []
    for row in rows:
        first, *rest = row
        cells = [element("td", cell, class_=c) for cell, c in zip(rest, classes[1:], strict=True)]
        body.append(element("tr", element("th", first, scope="row", class_=classes[0]), *cells))
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", *head)),
            element("tbody", *body),
        ),
        class_="scroll",
        role="region",
        aria_label=caption,
        tabindex=0,
    )
