r"""Which terminals does the lexer take for one another?

- Two terminals *collide* (ML001) if they match the same lexeme and only Lark's order decides: after
  priorities come the longest possible match, the length of the pattern, and the name. A difference
  of priority is the author's word, and a string that a pattern matches too is a keyword: both are
  left alone. The witness stands alone; a collision that needs more text around it is not found.
- A terminal is *shadowed* (ML002) if, in every context that has it, another one is taken wherever
  it would match. The scanner says which terminals it gives, exactly; ignored terminals are not told
  apart there.
- Two *neighbours* (ML005) are side by side in the grammar and cannot be lexed apart: written one
  after the other they are one lexeme, or two others, and nothing that is ignored stands between.
- A *greedy quote* (ML012) reads on to the last quote: of ``"a", "b"`` ``".*"`` reads all. Only
  quotes of one character are looked for, with one repetition between them.

Example: ``INT: /[0-9]+/`` and ``HEX: /[0-9a-f]+/`` both match ``0``; with ``KEYWORD: /if|in/``
after ``NAME.1: /[a-z]+/`` no KEYWORD is ever lexed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from maskc.compiler.rows.unlexed import find_adjacencies
from maskc.ids import TerminalId
from maskc.lint.lexemes import find_common_lexeme
from maskc.lint.model import Finding, Severity
from maskc.lint.overlap import find_overlap
from maskc.lint.subject import GrammarSubject, Subject
from maskc.regular.match_length import match_length
from maskc.regular.python import read_python
from maskc.regular.tree import GREEDY, Expression, Look, Repeat, Sequence, children, literal

COLLISION = "ML001"


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
        lexeme = _find_common(subject, first, second)
        if lexeme is None or not all(_matches_all(subject, t, lexeme) for t in (first, second)):
            continue
        winner, loser = subject.name(first), subject.name(second)
        where = f"in {n_contexts} of {len(grammar.lexer.contexts)} contexts"
        yield Finding(
            COLLISION,
            Severity.WARNING,
            subject.place_of_terminal(second),
            f"{winner} and {loser} match the same text, and where both may come ({where}) "
            f"{winner} is taken, because Lark happens to try it first",
            lexeme.decode(errors="backslashreplace"),
            f"say which you mean with a priority, {loser}.1 or {winner}.1, or make the patterns "
            "exclude each other",
        )


def _find_common(subject: Subject, first: int, second: int) -> bytes | None:
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


def _matches_all(subject: Subject, terminal: int, lexeme: bytes) -> bool:
    text = lexeme.decode(errors="surrogateescape")
    pattern = subject.grammar.lexer.patterns[terminal] or ""
    return match_length(pattern, text, subject.grammar.lexer.re_flags) == len(text)


SHADOWED = "ML002"


def find_shadowed(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each terminal of the productions that no text holds."""
    grammar, scanner = subject.grammar, subject.scanner
    lexed = {terminal for ends in scanner.ends for terminal, _ in ends}
    lexed |= {terminal for terminal in scanner.end_of_text if terminal is not None}
    for terminal in sorted(subject.reduced.used_terminals - lexed):
        if grammar.lexer.patterns[terminal] is None or terminal in grammar.lexer.ignored:
            continue
        lexeme = find_common_lexeme(grammar.lexer, (terminal,))
        winners = _find_winners(subject, terminal, lexeme)
        name = subject.name(terminal)
        after = f": {subject.list_names(winners)} is taken instead" if winners else ""
        yield Finding(
            SHADOWED,
            Severity.ERROR,
            subject.place_of_terminal(terminal),
            f"{name} is never lexed{after}, so whatever needs it is in no text",
            lexeme.decode(errors="backslashreplace") if lexeme else None,
            f"give {name} a higher priority, as in {name}.1, or narrow what is taken instead",
        )


def _find_winners(subject: Subject, terminal: int, lexeme: bytes | None) -> list[int]:
    """Return which terminals Lark takes for the lexeme in the contexts that have the terminal."""
    if lexeme is None:
        return []
    grammar = subject.grammar
    text = lexeme.decode(errors="surrogateescape")
    winners = set()
    for context in grammar.lexer.contexts:
        keywords = {name for _, names in context.keywords for name in names}
        if terminal not in context.alternatives and terminal not in keywords:
            continue
        for candidate in context.alternatives:
            pattern = grammar.lexer.patterns[candidate] or ""
            if match_length(pattern, text, grammar.lexer.re_flags) is not None:
                winners.add(candidate)
                break
    return sorted(winners - {terminal})


NEIGHBOURS = "ML005"


def find_neighbours(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each pair of terminals that cannot be lexed apart."""
    grammar = subject.grammar
    found = find_adjacencies(grammar.lexer, subject.scanner, subject.boundaries, subject.table)
    for pair in found:
        first, second = (grammar.bnf.terminals.index(name) for name in (pair.first, pair.second))
        yield Finding(
            NEIGHBOURS,
            Severity.WARNING,
            subject.place_of_terminal(first),
            f"{subject.name(second)} right after {subject.name(first)} is in the grammar and in "
            "no text: the lexer cannot tell where one ends",
            pair.witness.decode(errors="backslashreplace"),
            "put a separator between them in the rule, ignore blanks, or narrow "
            f"{subject.name(first)}",
        )


GREEDY_QUOTES = "ML012"
_QUOTES: Mapping[Expression, str] = {literal(quote): quote for quote in "\"'`"}


def find_greedy_quotes(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each terminal that reads over its own closing quote."""
    lexer = subject.grammar.lexer
    for terminal, pattern in enumerate(lexer.patterns):
        if pattern is None:
            continue
        for quote in sorted(_find_quotes(read_python(pattern, lexer.re_flags))):
            witness = f"{quote}a{quote} {quote}b{quote}"
            if match_length(pattern, witness, lexer.re_flags) != len(witness):
                continue
            name = subject.name(terminal)
            yield Finding(
                GREEDY_QUOTES,
                Severity.WARNING,
                subject.place_of_terminal(terminal),
                f"{name} is greedy: it reads on to the last {quote} that it finds, not to the next",
                witness,
                f"leave the quote out of what may stand between: {quote}[^{quote}]*{quote}, or "
                f"with escapes {quote}(?:\\\\.|[^{quote}\\\\])*{quote}",
            )


def _find_quotes(node: Expression) -> Iterator[str]:
    """Yield the quotes that stand right before and after a greedy repetition of a set."""
    if isinstance(node, Sequence):
        parts = node.parts
        for before, here, after in zip(parts, parts[1:], parts[2:], strict=False):
            is_greedy = isinstance(here, Repeat) and here.mode == GREEDY
            if is_greedy and before == after and before in _QUOTES:
                yield _QUOTES[before]
    if not isinstance(node, Repeat | Look):
        for inner in children(node):
            yield from _find_quotes(inner)
