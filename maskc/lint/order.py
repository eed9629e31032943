"""THE CHECKS, in the order of their codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from maskc.frontends.source import GrammarSource
from maskc.lint.blanks import find_blank_loops
from maskc.lint.choices import find_choices
from maskc.lint.collisions import find_collisions
from maskc.lint.dead_ends import find_dead_ends
from maskc.lint.keywords import find_keywords
from maskc.lint.model import Finding, Severity
from maskc.lint.neighbours import find_neighbours
from maskc.lint.shadowed import find_shadowed
from maskc.lint.subject import Subject
from maskc.lint.unused import find_unproductive, find_unused
from maskc.lint.vocabulary import find_useless_tokens
from maskc.vocab.vocabulary import Vocabulary

CHECKS: tuple[Callable[[Subject], Iterable[Finding]], ...] = (
    find_collisions,
    find_shadowed,
    find_keywords,
    find_dead_ends,
    find_neighbours,
    find_choices,
    find_blank_loops,
    find_unproductive,
    find_unused,
)


def lint_grammar(
    source: GrammarSource, vocabulary: Vocabulary | None = None
) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order in which they were found.

    Args:
        source: the grammar.
        vocabulary: if given, its tokens are looked at as well; the grammar is compiled for it.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be loaded.
        LimitError: a bound of the compiler was reached.
    """
    subject = Subject(source)
    found = [finding for check in CHECKS for finding in check(subject)]
    if vocabulary is not None:
        found += find_useless_tokens(subject, vocabulary)
    severities = list(Severity)
    return tuple(sorted(found, key=lambda f: (severities.index(f.severity), f.code)))
