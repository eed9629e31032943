"""The scanner: bytes into terminals; and what the end of a lexeme demands of what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maskc.dump.names import LookaheadNames, format_bytes, name_terminal
from maskc.grammar.model import Grammar
from maskc.ids import AT_END, DEAD, EMPTY_TEXT
from maskc.lexer.boundaries import LexemeContexts, PartialLexeme
from maskc.lexer.scanner import Scanner


def dump_scanner(grammar: Grammar, scanner: Scanner) -> Iterator[str]:
    """Yield each state with its moves and ends, then each boundary with the states it enters."""
    n_classes = scanner.next.shape[1]
    yield (
        f"{scanner.n_states} states, {n_classes} byte classes, {len(scanner.closed)} boundaries; "
        f"start {scanner.start}"
    )
    classes: list[list[int]] = [[] for _ in range(n_classes)]
    for byte, byte_class in enumerate(scanner.byte_class.tolist()):
        classes[byte_class].append(byte)
    for state in range(1, scanner.n_states):
        yield f"state {state}"
        yield from _moves(scanner.next[state].tolist(), classes, "goes on")
        for terminal, boundary in scanner.ends[state]:
            yield f"  may end as {name_terminal(grammar, terminal)}, boundary {boundary}"
        terminal_at_end = scanner.end_of_text[state]
        if terminal_at_end == EMPTY_TEXT:
            yield "  the text may end: no lexeme is open"
        elif terminal_at_end is not None:
            yield f"  the text may end: {name_terminal(grammar, terminal_at_end)}"
    for number, closed in enumerate(scanner.closed):
        yield f"boundary {number}{', where the text may end' if closed else ''}"
        for context, entry in enumerate(scanner.enter[number].tolist()):
            row = scanner.entries[entry].tolist()
            if any(row):
                yield from _moves(row, classes, f"in context {context}")


def _moves(row: Sequence[int], classes: Sequence[Sequence[int]], label: str) -> Iterator[str]:
    bytes_to: dict[int, list[int]] = {}
    for byte_class, target in enumerate(row):
        if target != DEAD:
            bytes_to.setdefault(target, []).extend(classes[byte_class])
    for target, found in sorted(bytes_to.items()):
        yield f"  {label}: {format_bytes(found)} -> {target}"


def dump_boundaries(
    grammar: Grammar, scanner: Scanner, boundaries: LexemeContexts
) -> Iterator[str]:
    """Yield the lookaheads, what can be lexed after each boundary, what open lexemes may become."""
    names = LookaheadNames(grammar, boundaries)
    yield f"{boundaries.n_lookaheads} lookaheads"
    for (terminal, boundary), lookahead in sorted(boundaries.number.items()):
        left = "the end of the text" if boundary == AT_END else f"boundary {boundary}"
        yield f"  {names.name(lookahead)}: {name_terminal(grammar, terminal)} at {left}"
    for number, row in enumerate(boundaries.rest):
        for layout_context, lookaheads in enumerate(row):
            enclosed, context = divmod(layout_context, boundaries.n_contexts)
            where = f"context {context}{' in brackets' if enclosed else ''}"
            yield f"after boundary {number} in {where}: {names.format(lookaheads)}"
    for state in range(1, scanner.n_states):
        open_lexeme = boundaries.open_lexemes[boundaries.open_lexeme_of[state]]
        yield f"open in state {state}: {format_open(open_lexeme, names)}"


def format_open(open_lexeme: PartialLexeme, names: LookaheadNames) -> str:
    """Return what an open lexeme may still become."""
    parts = [names.format(open_lexeme.direct)] if open_lexeme.direct else []
    if open_lexeme.ignored:
        parts.append(f"ignored at boundary {', '.join(map(str, open_lexeme.ignored))}")
    if open_lexeme.newlines:
        parts.append(f"a newline at boundary {', '.join(map(str, open_lexeme.newlines))}")
    return "; ".join(parts) or "nothing"
