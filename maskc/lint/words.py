"""After which words need there be no blank, although there should be one?

Where the lexer looks for a word and for no name beside it, nothing keeps the word from ending in
the middle of a longer one: ``returnx`` is read as ``return x``. A contextual lexer looks only for
what the parser takes, so this can hold in one place and not in another.

Example: ``start: "let" NAME`` with ``NAME: /[a-z]+/`` reads ``letx``: where ``let`` stands, no NAME
may.

The two are adjacent in some text, and the lexer's own order is asked in each context; that the
parser comes into that context there is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from maskc import bits
from maskc.frontends.match_length import match_length
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END
from maskc.lint.lexemes import find_common_lexeme
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import Subject

CODE = "ML013"
MAX_LISTED = 8


def find_unparted_words(subject: Subject) -> Iterator[Finding]:
    """Yield one finding, of all words that others may follow without a blank."""
    lexer = subject.grammar.lexer
    words = {t: s for t, s in subject.strings.items() if re.fullmatch(r"\w+[^\W\d_]", s)}
    if not words or not _ignores_blanks(subject):
        return
    adjacent = compute_adjacent(subject.reduced, compute_sets(subject.reduced))
    starts: dict[int, str] = {}
    for terminal in sorted({n for w in words for n in bits.iterate(adjacent.get(w, 0))} - {END}):
        lexeme = subject.strings.get(terminal) or _find_lexeme(subject, terminal)
        if lexeme and re.match(r"\w", lexeme):
            starts[terminal] = lexeme
    found: dict[int, list[int]] = {}
    for word, text in sorted(words.items()):
        for terminal, lexeme in starts.items():
            if adjacent.get(word, 0) >> terminal & 1 and _runs_into(subject, word, text + lexeme):
                contexts = (lexer.contexts[c] for c in lexer.contexts_after.get(word, ()))
                if any(_offers(c.alternatives, c.keywords, terminal) for c in contexts):
                    found.setdefault(word, []).append(terminal)
    if not found:
        return
    listed = list(found)
    more = len(listed) - MAX_LISTED
    names = subject.list_names(listed[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
    # A pattern shows it better than another word.
    first, after = listed[0], min(found[listed[0]], key=lambda t: (t in subject.strings, t))
    yield Finding(
        CODE,
        Severity.NOTE,
        subject.place_of_terminal(first),
        f"after {names} no blank is needed before another word, as {subject.name(after)}: the "
        "lexer looks for no longer word there",
        words[first] + starts[after],
        f"nothing, if that does no harm; else end the word, as in /{words[first]}(?!\\w)/, or use "
        "lexer=basic",
    )


def _ignores_blanks(subject: Subject) -> bool:
    lexer = subject.grammar.lexer
    return any(match_length(lexer.patterns[t] or "", " ", lexer.re_flags) for t in lexer.ignored)


def _find_lexeme(subject: Subject, terminal: int) -> str | None:
    if subject.grammar.lexer.patterns[terminal] is None:
        return None
    found = find_common_lexeme(subject.grammar.lexer, (terminal,))
    return found.decode(errors="replace") if found else None


def _runs_into(subject: Subject, word: int, text: str) -> bool:
    """Return whether a context takes the word off the front of a text that goes on."""
    lexer, length = subject.grammar.lexer, len(subject.strings[word])
    for context in lexer.contexts:
        if word not in context.alternatives:
            continue
        for other in context.alternatives:
            found = match_length(lexer.patterns[other] or "", text, lexer.re_flags)
            if found is not None:
                if other == word and found == length:
                    return True
                break
    return False


def _offers(
    alternatives: tuple[int, ...],
    keywords: tuple[tuple[int, tuple[int, ...]], ...],
    terminal: int,
) -> bool:
    return terminal in alternatives or any(terminal in names for _, names in keywords)
