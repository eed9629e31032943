"""Which terminals does the grammar put side by side that the lexer cannot tell apart?

The fact is :mod:`maskc.store.adjacency`'s: written one after the other the two are one lexeme, or
two others, and nothing that is ignored can stand between them.

Example: ``start: NAME NAME`` without ``%ignore``.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.lint.model import Finding, Severity
from maskc.lint.subject import Subject
from maskc.store.adjacency import find_adjacencies

CODE = "ML005"


def find_neighbours(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each pair of terminals that cannot be lexed apart."""
    grammar = subject.grammar
    found = find_adjacencies(grammar.lexer, subject.scanner, subject.boundaries, subject.table)
    for pair in found:
        first, second = (grammar.bnf.terminals.index(name) for name in (pair.first, pair.second))
        yield Finding(
            CODE,
            Severity.WARNING,
            subject.place_of_terminal(first),
            f"{subject.name(second)} right after {subject.name(first)} is in the grammar and in "
            "no text: the lexer cannot tell where one ends",
            pair.witness.decode(errors="backslashreplace"),
            "put a separator between them in the rule, ignore blanks, or narrow "
            f"{subject.name(first)}",
        )
