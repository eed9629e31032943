"""The judge of a JSON Schema: the package ``jsonschema``, and the layout's own signs.

That the mask allows a token is witnessed by a text: the token is taken, and the text is brought to
an end, by a rest of the text that it was drawn from or by the matcher's short completion. That it
forbids one is held against such rests.

Limits: where a schema has formats or the layout asks for more than the judge reads
(:mod:`maskc.verify.json_judge`), only what is accepted is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from maskc.verify.json_judge import (
    BlankLayout,
    Judge,
    NotJsonError,
    NotJudgedError,
    keeps_layout,
    read_json,
    write_value,
)
from maskc.verify.mask_texts import MaskDrawer, find_end, join_parts
from maskc.verify.model import Document
from maskc.verify.mutation import draw_mutations
from maskc.verify.plan import list_experiments
from maskc.verify.subject import Cursor, Mutation, Subject

_MOST_RESTS = 12  # of a text, that may follow a token
_CLOSES = (b"", b'"', b"}", b"]", b'"}', b'"]')


class SchemaSubject(Subject):
    """An artifact of a JSON Schema that is verified, for one process."""

    tokens_per_position = 12
    mutation_counts = (
        *("of a byte", "of the value", "that are not UTF-8"),
        *("that the judge takes", "that the judge refuses", "that the judge does not decide"),
    )
    experiments = list_experiments(
        corpus=("texts", "no file of the corpus is JSON", "the judge"),
        no_text="there was no legal text",
        per_unit=4,
        most=20_000,
        oracle=(10, 5_000),
    )

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.artifact, self.options.resources)

    @cached_property
    def drawer(self) -> MaskDrawer:
        return MaskDrawer(self.artifact)

    def verdict(self, text: str) -> bool | None:
        try:
            value = read_json(text)
        except NotJsonError:
            return False
        except NotJudgedError:
            return None
        if not self.judge.judge(value):
            return False
        return keeps_layout(text, self.judge.layout) if self.judge.is_complete else None

    def judge_file(self, document: Document) -> Iterator[tuple[Document, bool | None]]:
        """Yield a file and its value as compact JSON, each with a verdict."""
        try:
            value = read_json(document.text)
        except NotJsonError:
            self.found.count("not JSON")
            yield document, False
            return
        except NotJudgedError:
            self.found.count("not judged")
            yield document, None
            return
        self.found.count("texts")
        is_valid = self.judge.judge(value)
        self.found.count("valid" if is_valid else "invalid")
        for written in (document, Document(document.name, write_value(value))):
            yield written, self.verdict(written.text)

    def draw(self, number: int) -> str | None:
        drawn = self.drawer.draw_text(self.options.seed, number, self.options.max_tokens)
        return self.finished(drawn, number)

    def goes_on(
        self, document: Document, here: Cursor, token: int, *, is_legal: bool
    ) -> tuple[bool | None, str]:
        """Bring the text to an end after a token, and ask the judge of the whole."""
        data, written = document.data, self.written(token)
        text = data[: here.n_written] + written
        rests = _list_rests(data, here.n_written, len(written))
        if not is_legal:
            return self._find_text(text, rests)
        after = here.matcher.fork()
        if not after.accept_token(token):
            return False, "a token is legal in the mask and refused"
        forks = ((rest, after.fork()) for rest in rests)
        ends = (rest for rest, fork in forks if fork.accept_bytes(rest) and fork.is_accepting)
        end = next(ends, None)
        if end is None:
            parts = find_end(self.artifact, after)
            end = None if parts is None else join_parts(parts)
        if end is None:
            self.found.count("no end found")
            return None, ""
        # What was cut inside a character is whole again with its end.
        verdict = self.verdict((text + end).decode())
        what = "with a text that the judge takes" if verdict else "not judged"
        self.found.count(f"legal, {what}")
        return verdict, f"the judge refuses a text that begins so, and ends with {end[:80]!r}"

    def _find_text(self, text: bytes, rests: list[bytes]) -> tuple[bool | None, str]:
        """Return the witness that a token is forbidden wrongly, if there is one at hand."""
        for rest in rests:
            try:
                verdict = self.verdict((text + rest).decode())
            except UnicodeDecodeError:
                continue
            if verdict:
                return True, f"the judge takes a text that begins so, and ends with {rest[:80]!r}"
        return None, ""

    def mutate(self, document: Document, amount: int, draw: Random) -> Iterator[Mutation]:
        """Yield texts that are changed by a byte, and as many that are changed in the value."""
        data, value, n_values = document.data, None, amount // 2
        try:
            value = read_json(document.text)
        except NotJudgedError:
            n_values = 0
        for mutation in draw_mutations(data, amount - n_values, draw):
            yield mutation._replace(kind="of a byte")
        for how, other in draw_values(value, n_values, draw):
            text = write_value(other, draw.choice(list(BlankLayout))).encode()
            pairs = enumerate(zip(data, text, strict=False))
            at = next((n for n, (a, b) in pairs if a != b), min(len(data), len(text)))
            yield Mutation("of the value", how, at, text)


def _list_rests(data: bytes, offset: int, length: int) -> list[bytes]:
    """Return rests of a text that may follow a token instead of what is at an offset."""
    nearest = sorted(range(offset, len(data) + 1), key=lambda at: abs(at - offset - length))
    rests = [data[at:] for at in nearest[:_MOST_RESTS]]
    return list(dict.fromkeys((*rests, *_CLOSES)))


_OTHERS: tuple[Any, ...] = (None, True, False, 0, 1, -1, Fraction(1, 2), "", "a", [], {}, [0])


def draw_values(value: Any, count: int, draw: Random) -> Iterator[tuple[str, Any]]:
    """Yield how one value inside another was changed, and what it is then."""
    inside = list(_list_inside(value))
    for _ in range(count):
        path, here = draw.choice(inside)
        how, others = draw.choice(_CHANGES)
        other = others(here, draw, [inner for _, inner in inside])
        shown = "".join(f"/{step}" for step in path) or "the whole"
        yield f"{shown} is {how}", _replaced(value, path, other)


def _list_inside(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    worklist: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while worklist:
        path, here = worklist.pop()
        yield path, here
        if isinstance(here, dict):
            worklist += [((*path, key), inner) for key, inner in here.items()]
        elif isinstance(here, list):
            worklist += [((*path, index), inner) for index, inner in enumerate(here)]


def _replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    step, *rest = path
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[step] = _replaced(value[step], tuple(rest), other)
    return copied


def _lessen(here: Any, draw: Random, others: list[Any]) -> Any:
    if isinstance(here, dict) and here:
        removed = draw.choice(list(here))
        return {key: inner for key, inner in here.items() if key != removed}
    if isinstance(here, list | str) and here:
        parts, removed = list(here), draw.randrange(len(here))
        del parts[removed]
        return parts if isinstance(here, list) else "".join(parts)
    return here - 1 if _is_number(here) else _exchange(here, draw, others)


def _add(here: Any, draw: Random, others: list[Any]) -> Any:
    if isinstance(here, dict):
        keys = [key for other in others if isinstance(other, dict) for key in other]
        return {**here, draw.choice([*keys, "a", "x-b"]): draw.choice([*_OTHERS, *others])}
    if isinstance(here, list | str) and here:
        parts, index = list(here), draw.randrange(len(here))
        parts.insert(index, parts[index])
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
