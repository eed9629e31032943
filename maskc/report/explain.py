"""What ``maskc explain`` and ``maskc check`` found: what may come next, or what is illegal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from maskc.explain import (
    Cause,
    Causes,
    Death,
    Explanation,
    Keyword,
    Problem,
    Refusal,
    TextReading,
    TokenGroup,
    TokenVerdict,
    Warmth,
    line_and_column_of,
)
from maskc.report import (
    MAX_NAMES,
    Block,
    Heat,
    Lines,
    Report,
    Table,
    Tokens,
    format_count,
    list_names,
    point_at,
    quote,
)
from maskc.vocab.vocabulary import quote_bytes

_MAX_NAME = 32  # characters of a name that others are lined up with
_MOST_KEYWORDS, _MOST_CHARACTERS = 12, 60  # of a schema; of a keyword's value
IGNORED = "ignored only"
MOST_TOKENS = 8  # of a group that are shown


def report_explanation(
    explanation: Explanation, heat: Sequence[Warmth] = (), most: int | None = MOST_TOKENS
) -> Report:
    """Return what may come next, with ``most`` tokens of a group at most (``None``: all)."""
    data = {field.name: getattr(explanation, field.name) for field in fields(explanation)}
    some = None if most is None else 2 * most  # of all
    data["examples"] = data.pop("tokens")[:some]
    data["groups"] = [
        {
            "name": g.name,
            "literal": g.literal,
            "n_tokens": len(g.tokens),
            "examples": g.tokens[:most],
        }
        for g in explanation.groups
    ]
    for name in ("death", "token"):
        data[name] = None if data[name] is None else asdict(data[name])
    data["readings"] = [asdict(reading) for reading in explanation.readings]
    blocks: list[Block] = [Lines(_say_explanation(explanation, most))]
    if heat:
        data["heat"] = [asdict(warmth) for warmth in heat]
        blocks.append(Heat([(warmth.token, warmth.n_legal) for warmth in heat]))
    return Report(_encode(data), blocks)


def _encode(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    return [_encode(item) for item in value] if isinstance(value, list | tuple) else value


def _say_explanation(explanation: Explanation, most: int | None) -> Iterator[str]:
    text, death, readings = explanation.text, explanation.death, explanation.readings
    yield f"after {quote(text)}"
    if death is not None:
        line, column = line_and_column_of(text, death.offset)
        yield f"  illegal at line {line}, column {column}"
        yield from (f"  {shown}" for shown in point_at(text, death.offset))
        yield from say_death(death, text)
        yield from _say_legal(explanation, "legal tokens there", most)
        return
    for number, reading in enumerate(readings, 1):
        if len(readings) > 1:
            yield f"reading {number} of {len(readings)}"
        yield from say_reading(reading)
    yield f"  the text may end here: {'yes' if explanation.may_end else 'no'}"
    if explanation.forced:
        yield f"  what must come next: {quote(explanation.forced)}"
    yield from _say_legal(explanation, "legal tokens", most)
    if explanation.token is not None:
        yield from say_token(explanation.token)


def _say_legal(explanation: Explanation, title: str, most: int | None) -> Iterator[str]:
    """Yield which tokens are legal: by terminal, where there are any."""
    n_legal, n_tokens = format_count(explanation.n_legal), format_count(explanation.n_tokens)
    heading = f"  {title}: {n_legal} of {n_tokens}"
    groups = explanation.groups
    if not groups:
        some = None if most is None else 2 * most
        shown = str(_some_of(explanation.tokens, explanation.n_legal, some))
        yield f"{heading}: {shown}" if shown else heading
        return
    yield heading
    names = [name_group(group) for group in (groups[:MAX_NAMES] if most else groups)]
    width = min(max(map(len, names)), _MAX_NAME)
    for name, group in zip(names, groups, strict=False):
        n_group = len(group.tokens)
        examples = _some_of(group.tokens, n_group, most)
        yield f"    {name:<{width}}  {format_count(n_group):>7}  {examples}"
    if len(groups) > len(names):
        yield f"    and {format_count(len(groups) - len(names))} more terminals"


def name_group(group: TokenGroup) -> str:
    return IGNORED if group.name is None else f"{group.name} {group.literal}".rstrip()


def _some_of(tokens: Sequence[bytes], n_tokens: int, most: int | None) -> Tokens:
    return Tokens(tuple(tokens[:most]), n_tokens - len(tokens[:most]))


def list_groups(explanation: Explanation) -> Table:
    """Return the legal tokens by terminal."""
    rows = [
        (
            name_group(group),
            format_count(len(group.tokens)),
            _some_of(group.tokens, len(group.tokens), MOST_TOKENS),
        )
        for group in explanation.groups
    ]
    columns = ("terminal", "tokens", "some of them")
    return Table("Legal tokens by terminal", columns, rows, ("tokens",), most=MAX_NAMES)


def say_reading(reading: TextReading) -> Iterator[str]:
    yield from (f"  rule: {item}" for item in reading.items)
    becomes = (*reading.may_become, *["something ignored"] * reading.may_be_ignored)
    if reading.lexeme:
        yield f"  open lexeme: {quote(reading.lexeme)}"
    yield f"  {'it may become' if reading.lexeme else 'next'}: {list_names(becomes)}"
    for ending in reading.endings:
        what = "ignored" if ending.terminal is None else f"as {ending.terminal}"
        yield f"  if it ends here {what}, next: {list_names(ending.following)}"


def say_token(verdict: TokenVerdict) -> Iterator[str]:
    """Yield the lines of whether a token is legal, and why."""
    name = f"token {verdict.token_id}" if verdict.token_id is not None else "no token, the text"
    shown = "(special)" if verdict.token is None else quote(verdict.token)
    yield f"{name} {shown}: {'legal' if verdict.is_legal else 'illegal'}"
    if verdict.token is not None and verdict.death is not None:
        yield from say_death(verdict.death, verdict.token)
    elif verdict.token is not None:
        for reading in verdict.readings:
            yield from say_reading(reading)


def say_death(death: Death | Refusal, text: bytes) -> Iterator[str]:
    good, byte = text[: max(0, death.offset)], quote_bytes(bytes([death.byte]))
    where = f"after {quote(good)} " if good else ""
    if isinstance(death, Refusal):
        yield f"  {where}the byte {byte} at offset {death.offset} is forbidden"
        yield from _say_refusal(death)
        return
    yield f"  {where}no parse survives the byte {byte} at offset {death.offset}"
    for cause in death.causes:
        yield f"  - {_say_cause(cause, byte)}"
        yield f"    the parser accepts: {list_names(cause.expected)}"
        yield from (f"    rule: {item}" for item in cause.items)


def _say_cause(cause: Cause, byte: str) -> str:
    """Return why a reading dies of a byte, which is given as it is shown."""
    lexeme = quote(cause.lexeme)
    if cause.ended_as is not None:
        before = f"{lexeme} ends as {cause.ended_as}, and "
        if cause.refused:
            return f"{before}the parser does not accept {list_names(cause.refused)} after it"
        return f"{before}no terminal that may follow it begins with {byte}"
    if cause.blocks:
        columns = ", ".join(map(str, cause.blocks))
        return f"the indentation of {lexeme} fits no block; the open blocks begin at {columns}"
    if cause.refused:
        return f"{lexeme} would be {list_names(cause.refused)}, which the parser does not accept"
    if cause.lexeme:
        return f"no terminal that begins with {lexeme} continues with {byte}"
    return f"no terminal begins with {byte}"


def _say_refusal(refusal: Refusal) -> Iterator[str]:
    """Yield which keywords of a schema, or which layout, forbid a text."""
    if refusal.layout:
        yield f"  by the layout: {', '.join(refusal.layout)}"
    elif refusal.causes is None:
        yield "  by every schema: no JSON text continues this way, or a key would be repeated"
    else:
        alone = refusal.causes.alone
        how = ("without" if alone else "only without all of") + " any one of" * (len(alone) > 1)
        yield f"  by the schema; it would be legal {how}"
        shown, n_more = _list_keywords(refusal.causes)
        yield from (f"  - {keyword}" for keyword in shown)
        if n_more:
            yield f"  - and {n_more} more"
        if not refusal.causes.is_complete:
            yield "  the schema is too large to try every keyword"


def say_reason(refusal: Refusal) -> str:
    """Return in a few words what forbids the byte at which a text dies.

    Example: ``forbidden by /properties/id/format: "uuid"``.
    """
    if refusal.layout:
        return f"forbidden by the layout: {', '.join(refusal.layout)}"
    if refusal.causes is None:
        return "no JSON text continues this way, or a key is repeated"
    shown, n_more = _list_keywords(refusal.causes)
    if not shown:
        return "the schema forbids it, but is too large to find the keyword"
    how = " together with " if refusal.causes.alone else ", and by "
    return f"forbidden by {how.join([*shown, *[f'{n_more} more'] * (n_more > 0)])}"


def _list_keywords(causes: Causes) -> tuple[list[str], int]:
    """Return the first keywords that forbid a text, and how many more there are."""
    found = causes.alone or causes.together
    shown = [_say_keyword(keyword) for keyword in found[:_MOST_KEYWORDS]]
    return shown, len(found) - len(shown)


def _say_keyword(keyword: Keyword) -> str:
    value = json.dumps(keyword.value, ensure_ascii=False, default=float)
    if len(value) > _MOST_CHARACTERS:
        value = f"{value[:_MOST_CHARACTERS]}…"
    return f"{keyword.pointer or 'the whole schema'}: {value}"


def report_files(checked: Iterable[tuple[str, Problem | None, bytes]]) -> Report:
    """Return what ``maskc check`` found in files.

    Of each that is wrong ``name:line:column: what is wrong; expected: …``, as compilers say it.
    """
    data: list[dict[str, Any]] = []
    lines = []
    for name, problem, text in checked:
        data.append({"file": name, "is_right": problem is None})
        if problem is not None:
            said = _say_problem(problem, text)
            places = {part: getattr(problem, part) for part in ("offset", "line", "column")}
            expected = list(find_expected(problem.explanation))
            data[-1] |= {**places, "message": said, "expected": expected}
            lines.append(f"{name}:{problem.line}:{problem.column}: {said}")
    return Report(data, [Lines(lines)])


def find_expected(explanation: Explanation) -> tuple[str, ...]:
    """Return the terminals that may stand where a text is wrong, as far as it has any."""
    if isinstance(explanation.death, Death):
        return tuple(sorted({name for c in explanation.death.causes for name in c.expected}))
    if explanation.death is not None:
        return ()
    found: set[str] = set()
    for reading in explanation.readings:
        # An open lexeme that can end here is followed by others; if not, it must go on.
        following = [ending.following for ending in reading.endings]
        found.update(*following) if following else found.update(reading.may_become)
    return tuple(sorted(found))


def _say_problem(problem: Problem, text: bytes) -> str:
    death = problem.explanation.death
    if death is None:
        said = "the text ends too early"
        if problem.explanation.forced:
            return f"{said}; expected: {quote_bytes(problem.explanation.forced)}"
    else:
        character = _quote_character(text, death.offset)
        if isinstance(death, Refusal):
            return f"unexpected {character}; {say_reason(death)}"
        said = _say_unexpected(death, character)
    expected = find_expected(problem.explanation)
    return f"{said}; expected: {list_names(expected)}" if expected else said


def _quote_character(text: bytes, offset: int) -> str:
    """Return the whole character at a byte: any of its bytes can be the wrong one."""
    start = offset
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return quote_bytes(text[start : start + 4].decode(errors="replace")[:1].encode())


def _say_unexpected(death: Death, character: str) -> str:
    for cause in death.causes:
        if cause.blocks:
            return _say_cause(cause, character)
    refused = sorted({name for cause in death.causes for name in cause.refused})
    return f"unexpected {character}" + (f" ({list_names(tuple(refused))})" if refused else "")
