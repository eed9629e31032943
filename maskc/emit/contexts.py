"""In which contexts can a lexer state be?

A context enters the scanner with the first byte of a lexeme, and stays until the lexeme ends. More
contexts than can really be met are returned where the grammar never names a context after a
boundary; none is left out.
"""

from __future__ import annotations

from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD
from maskc.lexer.scanner import Scanner


def find_contexts(lexer: LexerSpec, scanner: Scanner) -> tuple[int, ...]:
    """Return the contexts of each scanner state, as bits."""
    found = [0] * scanner.n_states
    found[scanner.start] = 1 << lexer.first_context
    for entries in scanner.enter:
        for context, entry in enumerate(entries.tolist()):
            for state in set(scanner.entries[entry].tolist()):
                found[state] |= 1 << context
    following = [set(row) - {DEAD} for row in scanner.next.tolist()]
    pending = [state for state in range(scanner.n_states) if found[state] and state != DEAD]
    while pending:
        state = pending.pop()
        for target in following[state]:
            if found[state] & ~found[target]:
                found[target] |= found[state]
                pending.append(target)
    return tuple(found)
