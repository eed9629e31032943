"""What ``maskc check`` found in a file, as one line of a compiler's kind and for a program."""

from __future__ import annotations

from typing import Any

from maskc.explain.checking import Problem
from maskc.explain.model import Death, Explanation, Refusal
from maskc.report.explain import list_names, say_cause
from maskc.report.refusals import say_reason
from maskc.report.render import format_lexemes


def say_problem(name: str, problem: Problem, text: bytes) -> str:
    """Return ``name:line:column: what is wrong; expected: …``."""
    return f"{name}:{problem.line}:{problem.column}: {_say(problem, text)}"


def to_dict(name: str, problem: Problem | None, text: bytes) -> dict[str, Any]:
    """Return a file's result for ``--json``."""
    if problem is None:
        return {"file": name, "is_right": True}
    return {
        "file": name,
        "is_right": False,
        "offset": problem.offset,
        "line": problem.line,
        "column": problem.column,
        "message": _say(problem, text),
        "expected": list(find_expected(problem.explanation)),
    }


def find_expected(explanation: Explanation[Any]) -> tuple[str, ...]:
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


def _quote_character(text: bytes, offset: int) -> str:
    """Return the whole character at a byte: any of its bytes can be the wrong one."""
    start = offset
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return format_lexemes(text[start : start + 4].decode(errors="replace")[:1].encode())


def _say_death(death: Death, character: str) -> str:
    for cause in death.causes:
        if cause.blocks:
            return say_cause(cause, character)
    refused = sorted({name for cause in death.causes for name in cause.refused})
    return f"unexpected {character}" + (f" ({list_names(tuple(refused))})" if refused else "")


def _say(problem: Problem, text: bytes) -> str:
    death = problem.explanation.death
    if isinstance(death, Refusal):
        return f"unexpected {_quote_character(text, death.offset)}; {say_reason(death)}"
    if death is None:
        said = "the text ends too early"
        forced = problem.explanation.forced
        if forced:
            return f"{said}; expected: {format_lexemes(forced)}"
    else:
        said = _say_death(death, _quote_character(text, death.offset))
    expected = find_expected(problem.explanation)
    return f"{said}; expected: {list_names(expected)}" if expected else said
