"""Texts of a grammar: drawn by its rules, or from the masks after the beginning of one.

Texts by the rules (:mod:`maskc.verify.drawing`) are varied in length, with each rule in its turn.
Others begin like such a text, so that they also come where tokens at random never lead, and go on
with tokens drawn from the masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from random import Random
from typing import Any, Self

from lark import Lark

from maskc.bounded import run_bounded
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.kinds import kind_of
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, load
from maskc.runtime.matcher import Matcher
from maskc.verify.drawing import Drawing
from maskc.verify.general import build_oracle
from maskc.verify.mask_texts import NO_END, STUCK, GeneratedText, Part, TokenDrawer, join_parts
from maskc.verify.oracle import Oracle, Undecided
from maskc.work.processes import ProcessExecutor, Timed, result_of

_TRIES = 40  # to draw a text that is one of the grammar's


class Drawer:
    """Draws texts of one artifact of a grammar."""

    def __init__(self, artifact: Artifact, lark: Lark, oracle: Oracle) -> None:
        self._artifact, self._oracle, self._encoding = artifact, oracle, oracle.steps.encoding
        self._drawing, self._tokens = Drawing(lark, oracle), TokenDrawer(artifact)

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        """Return a text of these numbers: by the rules, from the masks if none is legal."""
        self._oracle.forget()
        draw = Random(f"{seed}:{number}")
        drawn, n_others = self.draw_by_rules(draw, seed, number, max_tokens, self.is_legal)
        if drawn is None:
            return self.draw_from_masks(draw, max_tokens)
        return replace(drawn, n_retries=n_others)

    def draw_by_rules(
        self, draw: Random, seed: int, number: int, max_tokens: int, takes: Callable[[str], bool]
    ) -> tuple[GeneratedText | None, int]:
        """Return a text of the rules that is taken, if one is, and how many were not before it."""
        for tried in range(_TRIES):
            # Short and long ones alike; shorter from try to try, as they come true more often.
            size = int(max_tokens ** (draw.random() ** 0.5 * (1 - tried / _TRIES)))
            drawn = self._drawing.draw(draw, seed=seed, number=number, size=size)
            if drawn is not None and takes(drawn.text):
                return drawn, tried
        return None, _TRIES

    def is_legal(self, text: str) -> bool:
        matcher = self._artifact.matcher()
        return matcher.accept_bytes(text.encode(self._encoding)) and matcher.is_accepting

    def list_unreached(self, rules: frozenset[int]) -> tuple[int, tuple[str, ...]]:
        """Return how many rules texts can be made with, and those not among some."""
        return self._drawing.list_others(rules)

    def draw_from_masks(
        self, draw: Random, max_tokens: int, beginning: bytes = b""
    ) -> GeneratedText:
        """Return a text of tokens after a beginning, to an end that the oracle finds."""
        matcher, written = self._artifact.matcher(), list[Part]()
        if beginning:
            matcher.accept_bytes(beginning)
            written.append(beginning)
        limit = draw.randint(max(1, max_tokens // 2), max_tokens)
        for n_tokens in range(limit):
            is_accepting = matcher.is_accepting
            if is_accepting and draw.random() < 0.5 / limit:
                return GeneratedText(self._decode(written), n_tokens)
            problem = self._tokens.take(matcher, draw, written)
            if problem is not None:
                problem = None if problem == STUCK and is_accepting else problem
                return GeneratedText(self._decode(written), n_tokens, problem)
        return self._finish(matcher, written)

    def _finish(self, matcher: Matcher, written: list[Part]) -> GeneratedText:
        """Bring a text to an end; where the oracle finds none, take back an eighth of it."""
        n_retries = 0
        while (ending := self._find_end(join_parts(written))) is None:
            if not written:
                return GeneratedText("", 0, NO_END, n_retries)
            n_retries += 1
            n_back = -(-len(written) // 8)
            matcher.rollback(n_back)
            del written[-n_back:]
        found = GeneratedText(self._decode(written), len(written), None, n_retries)
        possible, witness = ending
        if not possible or witness is None:
            return replace(found, problem="Lark can parse no text that begins like this")
        tail = witness.encode(self._encoding)[len(join_parts(written)) :]
        problem = None
        if not matcher.accept_bytes(tail) or not matcher.is_accepting:
            problem = f"an end that Lark accepts is illegal: {tail!r}"
        return replace(found, text=witness, n_tokens=len(written) + len(tail), problem=problem)

    def _find_end(self, written: bytes) -> tuple[bool, str | None] | None:
        """Return whether a text can end, and how; ``None`` if the oracle does not know."""
        try:
            return self._oracle.at(written).decide(b"")
        except Undecided:
            return None

    def _decode(self, written: list[Part]) -> str:
        return join_parts(written).decode(self._encoding, errors="replace")


def open_grammar_drawer(artifact: Artifact, limits: Limits | None) -> Drawer:
    source = source_from_header(artifact.header["grammar"])
    lark = run_bounded(lambda: build_lark(source), limits)
    return Drawer(artifact, lark, build_oracle(lark))


class DrawingProcess:
    """Draws texts of an artifact of any kind, in a process that is ended if it takes too long.

    Lark tries the grammar's patterns meanwhile, which nothing else can interrupt. The process keeps
    what it has made for the next text.

    Args:
        path: of an artifact of any kind.
        start: its start symbol; ``None``: its first.
        seconds: that one text may take, by the clock.
        limits: of building Lark's parser.
        name: what the artifact is called; default: its path.
    """

    def __init__(
        self, path: str, start: str | None, seconds: float, limits: Limits, name: str = ""
    ) -> None:
        self._name, self._opened = name or path, (path, start, limits)
        self._seconds, self._executor = seconds, ProcessExecutor(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.__exit__(*error)

    def draw(self, count: int, max_tokens: int, seed: int) -> Iterator[GeneratedText]:
        """Yield texts of about ``max_tokens`` tokens or lexemes at most, the same for a seed."""
        for number in range(count):
            part = f"text {number + 1}"
            yield self._ask(part, "draw_text", seed, number, max_tokens)

    def list_unreached(self, rules: frozenset[int]) -> tuple[int, tuple[str, ...]]:
        """Return how many rules a grammar's texts can be made with, and those not among some."""
        n_rules, others = self._ask("its rules", "list_unreached", rules)
        return n_rules, others

    def _ask(self, part: str, method: str, *arguments: Any) -> Any:
        call = partial(_ask_drawer, *self._opened, method)
        timed = Timed(call, f"{self._name}: {part}", self._seconds)
        return result_of(self._executor.submit(timed, *arguments))


def _ask_drawer(path: str, start: str | None, limits: Limits, method: str, *arguments: Any) -> Any:
    return getattr(_open_drawer(path, start, limits), method)(*arguments)


@lru_cache(maxsize=1)
def _open_drawer(path: str, start: str | None, limits: Limits) -> Any:
    artifact = load(path).for_start(start)
    return kind_of(artifact.header).open_drawer(artifact, limits)
