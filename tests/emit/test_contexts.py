"""The contexts in which a scanner state can be."""

import pytest

from maskc import bits
from maskc.emit.contexts import find_contexts
from maskc.ids import DEAD
from tests.languages import language_of

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "if" NAME | NAME "." NAME\nNAME: /[a-z]+/\n%ignore " "\n',
)


def test_a_state_that_one_context_enters_is_in_that_one():
    lexed = language_of(GRAMMARS[0]).lexed
    found = find_contexts(lexed.grammar.lexer, lexed.scanner)
    state = int(lexed.scanner.next[lexed.scanner.start, lexed.scanner.byte_class[ord("a")]])
    looks_for_a = {
        number
        for number, context in enumerate(lexed.grammar.lexer.contexts)
        if lexed.grammar.bnf.terminals.index("A") in context.alternatives
    }
    assert set(bits.iterate(found[state])) == looks_for_a


def test_the_start_is_in_the_first_context():
    lexed = language_of(GRAMMARS[0]).lexed
    found = find_contexts(lexed.grammar.lexer, lexed.scanner)
    assert found[lexed.scanner.start] == 1 << lexed.grammar.lexer.first_context


@pytest.mark.parametrize("text", GRAMMARS)
def test_a_context_stays_until_the_lexeme_ends(text):
    lexed = language_of(text).lexed
    found = find_contexts(lexed.grammar.lexer, lexed.scanner)
    for state, row in enumerate(lexed.scanner.next.tolist()):
        for target in set(row) - {DEAD}:
            assert state == DEAD or found[state] & ~found[target] == 0
