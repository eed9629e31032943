"""The scanner as tables of moves that end a lexeme, compared with the scanner itself."""

import pytest

from maskc.ids import DEAD, ENTRY
from maskc.lexer.scanner import contexts_after
from maskc.store.steps import build_steps
from tests.languages import language_of

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "if" NAME | NAME "." NAME\nNAME: /[a-z]+/\n%ignore " "\n',
    "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n",
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_each_move_is_one_of_the_scanners_and_none_is_missing(text):
    lexed = language_of(text).lexed
    scanner, steps = lexed.scanner, build_steps(lexed.grammar.lexer, lexed.scanner)
    after, n_classes = contexts_after(lexed.grammar.lexer), scanner.next.shape[1]
    for kind, (terminal, boundary) in enumerate(steps.kinds):
        named = after.get(terminal, ()) if terminal != ENTRY else range(scanner.enter.shape[1])
        for byte_class in range(n_classes):
            low, high = steps.move_first[kind * n_classes + byte_class :][:2].tolist()
            found = {
                (context, int(steps.move_state[move]))
                for move in range(low, high)
                for context in range(scanner.enter.shape[1])
                if steps.events[steps.move_event[move]].contexts >> context & 1
            }
            expected = {
                (context, int(scanner.entries[scanner.enter[boundary, context], byte_class]))
                for context in named
            }
            assert found == {(c, s) for c, s in expected if s != DEAD}
