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


def test_the_ends_of_a_state_are_numbered_by_kind():
    lexed = language_of(GRAMMARS[1]).lexed
    steps = build_steps(lexed.grammar.lexer, lexed.scanner)
    for state, ends in enumerate(lexed.scanner.ends):
        low, high = steps.end_first[state : state + 2].tolist()
        assert tuple(steps.kinds[kind] for kind in steps.end_kind[low:high]) == ends


def test_each_boundary_is_entered_as_well():
    lexed = language_of(GRAMMARS[1]).lexed
    steps = build_steps(lexed.grammar.lexer, lexed.scanner)
    n_boundaries = len(lexed.scanner.closed)
    assert [kind.terminal for kind in steps.kinds[-n_boundaries:]] == [ENTRY] * n_boundaries
    assert [kind.boundary for kind in steps.kinds[-n_boundaries:]] == list(range(n_boundaries))
