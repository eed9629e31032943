"""Step 2: what the follow graph excludes is dropped.

If the graph has no edge from X to Y, no text has Y right behind X. A sequence with such a pair in
it is never legal, and a final behind X need not ask for a terminal that cannot follow.

Behind a newline with indentation come INDENT and DEDENT, and between brackets newlines do not
count, so nothing is concluded from them. Ignored lexemes are no part of a sequence.

Example: in python.lark only NAME and the soft keywords follow DEF, so of what a blank and a letter
may begin behind ``def`` nothing else is asked for.

Source: appendix, section 4.1, Figure 1; blog, step 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from maskc.grammar.model import LexerSpec
from maskc.grammar.sets import Terminals
from maskc.ids import DROPPED
from maskc.lexer.boundaries import Boundaries
from maskc.store.sequences import Event
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import rewrite


def drop_unfollowed(
    rows: Rows, follow: Mapping[int, Terminals], lexer: LexerSpec, boundaries: Boundaries
) -> Rows:
    """Return the rows without sequences that leave the follow graph."""
    words = rows.words
    newline = lexer.layout.newline if lexer.layout else None
    looks_of = {
        allowed: sum(
            1 << look
            for other, numbers in boundaries.of_terminal.items()
            if allowed >> other & 1
            for look in numbers
        )
        for allowed in set(follow.values())
    }
    looks = {terminal: looks_of[allowed] for terminal, allowed in follow.items()}

    def judge(before: Event, word: int) -> int:
        terminal = before.terminal
        if terminal == newline or terminal not in follow:
            return word
        event = words.event[word]
        if words.length[word]:
            excluded = event.terminal >= 0 and not follow[terminal] >> event.terminal & 1
            return DROPPED if excluded and event.terminal != newline else word
        final, _ = words.final(word)
        final = replace(final, direct=final.direct & looks[terminal])
        if not (final.direct or final.ignored or final.newlines):
            return DROPPED
        return words.close(words.number_final(final), event.column)

    def rule(asked: Sequence[tuple[Event, int]]) -> list[int]:
        return [judge(before, word) for before, word in asked]

    return rewrite(rows, rule)
