"""How is it said that a JSON Schema forbids a text?"""

from __future__ import annotations

import json

from maskc.explain.model import Causes, Keyword, Refusal
from maskc.report.render import format_lexemes

_MOST_SHOWN = 12
_MOST_CHARACTERS = 60
MAX_TEXT = 60


def say_refusal(refusal: Refusal, text: bytes) -> list[str]:
    """Return the lines that say which keywords, or which layout, forbid a text."""
    good = text[: refusal.offset] if refusal.offset > 0 else b""
    where = f"after {quote(good)} " if good else ""
    byte = format_lexemes(bytes([refusal.byte]))
    lines = [f"  {where}the byte {byte} (offset {refusal.offset}) is forbidden"]
    if refusal.layout:
        return [*lines, f"  by the layout: {', '.join(refusal.layout)}"]
    if refusal.causes is None:
        return [*lines, "  by every schema: no JSON text goes on so, or a key comes twice"]
    return [*lines, *_say_causes(refusal.causes)]


def say_reason(refusal: Refusal) -> str:
    """Return in a few words what forbids the byte at which a text dies.

    Example: ``forbidden by /properties/id/format: "uuid"``.
    """
    if refusal.layout:
        return f"forbidden by the layout: {', '.join(refusal.layout)}"
    causes = refusal.causes
    if causes is None:
        return "no JSON text goes on so, or a key comes twice"
    found = causes.alone or causes.together
    if not found:
        return "the schema forbids it, and is too large to say where"
    shown = [_say_keyword(keyword) for keyword in found[:_MOST_SHOWN]]
    if len(found) > _MOST_SHOWN:
        shown.append(f"{len(found) - _MOST_SHOWN} more")
    how = " together with " if causes.alone else ", and by "
    return f"forbidden by {how.join(shown)}"


def _say_causes(causes: Causes) -> list[str]:
    found = causes.alone or causes.together
    if causes.alone:
        lines = ["  by the schema; it would be legal without"]
        if len(causes.alone) > 1:
            lines = ["  by the schema; it would be legal without any one of"]
    else:
        lines = ["  by the schema; it would be legal only without all of"]
    lines += [f"  - {_say_keyword(keyword)}" for keyword in found[:_MOST_SHOWN]]
    if len(found) > _MOST_SHOWN:
        lines.append(f"  - and {len(found) - _MOST_SHOWN} more")
    if not causes.is_complete:
        lines.append("  the schema is too large to try all of its keywords")
    return lines


def _say_keyword(keyword: Keyword) -> str:
    value = json.dumps(keyword.value, ensure_ascii=False, default=float)
    if len(value) > _MOST_CHARACTERS:
        value = f"{value[:_MOST_CHARACTERS]}…"
    return f"{keyword.pointer or 'the whole schema'}: {value}"


def quote(text: bytes) -> str:
    """Return a text in quotes; of a long one the end."""
    shown = format_lexemes(text)
    return shown if len(shown) <= MAX_TEXT else f"…{shown[-MAX_TEXT:]}"
