"""The contexts in which a scanner state can be."""

import pytest

from maskc.emit.contexts import find_contexts
from maskc.ids import DEAD
from tests.languages import language_of

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "if" NAME | NAME "." NAME\nNAME: /[a-z]+/\n%ignore " "\n',
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_a_context_stays_until_the_lexeme_ends(text):
    lexed = language_of(text).lexed
    found = find_contexts(lexed.grammar.lexer, lexed.scanner)
    for state, row in enumerate(lexed.scanner.next.tolist()):
        for target in set(row) - {DEAD}:
            assert state == DEAD or found[state] & ~found[target] == 0
