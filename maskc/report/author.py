"""What the author of a grammar asks of an artifact: its rules, its terminals, and a text of theirs.

Of an artifact whose grammar this Lark refuses, or whose schema refers to documents that it does not
hold, there is nothing to say; the header still has it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from maskc.errors import GrammarError, LimitError, PostlexError, SchemaError
from maskc.explain.heat import Warmth, measure_heat
from maskc.explain.model import Explanation
from maskc.frontends.lark.shapes import RuleShape, read_shapes
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import source_from_header
from maskc.grammar.model import Grammar
from maskc.kinds import kind_of
from maskc.report.explain import say_death, say_legal
from maskc.report.grammar import UNNAMED, list_texts
from maskc.report.render import format_count, format_lexemes, make_table
from maskc.runtime.artifact import Artifact

END = "$END"  # of the text, which has no pattern
# Background of a token, by how many tokens were legal in its place; one more for ten times as many.
_STYLES = ("", "on grey23", "on navy_blue", "on dark_blue", "on blue3", "on dodger_blue3")


@dataclass(frozen=True, slots=True)
class TerminalRow:
    """A terminal: its name, what it matches, whether it is ignored, and what is said of it."""

    name: str
    pattern: str
    is_ignored: bool
    is_hole: bool

    @property
    def note(self) -> str:
        """What is said beside it."""
        return "ignored" if self.is_ignored else "a hole" if self.is_hole else ""


@dataclass(frozen=True, slots=True, eq=False)
class AuthorView:
    """What is shown first.

    Attributes:
        rules: as they are written; none if it is no grammar, or is written in another notation.
        terminals: of the grammar.
        text: the text that was given, or none of it.
        heat: the tokens of the text.
        sample: what may come after it.
    """

    rules: tuple[RuleShape, ...]
    terminals: tuple[TerminalRow, ...]
    text: bytes
    heat: tuple[Warmth, ...]
    sample: Explanation[Any]


def view_artifact(artifact: Artifact, text: bytes) -> AuthorView | None:
    """Return what its author asks of an artifact; ``None`` if its grammar cannot be read here."""
    rules: tuple[RuleShape, ...] = ()
    terminals: tuple[TerminalRow, ...] = ()
    kind = kind_of(artifact.header)
    try:
        if kind.has_rules:
            source = source_from_header({**artifact.header["grammar"], "postlex": None})
            rules = read_shapes(source)
            terminals = _list_terminals(load_grammar(source)[0], source.holes)
        sample = kind.explain(artifact, text)
    except (GrammarError, LimitError, PostlexError, SchemaError):
        return None
    return AuthorView(rules, terminals, text, measure_heat(artifact, text), sample)


def warmth_of(n_legal: int) -> int:
    """Return how warm a token is, 0 to 5: 0 without choice, one more for ten times as many.

    >>> [warmth_of(n) for n in (1, 2, 10, 11, 100_000)]
    [0, 1, 1, 2, 5]
    """
    return 0 if n_legal <= 1 else min(5, len(str(n_legal - 1)))


def list_sample(view: AuthorView) -> list[str]:
    """Return the lines of what may come after the text."""
    if view.sample.death is not None:
        return ["  the text is illegal", *say_death(view.sample.death, view.text)]
    ending = "yes" if view.sample.may_end else "no"
    return [f"  the text may end here: {ending}", *say_legal(view.sample)]


def print_view(console: Console, view: AuthorView) -> None:
    """Print terminals, the heat of the text, and what may come next."""
    if view.terminals:
        rows = [(t.name, t.pattern, t.note) for t in view.terminals]
        console.print(make_table("Terminals", ("name", "matches", ""), rows))
    if view.heat:
        shown = Text("  ")
        for part in view.heat:
            shown.append(format_lexemes(part.token)[1:-1], _STYLES[warmth_of(part.n_legal)])
            shown.append(f"{format_count(part.n_legal)} ", "dim")
        console.print("Tokens of the text, each with how many were legal in its place")
        console.print(shown)
    where = format_lexemes(view.text) if view.text else "the start"
    console.print(f"After {where}", markup=False, highlight=False)
    for line in list_sample(view):
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def _list_terminals(grammar: Grammar, holes: Container[str]) -> tuple[TerminalRow, ...]:
    texts = list_texts(grammar)
    pairs = zip(grammar.bnf.terminals, grammar.lexer.patterns, strict=True)
    found = [
        TerminalRow(
            "" if name.startswith(("__IGNORE_", UNNAMED)) else name,
            texts.get(name) or _write_pattern(pattern),
            number in grammar.lexer.ignored,
            name in holes,
        )
        for number, (name, pattern) in enumerate(pairs)
        if name != END
    ]
    return tuple(sorted(found, key=lambda row: (row.is_ignored, not row.name)))


def _write_pattern(pattern: str | None) -> str:
    """Return a pattern on one line: Lark's have the characters that were written as escapes."""
    if pattern is None:
        return "made by the Indenter"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in pattern)
