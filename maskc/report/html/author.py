"""The first sections of the page: the rules, the terminals, and a text of the user's."""

from __future__ import annotations

from maskc.report.author import AuthorView, warmth_of
from maskc.report.explain import IGNORED, say_death
from maskc.report.html.blocks import make_paragraph, make_section, make_table
from maskc.report.html.markup import Html, element
from maskc.report.html.railroad import build_rules
from maskc.report.render import format_count, format_lexemes


def build_author(view: AuthorView) -> list[Html]:
    """Return links to the sections, and the sections."""
    heat = [_build_heat(view)] if view.heat else []
    links = [
        ("rules", "Rules"),
        ("terminals", "Terminals"),
        *([("heat", "How much choice there was")] if heat else []),
        ("next", "What may come next"),
        ("artifact", "Artifact"),
    ]
    listed = [element("li", element("a", title, href=f"#{anchor}")) for anchor, title in links]
    navigation = element("nav", element("ul", *listed), aria_label="Sections")
    return [navigation, build_rules(view.rules), _build_terminals(view), *heat, _build_sample(view)]


def _build_terminals(view: AuthorView) -> Html:
    rows = [(row.name, element("code", row.pattern), row.note) for row in view.terminals]
    columns = ("terminal", "what it matches", "")
    return make_section("terminals", "Terminals", make_table("Patterns of re", columns, rows))


def _build_heat(view: AuthorView) -> Html:
    parts = [
        element(
            "span",
            _show(part.token),
            class_=f"w{warmth_of(part.n_legal)}",
            title=f"{format_count(part.n_legal)} legal",
        )
        for part in view.heat
    ]
    rows = [(_show(part.token), format_count(part.n_legal)) for part in view.heat]
    table = make_table("Tokens of the text", ("token", "legal"), rows, numbers=("legal",))
    return make_section(
        "heat",
        "How much choice there was",
        make_paragraph(
            "Each token of the text; the stronger its colour, the more tokens were legal in its "
            "place, and plain is no choice. It is cut at the longest legal token, which a "
            "tokenizer may do otherwise."
        ),
        element("p", *parts, class_="heat"),
        element("details", element("summary", "As a table"), table),
    )


def _build_sample(view: AuthorView) -> Html:
    found = view.sample
    title = "What may come next"
    where = format_lexemes(view.text) if view.text else "the start of a text"
    if found.death is not None:
        why = [element("li", line.strip(" -")) for line in say_death(found.death, view.text)]
        return make_section(
            "next", title, make_paragraph(f"The text {where} is illegal."), element("ul", *why)
        )
    ending = "The text may end here." if found.may_end else "The text may not end here."
    rows = []
    for group in found.groups:
        examples = [element("code", _show(example), class_="token") for example in group.examples]
        more = group.n_tokens - len(examples)
        rest = [f" and {format_count(more)} more"] if more > 0 else []
        cell = element("span", *examples, *rest)
        rows.append((group.name or IGNORED, format_count(group.n_tokens), cell))
    columns = ("terminal", "tokens", "some of them")
    said = (
        f"After {where}, {format_count(found.n_legal)} of {format_count(found.n_tokens)} tokens "
        f"are legal. {ending}"
    )
    table = make_table("Legal tokens by terminal", columns, rows, numbers=("tokens",))
    return make_section("next", title, make_paragraph(said), table)


def _show(token: bytes) -> str:
    return format_lexemes(token)[1:-1]
