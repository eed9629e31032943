"""Where are keywords and names mistaken for each other?

A string that an identifier's pattern matches too is a *keyword* (ML003): where the parser can take
both, the lexer gives the keyword. With the contextual lexer it is an identifier again wherever the
keyword itself is not legal, which may be what the author wants, or a trap: the same name is good in
one place and refused in another.

Where the lexer looks for a word and for no name beside it, nothing keeps the word from ending in
the middle of a longer one (ML013): ``returnx`` is read as ``return x``. The two are adjacent in
some text, and the lexer's own order is asked in each context; that the parser comes into that
context there is not.

Example: with ``start: "let" NAME | NAME`` the text ``let`` is no NAME at the start, but ``let let``
is legal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from maskc import bits
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END, TerminalId
from maskc.lint.derivations import Derivations
from maskc.lint.lexemes import find_common_lexeme
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import Subject
from maskc.lint.texts import Texts
from maskc.regular.match_length import match_length

KEYWORDS = "ML003"
MAX_KEYWORDS = 12


def find_keywords(subject: Subject) -> Iterator[Finding]:
    """Yield, for each identifier, its reserved keywords and those reserved in some places only."""
    grammar = subject.grammar
    wanted_in: dict[int, set[int]] = {}  # identifier → contexts in which the parser takes it
    for state, row in enumerate(grammar.lalr.states):
        for terminal in (*row.shifts, *row.reduces):
            wanted_in.setdefault(terminal, set()).add(grammar.lalr.context_of[state])
    lost: dict[TerminalId, dict[TerminalId, set[int]]] = {}  # identifier → keyword → contexts
    for number, context in enumerate(grammar.lexer.contexts):
        for owner, names in context.keywords:
            if owner in grammar.lexer.ignored or number not in wanted_in.get(owner, ()):
                continue
            for keyword in names:
                if keyword in grammar.lexer.roles:
                    continue
                lost.setdefault(owner, {}).setdefault(keyword, set()).add(number)
    if not lost:
        return
    derivations, texts = Derivations(grammar), Texts(grammar, subject.scanner)

    def find_witness(owner: int, keyword: int) -> str | None:
        """Return a shortest text whose last lexeme is the keyword and could be the identifier."""
        arrivals = [
            arrival.terminals
            for state, row in enumerate(grammar.lalr.states)
            if (owner in row.shifts or owner in row.reduces) and keyword in row.shifts
            if (arrival := derivations.find_arrival(state))
        ]
        best = min(arrivals, key=len, default=None)
        text = None if best is None else texts.find_text((*best, keyword))
        return text or subject.strings.get(keyword)

    for owner, keywords in sorted(lost.items()):
        n_contexts = len(wanted_in[owner])
        reserved = [k for k, found in sorted(keywords.items()) if len(found) == n_contexts]
        partly = [k for k in sorted(keywords) if k not in reserved]
        name = subject.name(owner)
        if reserved:
            yield Finding(
                KEYWORDS,
                Severity.NOTE,
                subject.place_of_terminal(owner),
                f"{_list(subject, reserved)} can nowhere be written as {name}",
                find_witness(owner, reserved[0]),
                f"nothing, if they are reserved words; else let the rule take {name} or the "
                "keyword",
            )
        if partly:
            worst = max(partly, key=lambda k: len(keywords[k]))
            count = f"{len(keywords[worst])} of {n_contexts}"
            yield Finding(
                KEYWORDS,
                Severity.NOTE,
                subject.place_of_terminal(owner),
                f"{_list(subject, partly)} can be written as {name} in some places only: "
                f"{subject.name(worst)} is itself in {count} contexts that take {name}",
                find_witness(owner, worst),
                f"where both should do, write the alternative out, as in ({name} | "
                f"{subject.name(worst)}); to reserve the word everywhere, use lexer=basic",
            )


def _list(subject: Subject, keywords: Sequence[int]) -> str:
    listed = subject.list_names(keywords[:MAX_KEYWORDS])
    more = len(keywords) - MAX_KEYWORDS
    return f"{listed} and {more} more" if more > 0 else listed


UNPARTED = "ML013"
MAX_WORDS = 8


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
    more = len(listed) - MAX_WORDS
    names = subject.list_names(listed[:MAX_WORDS]) + (f" and {more} more" if more > 0 else "")
    # A pattern shows it better than another word.
    first, after = listed[0], min(found[listed[0]], key=lambda t: (t in subject.strings, t))
    yield Finding(
        UNPARTED,
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
