"""Where can a keyword not be written as an identifier?

A string that an identifier's pattern matches too is a keyword: where the parser can take both,
the lexer gives the keyword. With the contextual lexer it is an identifier again wherever the
keyword itself is not legal, which may be what the author wants (soft keywords), or a trap: the
same name is good in one place and refused in another.

Example: with ``start: "let" NAME | NAME`` the text ``let`` is no NAME at the start, but ``let let``
is legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maskc.ids import TerminalId
from maskc.lint.derivations import Derivations
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import Subject
from maskc.lint.texts import Texts

CODE = "ML003"
MAX_LISTED = 12


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
                CODE,
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
                CODE,
                Severity.NOTE,
                subject.place_of_terminal(owner),
                f"{_list(subject, partly)} can be written as {name} in some places only: "
                f"{subject.name(worst)} is itself in {count} contexts that take {name}",
                find_witness(owner, worst),
                f"where both should do, write the alternative out, as in ({name} | "
                f"{subject.name(worst)}); to reserve the word everywhere, use lexer=basic",
            )


def _list(subject: Subject, keywords: Sequence[int]) -> str:
    listed = subject.list_names(keywords[:MAX_LISTED])
    more = len(keywords) - MAX_LISTED
    return f"{listed} and {more} more" if more > 0 else listed
