"""Which terminals of a grammar are meant to be narrowed by a request?

The author says so at the top of the text, and whoever serves it sees it in ``maskc inspect``::

    // maskc: hole=TABLE,COLUMN

Any terminal that has lexemes of its own can be narrowed (:mod:`maskc.runtime.holes`); the mark is
checked when the grammar is compiled, so that a name that is mistyped, or that no request could
narrow, is found before it is served.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskc.errors import GrammarError
from maskc.grammar.model import Grammar, LalrGrammar


def read_holes(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the terminals that the settings mark, in order, each once."""
    names = settings.get("hole", "").split(",")
    return tuple(dict.fromkeys(name for name in names if name))


def check_holes(name: str, grammar: Grammar, holes: Sequence[str]) -> None:
    """Check that each terminal that is marked can be narrowed.

    Args:
        name: of the grammar.
        grammar: that the text holds.
        holes: the terminals that are marked.

    Raises:
        GrammarError: one of them cannot.
    """
    if holes and not isinstance(grammar, LalrGrammar):
        raise GrammarError(name, "hole= goes with parser=lalr; leave it out")
    layout = grammar.lexer.layout
    made = {layout.newline, layout.indent, layout.dedent} if layout else set()
    numbers = {terminal: number for number, terminal in enumerate(grammar.bnf.terminals)}
    for hole in holes:
        number = numbers.get(hole)
        if number is None or grammar.lexer.patterns[number] is None and number not in made:
            raise GrammarError(
                name, f"hole={hole} is no terminal that the rules use; name one that they use"
            )
        if number in grammar.lexer.ignored or number in made:
            why = "is the Indenter's" if number in made else "is ignored"
            raise GrammarError(name, f"hole={hole} {why} and cannot be narrowed; leave it out")
