"""Which terminals match the same lexeme, where only Lark's order decides between them?

Lark tries the terminals of a context in order: priority, then the longest possible match, then the
length of the pattern, then the name. A difference of priority is the author's word, and a string
that a pattern matches too is a keyword, so both are left alone. What remains is decided by how the
patterns happen to be written, and nothing says so.

Example: ``INT: /[0-9]+/`` and ``HEX: /[0-9a-f]+/`` both match ``0``.

The witness stands alone, at the start and at the end of a text; a collision that needs more text
around it is not found.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.frontends.match_length import match_length
from maskc.ids import TerminalId
from maskc.lint.lexemes import find_common_lexeme
from maskc.lint.model import Finding, Severity
from maskc.lint.overlap import find_overlap
from maskc.lint.subject import Subject

CODE = "ML001"


def find_collisions(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each pair of terminals that some context tries one after the other."""
    grammar = subject.grammar
    pairs: dict[tuple[TerminalId, TerminalId], int] = {}
    for context in grammar.lexer.contexts:
        for position, first in enumerate(context.alternatives):
            for second in context.alternatives[position + 1 :]:
                pairs[first, second] = pairs.get((first, second), 0) + 1
    for context in grammar.lexer.contexts:
        for owner, names in context.keywords:
            for name in names:
                pairs.pop((owner, name), None)
                pairs.pop((name, owner), None)
    for (first, second), n_contexts in sorted(pairs.items()):
        if not _is_silent(subject, first, second):
            continue
        lexeme = _find_witness(subject, first, second)
        if lexeme is None or not all(_matches(subject, t, lexeme) for t in (first, second)):
            continue
        winner, loser = subject.name(first), subject.name(second)
        where = f"in {n_contexts} of {len(grammar.lexer.contexts)} contexts"
        yield Finding(
            CODE,
            Severity.WARNING,
            subject.place_of_terminal(second),
            f"{winner} and {loser} match the same text, and where both may come ({where}) "
            f"{winner} is taken, because Lark happens to try it first",
            lexeme.decode(errors="backslashreplace"),
            f"say which you mean with a priority, {loser}.1 or {winner}.1, or make the patterns "
            "exclude each other",
        )


def _find_witness(subject: Subject, first: int, second: int) -> bytes | None:
    """Return a lexeme of both terminals: interegular's, if it knows one, else our own search's."""
    patterns, flags = subject.grammar.lexer.patterns, subject.grammar.lexer.re_flags
    known = find_overlap(patterns[first] or "", patterns[second] or "", flags)
    if known is not None:
        return known.encode(errors="surrogateescape")
    return find_common_lexeme(subject.grammar.lexer, (first, second))


def _is_silent(subject: Subject, first: int, second: int) -> bool:
    names = subject.grammar.bnf.terminals[first], subject.grammar.bnf.terminals[second]
    if subject.priorities.get(names[0]) != subject.priorities.get(names[1]):
        return False
    texts = subject.strings.get(first), subject.strings.get(second)
    return None in texts or texts[0] == texts[1]


def _matches(subject: Subject, terminal: int, lexeme: bytes) -> bool:
    text = lexeme.decode(errors="surrogateescape")
    pattern = subject.grammar.lexer.patterns[terminal] or ""
    return match_length(pattern, text, subject.grammar.lexer.re_flags) == len(text)
