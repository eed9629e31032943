"""Which terminals of the grammar does the lexer never give?

A terminal is shadowed if, in every context that has it, another one is taken wherever it would
match. The parser waits for it in vain, so what is written with it is in no text.

Example: with ``KEYWORD: /if|in/`` after ``NAME.1: /[a-z]+/`` no KEYWORD is ever lexed.

The scanner says which terminals it gives, exactly; ignored terminals are not told apart there.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.frontends.match_length import match_length
from maskc.lint.lexemes import find_common_lexeme
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import Subject

CODE = "ML002"


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
            CODE,
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
