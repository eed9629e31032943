"""What ``maskc analyze`` found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from maskc.compiler.pushdown.queries import (
    AlwaysAnswer,
    ClassesAnswer,
    FollowAnswer,
    JointAnswer,
    NeverAnswer,
    OverviewAnswer,
)
from maskc.report.formats import format_count
from maskc.report.model import Block, Facts, Lines, Report, Table

_MAX_PATTERN = 60  # of a longer one, so much is shown

Answer = AlwaysAnswer | ClassesAnswer | FollowAnswer | JointAnswer | NeverAnswer | OverviewAnswer


def report_answer(answer: Answer) -> Report:
    return Report(asdict(answer), _list_blocks(answer))


def tabulate_answer(answer: Answer) -> list[list[Any]]:
    """Return the rows of an answer for a program, the names of the columns first."""
    match answer:
        case FollowAnswer():
            return [["terminal"], *([name] for name in answer.followers)]
        case ClassesAnswer():
            members = ((n, name) for n, found in enumerate(answer.classes, 1) for name in found)
            rows = [[n, name, answer.texts[name]] for n, name in members]
            return [["class", "terminal", "pattern"], *rows]
        case OverviewAnswer():
            counted = [*answer.counts.items(), *(answer.pairs.items())]
            return [["of", "number"], *map(list, counted)]
    values = asdict(answer)
    row = [" ".join(v) if isinstance(v, list | tuple) else v for v in values.values()]
    return [list(values), row]


def _list_blocks(answer: Answer) -> Iterator[Block]:
    match answer:
        case NeverAnswer():
            yield Lines([_say_never(answer)])
        case AlwaysAnswer():
            yield Lines([_say_always(answer)])
            facts = [("by the productions", answer.verdict)]
            if answer.lalr_verdict:
                n_conflicts = format_count(answer.n_conflicts)
                facts.append(("by Lark's table", answer.lalr_verdict))
                facts.append(("conflicts resolved by Lark", n_conflicts))
            yield Facts(facts)
        case JointAnswer():
            yield Lines([_say_joint(answer)])
        case FollowAnswer():
            yield Lines(answer.followers)
        case ClassesAnswer() if not answer.classes:
            yield Lines(["no two terminals are interchangeable"])
        case ClassesAnswer():
            members_of = [
                (str(number), name, _shorten(answer.texts[name]))
                for number, members in enumerate(answer.classes, 1)
                for name in members
            ]
            columns: tuple[str, ...] = ("class", "terminal", "pattern")
            yield Table("Interchangeable terminals", columns, members_of, ("class",))
        case OverviewAnswer():
            yield Facts([(name, format_count(n)) for name, n in answer.counts.items()])
            pairs = [(verdict, format_count(n)) for verdict, n in answer.pairs.items() if n]
            columns = ("is the second legal after the first?", "pairs")
            yield Table("\nPairs of terminals", columns, pairs, ("pairs",))


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


def _say_joint(answer: JointAnswer) -> str:
    both = f"{' '.join(answer.one) or 'nothing'} and {' '.join(answer.other) or 'nothing'}"
    if answer.lalr_jointly_legal:
        reason = answer.reason or "Lark's table has the same verdict for both on every stack"
        return f"jointly legal after {answer.x}: {both} ({reason})"
    if answer.jointly_legal:
        return (
            f"jointly legal after {answer.x} by the productions: {both} ({answer.reason}); "
            f"not proven for Lark's table, which resolves {answer.n_conflicts} conflicts"
        )
    return f"unknown: it is not proven that {both} are jointly legal after {answer.x}"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_PATTERN else f"{text[: _MAX_PATTERN - 1]}…"
