"""What ``maskc explain`` found, for a person and for a program."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from maskc.explain.model import Cause, Death, Explanation, Names, Reading, Refusal, TokenVerdict
from maskc.report.refusals import quote, say_refusal
from maskc.report.render import format_count, format_lexemes, make_console

MAX_NAMES = 24  # of a longer list, so much is shown


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
        return [*lines, "  illegal", *_say_death(explanation.death, explanation.text)]
    for number, reading in enumerate(explanation.readings, 1):
        if len(explanation.readings) > 1:
            lines.append(f"reading {number} of {len(explanation.readings)}")
        lines += _say_reading(reading)
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


def _say_reading(reading: Reading) -> list[str]:
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


def _say_token(verdict: TokenVerdict[Any]) -> list[str]:
    name = f"token {verdict.token_id}" if verdict.token_id is not None else "no token, the text"
    if verdict.token is None:
        return [f"{name} (special): {'legal' if verdict.is_legal else 'illegal'}"]
    heading = f"{name} {quote(verdict.token)}: {'legal' if verdict.is_legal else 'illegal'}"
    if verdict.death is not None:
        return [heading, *_say_death(verdict.death, verdict.token)]
    return [heading, *(line for reading in verdict.readings for line in _say_reading(reading))]


def _say_death(death: Death | Refusal, text: bytes) -> list[str]:
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
