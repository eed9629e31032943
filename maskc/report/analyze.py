"""What ``maskc analyze`` found, for a person."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from maskc.pushdown.questions import (
    AlwaysAnswer,
    ClassesAnswer,
    FollowAnswer,
    JointAnswer,
    NeverAnswer,
    OverviewAnswer,
)
from maskc.report.render import format_count, make_console, make_facts, make_table

MAX_PATTERN = 60  # of a longer one, so much is shown

Answer = AlwaysAnswer | ClassesAnswer | FollowAnswer | JointAnswer | NeverAnswer | OverviewAnswer


def to_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer for ``--json``."""
    return asdict(answer)


def print_answer(answer: Answer) -> None:
    """Print an answer on standard output."""
    console = make_console()
    match answer:
        case NeverAnswer():
            console.print(_say_never(answer), soft_wrap=True)
        case AlwaysAnswer():
            console.print(_say_always(answer), soft_wrap=True)
            console.print(make_facts(_list_always(answer)))
        case JointAnswer():
            console.print(_say_joint(answer), soft_wrap=True)
        case FollowAnswer():
            for name in answer.followers:
                console.print(name)
        case ClassesAnswer():
            _print_classes(answer)
        case OverviewAnswer():
            console.print(make_facts((k, format_count(n)) for k, n in answer.counts.items()))
            rows = [(verdict, format_count(n)) for verdict, n in answer.pairs.items() if n]
            columns = ("is the second legal after the first?", "pairs")
            title = "\nPairs of terminals"
            console.print(make_table(title, columns, rows, numbers=("pairs",)))


def _say_never(answer: NeverAnswer) -> str:
    words = " ".join((answer.x, *answer.sequence))
    if answer.unused:
        return f"never-legal: {', '.join(answer.unused)} is in no production that a text uses"
    if answer.never_legal:
        return f"never-legal: no text has {words}"
    return f"not never-legal: some text has {words}"


def _say_always(answer: AlwaysAnswer) -> str:
    words = " ".join(answer.sequence) or "nothing"
    if answer.always_legal:
        return f"always-legal: wherever {answer.x} is legal, {words} is legal after it"
    if answer.verdict == "depends" and answer.lalr_verdict in ("depends", None):
        return f"unknown: after {answer.x}, whether {words} is legal depends on the stack"
    return f"unknown: it is not proven that {words} is always legal after {answer.x}"


def _list_always(answer: AlwaysAnswer) -> list[tuple[str, str]]:
    facts = [("by the productions", answer.verdict)]
    if answer.lalr_verdict:
        facts += [
            ("by Lark's table", answer.lalr_verdict),
            ("conflicts resolved by Lark", format_count(answer.n_conflicts)),
        ]
    return facts


def _say_joint(answer: JointAnswer) -> str:
    both = f"{' '.join(answer.one) or 'nothing'} and {' '.join(answer.other) or 'nothing'}"
    if answer.lalr_jointly_legal:
        reason = answer.reason or "Lark's table gives both the same verdict on all stacks"
        return f"jointly legal after {answer.x}: {both} ({reason})"
    if answer.jointly_legal:
        return (
            f"jointly legal after {answer.x} by the productions: {both} ({answer.reason}); "
            f"not proven for Lark's table, which resolves {answer.n_conflicts} conflicts"
        )
    return f"unknown: it is not proven that {both} are jointly legal after {answer.x}"


def _print_classes(answer: ClassesAnswer) -> None:
    console = make_console()
    if not answer.classes:
        console.print("no two terminals are interchangeable")
        return
    rows = [
        (str(number), name, _shorten(answer.texts[name]))
        for number, members in enumerate(answer.classes, 1)
        for name in members
    ]
    columns = ("class", "terminal", "pattern")
    console.print(make_table("Interchangeable terminals", columns, rows, numbers=("class",)))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_PATTERN else f"{text[: MAX_PATTERN - 1]}…"
