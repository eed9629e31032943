"""THE CHECKS, in the order of their codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from maskc.frontends.source import GrammarSource
from maskc.lint.allowed import drop_allowed
from maskc.lint.ambiguity import find_ambiguities
from maskc.lint.blank_patterns import find_unbounded_blanks
from maskc.lint.blanks import find_blank_loops
from maskc.lint.choices import find_choices
from maskc.lint.collisions import find_collisions
from maskc.lint.dead_ends import find_dead_ends
from maskc.lint.keywords import find_keywords
from maskc.lint.model import Finding, Severity
from maskc.lint.neighbours import find_neighbours
from maskc.lint.never_ignored import find_never_ignored
from maskc.lint.quotes import find_greedy_quotes
from maskc.lint.shadowed import find_shadowed
from maskc.lint.subject import GrammarSubject, Subject
from maskc.lint.unused import find_never_completed, find_unproductive, find_unused
from maskc.lint.vocabulary import find_useless_tokens
from maskc.lint.words import find_unparted_words
from maskc.vocab.vocabulary import Vocabulary

# Whatever the parser is.
CHECKS_OF_ALL: tuple[Callable[[GrammarSubject], Iterable[Finding]], ...] = (
    find_unproductive,
    find_unused,
    find_never_ignored,
    find_greedy_quotes,
)
CHECKS_OF_LALR: tuple[Callable[[Subject], Iterable[Finding]], ...] = (
    find_collisions,
    find_shadowed,
    find_keywords,
    find_dead_ends,
    find_neighbours,
    find_choices,
    find_blank_loops,
    find_never_completed,
    find_unparted_words,
)
CHECKS_OF_GENERAL: tuple[Callable[[GrammarSubject], Iterable[Finding]], ...] = (
    find_unbounded_blanks,
    find_ambiguities,
)


def lint_grammar(
    source: GrammarSource,
    vocabulary: Vocabulary | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order in which they were found.

    Args:
        source: the grammar.
        vocabulary: if given, its tokens are looked at as well; the grammar is compiled for it.
        progress: called with what is looked for, and the fraction done.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be loaded.
        LimitError: a bound of the compiler was reached.
    """
    subject: GrammarSubject
    checks: list[partial[Iterable[Finding]]]
    if source.parser == "lalr":
        subject = lalr_subject = Subject(source)
        checks = [partial(check, lalr_subject) for check in CHECKS_OF_LALR]
    else:
        subject = GrammarSubject(source)
        checks = [partial(check, subject) for check in CHECKS_OF_GENERAL]
    checks += [partial(check, subject) for check in CHECKS_OF_ALL]
    found: list[Finding] = []
    for number, check in enumerate(checks):
        if progress is not None:
            progress(
                check.func.__name__.removeprefix("find_").replace("_", " "), number / len(checks)
            )
        found += check()
    if vocabulary is not None:
        found += find_useless_tokens(subject, vocabulary)
    severities = list(Severity)
    kept = drop_allowed(found, subject.text)
    return tuple(sorted(kept, key=lambda f: (severities.index(f.severity), f.code)))
