"""HTML and SVG as text in which whatever came from a grammar is only ever text.

``element`` escapes its attributes and every child that is not itself made by ``element``: names of
terminals, grammars and files cannot become markup by being forgotten somewhere.

Example:
>>> element("li", "<b>", element("b", "x"), title='"')
'<li title="&quot;">&lt;b&gt;<b>x</b></li>'
"""

from __future__ import annotations

import html
from collections.abc import Iterable

# Elements that end with their start tag; in SVG, `path` and its like are closed in full.
_VOID = frozenset({"br", "col", "hr", "meta"})

Attribute = str | int | float | None


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: Attribute) -> Html:
    """Return an element.

    Args:
        name: the tag.
        children: in order; a plain string is text.
        attributes: ``None`` leaves one out; ``class_`` is ``class``, and ``_`` stands for ``-``.
    """
    start = "".join([name, *(_format_attribute(k, v) for k, v in attributes.items())])
    if name in _VOID:
        return Html(f"<{start}>")
    return Html(f"<{start}>{join(children)}</{name}>")


def join(parts: Iterable[str]) -> Html:
    """Return parts one after another; plain strings among them are text."""
    return Html("".join(p if isinstance(p, Html) else html.escape(p, quote=False) for p in parts))


def _format_attribute(name: str, value: Attribute) -> str:
    if value is None:
        return ""
    text = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
    return f' {name.rstrip("_").replace("_", "-")}="{html.escape(text)}"'
