"""The rules of a grammar as their author wrote them, for drawing.

Lark turns repetitions and options into rules of its own; here they are still there. What is nested
deeper than ``MAX_DEPTH``, or has more than ``MAX_PARTS`` parts, ends in ``…``: nobody reads that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lark import Token, Tree

from maskc.bounded import run_bounded
from maskc.errors import GrammarError
from maskc.frontends.lark.build import REFUSALS, read_grammar
from maskc.frontends.source import GrammarSource

MAX_DEPTH, MAX_PARTS, MAX_RULES = 24, 400, 300


@dataclass(frozen=True, slots=True)
class Shape:
    """A part of a rule."""

    # text (a string or a pattern, as it is written), terminal, rule, row (one part after the
    # other), either, repeat, or more: what is not shown
    kind: str
    text: str = ""  # of a text; the name of a terminal or a rule; how often a repetition comes
    # of a row, of alternatives, of a repetition the one that comes again
    parts: tuple[Shape, ...] = ()
    low: int = 0  # the least that a repetition comes; 0 or 1, if it is drawn so
    is_many: bool = False  # whether a repetition can come more than once


@dataclass(frozen=True, slots=True)
class RuleShape:
    """A rule: its name, with the parameters of a template, and its right side."""

    name: str
    shape: Shape


_MORE = Shape("more", "…")
_TIMES = {"?": (0, False), "*": (0, True), "+": (1, True)}


def read_shapes(source: GrammarSource) -> tuple[RuleShape, ...]:
    """Return the rules of a grammar, in the order of its text, at most ``MAX_RULES``.

    Raises:
        GrammarError: Lark refuses the text.
        LimitError: it takes too long.
    """
    return run_bounded(lambda: tuple(_read(source)), name=source.name)


def _read(source: GrammarSource) -> Iterator[RuleShape]:
    try:
        grammar = read_grammar(source, source.text, {})
    except REFUSALS as error:
        raise GrammarError(source.name, f"Lark refuses it: {error}") from None
    for name, parameters, tree, _ in grammar.rule_defs[:MAX_RULES]:
        listed = f"{{{', '.join(parameters)}}}" if parameters else ""
        yield RuleShape(f"{name}{listed}", _Reader().shape(tree, 0))


class _Reader:
    def __init__(self) -> None:
        self._n_left = MAX_PARTS

    def shape(self, node: Any, depth: int) -> Shape:
        self._n_left -= 1
        if self._n_left < 0 or depth > MAX_DEPTH:
            return _MORE
        if not isinstance(node, Tree):
            return _name(node)
        match node.data:
            case "expansions":
                return self._some("either", node.children, depth)
            case "expansion":
                return self._some("row", node.children, depth)
            case "alias" | "value":
                return self.shape(node.children[0], depth)
            case "maybe":
                return Shape("repeat", "?", (self.shape(node.children[0], depth + 1),))
            case "expr":
                return self._repeat(node.children, depth)
            case "literal":
                return Shape("text", str(node.children[0]))
            case "literal_range":
                return Shape("text", "..".join(map(str, node.children)))
            case "template_usage":
                name, *arguments = node.children
                listed = ", ".join(_write(argument) for argument in arguments)
                return Shape("rule", f"{_name(name).text}{{{listed}}}")
        return _MORE

    def _some(self, kind: str, children: list[Any], depth: int) -> Shape:
        parts = tuple(self.shape(child, depth + 1) for child in children[:MAX_PARTS])
        return parts[0] if len(parts) == 1 else Shape(kind, "", parts)

    def _repeat(self, children: list[Any], depth: int) -> Shape:
        part, operator, *counts = children
        inner = self.shape(part, depth + 1)
        if operator in _TIMES:
            low, is_many = _TIMES[operator]
            return Shape("repeat", str(operator), (inner,), low, is_many)
        low, high = int(counts[0]), int(counts[-1])
        said = f"{low} times" if low == high else f"{low} to {high} times"
        return Shape("repeat", said, (inner,), min(low, 1), is_many=high > 1)


def _name(node: Any) -> Shape:
    name = str(node.value if isinstance(node, Token) else getattr(node, "name", node))
    kind = "terminal" if name.lstrip("_")[:1].isupper() else "rule"
    return Shape(kind, name)


def _write(argument: Any) -> str:
    shape = _Reader().shape(argument, 0)
    return shape.text or "…"
