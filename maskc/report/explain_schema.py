"""What ``maskc explain`` found about a JSON Schema, for a person and for a program."""

from __future__ import annotations

import json
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from maskc.explain.causes import Causes, Keyword
from maskc.explain.schemas import Refusal, SchemaExplanation, SchemaVerdict
from maskc.report.explain import encode_bytes, quote
from maskc.report.render import format_count, format_lexemes, make_console

_MOST_SHOWN = 12
_MOST_CHARACTERS = 60


def to_dict(explanation: SchemaExplanation) -> dict[str, Any]:
    """Return an explanation for ``--json``; bytes become text where they are text."""
    found = encode_bytes(_plain(asdict(explanation)))
    if not isinstance(found, dict):
        raise ValueError("an explanation is a map")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def print_schema_explanation(explanation: SchemaExplanation) -> None:
    """Print an explanation on standard output."""
    console = make_console()
    for line in _list_lines(explanation):
        console.print(line, soft_wrap=True)


def _list_lines(explanation: SchemaExplanation) -> list[str]:
    lines = [f"after {quote(explanation.text)}"]
    if explanation.refusal is not None:
        return [*lines, "  illegal", *_say_refusal(explanation.refusal, explanation.text)]
    lines.append(f"  the text may end here: {'yes' if explanation.may_end else 'no'}")
    if explanation.forced:
        lines.append(f"  what must come next: {quote(explanation.forced)}")
    examples = " ".join(map(format_lexemes, explanation.examples))
    lines.append(
        f"  legal tokens: {format_count(explanation.n_legal)} of "
        f"{format_count(explanation.n_tokens)}: {examples}".rstrip(": ")
    )
    if explanation.token is not None:
        lines += _say_token(explanation.token)
    return lines


def _say_token(verdict: SchemaVerdict) -> list[str]:
    name = f"token {verdict.token_id}" if verdict.token_id is not None else "no token, the text"
    legal = "legal" if verdict.is_legal else "illegal"
    if verdict.token is None:
        return [f"{name} (special): {legal}"]
    heading = f"{name} {quote(verdict.token)}: {legal}"
    if verdict.refusal is None:
        return [heading]
    return [heading, *_say_refusal(verdict.refusal, verdict.token)]


def _say_refusal(refusal: Refusal, text: bytes) -> list[str]:
    good = text[: refusal.offset] if refusal.offset > 0 else b""
    where = f"after {quote(good)} " if good else ""
    byte = format_lexemes(bytes([refusal.byte]))
    lines = [f"  {where}the byte {byte} (offset {refusal.offset}) is forbidden"]
    if refusal.layout:
        return [*lines, f"  by the layout: {', '.join(refusal.layout)}"]
    if refusal.causes is None:
        return [*lines, "  by every schema: no JSON text goes on so, or a key comes twice"]
    return [*lines, *_say_causes(refusal.causes)]


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
    value = json.dumps(_plain(keyword.value), ensure_ascii=False)
    if len(value) > _MOST_CHARACTERS:
        value = f"{value[:_MOST_CHARACTERS]}…"
    return f"{keyword.pointer or 'the whole schema'}: {value}"
