"""What ``maskc explain`` found, for a person and for a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from maskc.explain.checking import place_of
from maskc.explain.model import Cause, Death, Explanation, Names, Reading, Refusal, TokenVerdict
from maskc.report.caret import point_at
from maskc.report.refusals import quote, say_refusal
from maskc.report.render import format_count, format_lexemes, make_console

MAX_NAMES = 24  # of a longer list, so much is shown
_MAX_NAME = 32  # characters of a name that others are lined up with
IGNORED = "ignored only"


def to_dict(explanation: Explanation[Any]) -> dict[str, Any]:
    """Return an explanation for ``--json``; bytes become text where they are text."""
    found = _encode(asdict(explanation))
    if not isinstance(found, dict):
        raise ValueError("an explanation is a map")
    return found


def _encode(value: Any) -> Any:
    """Return a value with its bytes as text, and its decimal numbers as floats."""
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encode(item) for item in value]
    return value


def print_explanation(explanation: Explanation[Any]) -> None:
    """Print an explanation on standard output."""
    lines = list(_list_lines(explanation))
    console = make_console()
    for line in lines:
        console.print(line, soft_wrap=True)


def _list_lines(explanation: Explanation[Any]) -> list[str]:
    lines = [f"after {quote(explanation.text)}"]
    if explanation.death is not None:
        death, text = explanation.death, explanation.text
        line, column = place_of(text, death.offset)
        pointed = [f"  {shown}" for shown in point_at(text, death.offset)]
        heading = f"  illegal at line {line}, column {column}"
        return [*lines, heading, *pointed, *say_death(death, text)]
    for number, reading in enumerate(explanation.readings, 1):
        if len(explanation.readings) > 1:
            lines.append(f"reading {number} of {len(explanation.readings)}")
        lines += say_reading(reading)
    lines.append(f"  the text may end here: {'yes' if explanation.may_end else 'no'}")
    if explanation.forced:
        lines.append(f"  what must come next: {quote(explanation.forced)}")
    lines += say_legal(explanation)
    if explanation.token is not None:
        lines += say_token(explanation.token)
    return lines


def say_legal(explanation: Explanation[Any]) -> list[str]:
    """Return which tokens are legal: by terminal, where there are any."""
    heading = (
        f"  legal tokens: {format_count(explanation.n_legal)} of "
        f"{format_count(explanation.n_tokens)}"
    )
    if not explanation.groups:
        shown = _say_examples(explanation.examples, explanation.n_legal)
        return [f"{heading}: {shown}" if shown else heading]
    names = [group.name or IGNORED for group in explanation.groups[:MAX_NAMES]]
    width = min(max(map(len, names)), _MAX_NAME)
    lines = [heading]
    for name, group in zip(names, explanation.groups, strict=False):
        examples = _say_examples(group.examples, group.n_tokens)
        lines.append(f"    {name:<{width}}  {format_count(group.n_tokens):>7}  {examples}")
    more = len(explanation.groups) - len(names)
    return [*lines, f"    and {format_count(more)} more terminals"] if more else lines


def _say_examples(examples: Sequence[bytes], n_tokens: int) -> str:
    """Return some tokens, and how many more there are."""
    shown, more = " ".join(map(format_lexemes, examples)), n_tokens - len(examples)
    return f"{shown} and {format_count(more)} more" if shown and more > 0 else shown


def say_reading(reading: Reading) -> list[str]:
    """Return the lines of one way to read the text."""
    lines = [f"  reading: {item}" for item in reading.items]
    becomes = list(reading.may_become)
    if reading.may_be_ignored:
        becomes.append("something ignored")
    if reading.lexeme:
        lines.append(f"  open lexeme: {quote(reading.lexeme)}")
        lines.append(f"  it may become: {list_names(tuple(becomes))}")
    else:
        lines.append(f"  next: {list_names(tuple(becomes))}")
    for ending in reading.endings:
        what = "ignored" if ending.terminal is None else f"as {ending.terminal}"
        lines.append(f"  if it ends here {what}, next: {list_names(ending.following)}")
    return lines


def say_token(verdict: TokenVerdict[Any]) -> list[str]:
    """Return the lines of whether a token is legal, and why."""
    name = f"token {verdict.token_id}" if verdict.token_id is not None else "no token, the text"
    if verdict.token is None:
        return [f"{name} (special): {'legal' if verdict.is_legal else 'illegal'}"]
    heading = f"{name} {quote(verdict.token)}: {'legal' if verdict.is_legal else 'illegal'}"
    if verdict.death is not None:
        return [heading, *say_death(verdict.death, verdict.token)]
    return [heading, *(line for reading in verdict.readings for line in say_reading(reading))]


def say_death(death: Death | Refusal, text: bytes) -> list[str]:
    """Return the lines of where and of what a text dies."""
    if isinstance(death, Refusal):
        return say_refusal(death, text)
    good = text[: death.offset]
    where = f"after {quote(good)} " if good else ""
    byte = format_lexemes(bytes([death.byte]))
    lines = [f"  {where}every reading dies of the byte {byte} (offset {death.offset})"]
    for cause in death.causes:
        lines.append(f"  - {say_cause(cause, byte)}")
        lines.append(f"    the parser takes: {list_names(cause.expected)}")
        lines += [f"    reading: {item}" for item in cause.items]
    return lines


def say_cause(cause: Cause, byte: str) -> str:
    """Return why a reading dies of a byte, which is given as it is shown."""
    lexeme = quote(cause.lexeme)
    if cause.ended_as is not None:
        before = f"{lexeme} ends as {cause.ended_as}, and after it "
        if cause.refused:
            return f"{before}{byte} begins {list_names(cause.refused)}, which the parser refuses"
        return f"{before}no terminal that may come begins with {byte}"
    if cause.blocks:
        columns = ", ".join(map(str, cause.blocks))
        return f"the indentation of {lexeme} fits no block: those that are open begin at {columns}"
    if cause.refused:
        return f"{lexeme} would be {list_names(cause.refused)}, which the parser refuses"
    if cause.lexeme:
        return f"no terminal that begins with {lexeme} goes on with {byte}"
    return f"no terminal begins with {byte}"


def list_names(names: Names) -> str:
    """Return names with commas; of many the first, and how many more there are."""
    more = len(names) - MAX_NAMES
    listed = ", ".join(names[:MAX_NAMES]) or "nothing"
    return f"{listed} and {more} more" if more > 0 else listed
