"""Sets of states on top hold what the table does on every stack."""

import itertools

import pytest

from maskc.ids import END
from maskc.parser.driver import Outcome, drive_lalr
from maskc.parser.moves import Moves
from tests.languages import language_of, terminal

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: e\ne: "-" e | e "-" | "a"\n',
    'start: x "a" | "b" x\nx: | "c" x\n',
    'start: start "," start | "a" |\n',
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_no_state_that_can_be_on_top_is_left_out(text):
    grammar = language_of(text).lexed.grammar
    moves, driver = Moves(grammar), drive_lalr(grammar)
    terminals = [t for t in range(len(grammar.bnf.terminals)) if t != END]
    for length in range(1, 5):
        for sequence in itertools.product(terminals, repeat=length):
            stack, possible = [0], 1
            for taken in sequence:
                if driver.take(stack, taken) is not Outcome.TAKES:
                    break
                possible = moves.after(taken, possible)
                assert possible >> stack[-1] & 1


def test_an_indent_goes_with_its_newline():
    language = language_of(
        'start: "a" _NL (_INDENT "b" _NL _DEDENT)?\n_NL: /\\n[ ]*/\n%declare _INDENT _DEDENT\n',
        postlex="tests.indenters:TwoColumns",
    )
    moves = Moves(language.lexed.grammar)
    after = moves.after(
        terminal(language, "_NL"), moves.after(terminal(language, "A"), moves.everywhere)
    )
    assert moves.after(terminal(language, "B"), after) != 0
