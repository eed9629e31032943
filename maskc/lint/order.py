r"""THE CHECKS of a grammar, in the order of their codes, and what its author allows.

A comment with ``maskc: allow=ML007`` (several codes with commas) says that the author knows. Among
the first lines, before anything else, it holds for the whole grammar; elsewhere for its own line
and for the one after it.

Example: ``%ignore /[ \t]+/  // maskc: allow=ML007``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from maskc.compiler.lalr_path import LalrLanguage
from maskc.compiler.pipeline import Language, compile_contents
from maskc.frontends.source import GrammarSource
from maskc.lint import Finding, SourceLocation, find, in_order
from maskc.lint.ambiguity import find_ambiguities
from maskc.lint.blanks import find_blank_loops, find_never_ignored, find_unbounded_blanks
from maskc.lint.rules import (
    find_choices,
    find_dead_ends,
    find_never_completed,
    find_unproductive,
    find_unused,
)
from maskc.lint.subject import LintedGrammar, LintedLalrGrammar
from maskc.lint.terminals import (
    find_collisions,
    find_greedy_quotes,
    find_keywords,
    find_neighbours,
    find_shadowed,
    find_unparted_words,
)
from maskc.runtime.graph import GraphReader
from maskc.vocab.vocabulary import Vocabulary, quote_bytes

# Whatever the parser is.
CHECKS_OF_ALL: tuple[Callable[[LintedGrammar], Iterable[Finding]], ...] = (
    find_unproductive,
    find_unused,
    find_never_ignored,
    find_greedy_quotes,
)
CHECKS_OF_LALR: tuple[Callable[[LintedLalrGrammar], Iterable[Finding]], ...] = (
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
# Those that find errors, and take no time once a grammar is compiled.
_FATAL: tuple[Callable[[LintedLalrGrammar], Iterable[Finding]], ...] = (
    find_unproductive,
    find_shadowed,
    find_dead_ends,
    find_never_completed,
)
CHECKS_OF_GENERAL: tuple[Callable[[LintedGrammar], Iterable[Finding]], ...] = (
    find_unbounded_blanks,
    find_ambiguities,
)
_N_EXAMPLES = 8  # of useless tokens


def lint_grammar(
    source: GrammarSource,
    vocabulary: Vocabulary | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order in which they were found.

    Args:
        vocabulary: if given, its tokens are looked at as well; the grammar is compiled for it.
        progress: called with what is looked for, and the fraction done.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be loaded.
        LimitError: a bound of the compiler was reached.
    """
    subject: LintedGrammar
    checks: list[partial[Iterable[Finding]]]
    if source.parser == "lalr":
        subject = lalr_subject = LintedLalrGrammar(source)
        checks = [partial(check, lalr_subject) for check in CHECKS_OF_LALR]
    else:
        subject = LintedGrammar(source)
        checks = [partial(check, subject) for check in CHECKS_OF_GENERAL]
    checks += [partial(check, subject) for check in CHECKS_OF_ALL]
    found: list[Finding] = []
    for number, check in enumerate(checks):
        if progress is not None:
            what = check.func.__name__.removeprefix("find_").replace("_", " ")
            progress(what, number / len(checks))
        found += check()
    if vocabulary is not None:
        found += find_useless_tokens(subject, vocabulary)
    return in_order(drop_allowed(found, subject.text))


def count_errors(source: GrammarSource, language: Language) -> int:
    """Return how many errors there are in a grammar that was compiled; of Lark's LALR parser."""
    if not isinstance(language, LalrLanguage):
        return 0
    subject = LintedLalrGrammar(source, language)
    found = [finding for check in _FATAL for finding in check(subject)]
    return len(drop_allowed(found, subject.text))


def find_useless_tokens(subject: LintedGrammar, vocabulary: Vocabulary) -> Iterator[Finding]:
    """Yield one finding if some token is in no mask: the model can never write it.

    For some that is as it should be; where a whole kind is missing, a terminal is too narrow.
    Whether a state occurs together with the lexer state of an answer that holds a token is not
    asked.
    """
    if isinstance(subject, LintedLalrGrammar) and subject.no_text is not None:
        return
    arrays = compile_contents(subject.source, vocabulary)[0].arrays
    # Those that some answer of the decision graph holds.
    unions = np.unique([*arrays["answer_union"], *arrays["trial_union"]]).tolist()
    words = GraphReader(arrays).unite(frozenset(unions), -(-vocabulary.vocab_size // 32))
    useful = np.unpackbits(words.view(np.uint8), bitorder="little")
    useless = [
        token
        for token_id, token in enumerate(vocabulary.tokens)
        if token and not useful[token_id] and token_id not in vocabulary.eos_ids
    ]
    if useless:
        shown = sorted(useless, key=lambda token: (len(token), token))[:_N_EXAMPLES]
        yield find(
            "useless tokens",
            SourceLocation("vocabulary", vocabulary.name, None),
            " ".join(map(quote_bytes, shown)),
            n_useless=len(useless),
            n_tokens=sum(token is not None for token in vocabulary.tokens),
        )


_ALLOW = re.compile(r"(?://|#|/\*|\(\*).*\bmaskc:.*\ballow=(ML\d{3}(?:,ML\d{3})*)")
_COMMENT = re.compile(r"\s*(?:$|//|#|/\*|\(\*)")


def drop_allowed(findings: Iterable[Finding], text: str) -> list[Finding]:
    everywhere: set[str] = set()
    on_line: dict[int, set[str]] = {}
    is_top = True
    for number, line in enumerate(text.splitlines(), 1):
        is_top = is_top and _COMMENT.match(line) is not None
        allowed = _ALLOW.search(line)
        if allowed is None:
            continue
        codes = set(allowed[1].split(","))
        if is_top:
            everywhere |= codes
        else:
            on_line.setdefault(number, set()).update(codes)
            on_line.setdefault(number + 1, set()).update(codes)
    return [
        finding
        for finding in findings
        if finding.code not in everywhere
        and finding.code not in on_line.get(finding.location.line or 0, ())
    ]
