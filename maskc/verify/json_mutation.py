"""Experiment 5 of a JSON Schema: is what is changed a little taken iff it is valid still?

Half of the changes are of a byte, as :mod:`maskc.verify.mutation` makes them, and half of the
value: something in it is left out, doubled, put in the place of something else, or becomes a little
longer, larger or smaller. The judge's verdict on the whole new text must be the artifact's.

Example: of ``{"a": 1}`` come ``{"a": 1``, ``{}``, ``{"a": 2}``, ``{"a": {"a": 1}}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from maskc.verify.json_judge import NotJudgedError, read_json, write_value
from maskc.verify.json_layout import Layout, lay_out
from maskc.verify.json_schema import SchemaSubject
from maskc.verify.model import Experiment, Unit, place_of
from maskc.verify.mutation import draw_mutations

PER_DOCUMENT = 5  # mutations of one document
MOST_CHARACTERS = 20_000  # longer texts if there are no other

_OTHERS: tuple[Any, ...] = (None, True, False, 0, 1, -1, Fraction(1, 2), "", "a", [], {}, [0])
COUNTS = (
    "mutated texts",
    "of a byte",
    "of the value",
    "that are not UTF-8",
    "that the judge takes",
    "that the judge refuses",
    "that the judge does not decide",
)


def check_mutations(subject: SchemaSubject, unit: Unit, found: Experiment) -> None:
    """Check some mutations of a unit's text."""
    document, draw = unit.about, Random(unit.seed)
    for name in COUNTS:
        found.count(name, 0)
    value, n_values = None, unit.amount // 2
    try:
        value = read_json(document.text)
    except NotJudgedError:
        n_values = 0
    changed = [
        (f"the byte at offset {mutation.offset} is {mutation.kind}", mutation.data)
        for mutation in draw_mutations(document.data, unit.amount - n_values, draw)
    ]
    found.count("of a byte", len(changed))
    for how, other in draw_values(value, n_values, draw):
        found.count("of the value")
        text = lay_out(write_value(other), draw.choice(list(Layout)))
        changed.append((how, text.encode()))
    for how, data in changed:
        _check(subject, document.name, how, data, found)


def _check(subject: SchemaSubject, name: str, how: str, data: bytes, found: Experiment) -> None:
    found.count("mutated texts")
    matcher, refused_at = subject.artifact.matcher(), len(data)
    for offset in range(len(data)):
        if not matcher.accept_bytes(data[offset : offset + 1]):
            refused_at = offset
            break
    is_taken = refused_at == len(data) and matcher.is_accepting
    try:
        verdict = subject.decide(data.decode())
    except UnicodeDecodeError:
        found.count("that are not UTF-8")
        verdict = False
    if verdict is None:
        found.count("that the judge does not decide")
        return
    found.count("that the judge takes" if verdict else "that the judge refuses")
    if is_taken != verdict:
        found.fail(
            what="a text that the judge refuses is accepted"
            if is_taken
            else "a text that the judge takes is refused",
            file=name,
            mutation=how,
            **place_of(data, refused_at),
        )


def draw_values(value: Any, count: int, draw: Random) -> Iterator[tuple[str, Any]]:
    """Yield how a value was changed at one place, and what it is then.

    Args:
        value: as :func:`maskc.verify.json_judge.read_json` returns it; not changed.
        count: how many to yield.
        draw: of the places and changes.
    """
    places = list(_list_places(value))
    for _ in range(count):
        place, here = draw.choice(places)
        how, others = draw.choice(_CHANGES)
        other = others(here, draw, [inner for _, inner in places])
        shown = "".join(f"/{step}" for step in place) or "the whole"
        yield f"{shown} is {how}", _replaced(value, place, other)


def _list_places(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the path and the value of each value inside one, and its own."""
    open_: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while open_:
        path, here = open_.pop()
        yield path, here
        if isinstance(here, dict):
            open_ += [((*path, key), inner) for key, inner in here.items()]
        elif isinstance(here, list):
            open_ += [((*path, index), inner) for index, inner in enumerate(here)]


def _replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """Return a value with another one at a path."""
    if not path:
        return other
    step, *rest = path
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[step] = _replaced(value[step], tuple(rest), other)
    return copied


def _lessen(here: Any, draw: Random, others: list[Any]) -> Any:
    """Return a value with a part left out, or a smaller number."""
    if isinstance(here, dict) and here:
        gone = draw.choice(list(here))
        return {key: inner for key, inner in here.items() if key != gone}
    if isinstance(here, list | str) and here:
        parts, gone = list(here), draw.randrange(len(here))
        del parts[gone]
        return parts if isinstance(here, list) else "".join(parts)
    return here - 1 if _is_number(here) else _exchange(here, draw, others)


def _add(here: Any, draw: Random, others: list[Any]) -> Any:
    """Return a value with a part more, or a larger number."""
    if isinstance(here, dict):
        keys = [key for other in others if isinstance(other, dict) for key in other]
        return {**here, draw.choice([*keys, "a", "x-b"]): draw.choice([*_OTHERS, *others])}
    if isinstance(here, list | str) and here:
        parts, place = list(here), draw.randrange(len(here))
        parts.insert(place, parts[place])
        return parts if isinstance(here, list) else "".join(parts)
    if isinstance(here, list):
        return [draw.choice([*_OTHERS, *others])]
    return here + 1 if _is_number(here) else _exchange(here, draw, others)


def _exchange(_here: Any, draw: Random, others: list[Any]) -> Any:
    """Return another value: of the same text, or any."""
    return draw.choice([draw.choice(_OTHERS), draw.choice(others)])


def _is_number(here: Any) -> bool:
    return isinstance(here, int | Fraction) and not isinstance(here, bool)


_Change = Callable[[Any, Random, list[Any]], Any]
_CHANGES: tuple[tuple[str, _Change], ...] = (
    ("lessened", _lessen),
    ("added to", _add),
    ("exchanged", _exchange),
)
