"""How items are completed, compared with what the table does on short sequences."""

import itertools

import pytest

from maskc import bits
from maskc.ids import END
from maskc.parser.completion import build_completions
from maskc.parser.driver import Outcome, drive_lalr
from tests.languages import language_of

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
    'start: "(" x ")" | "[" x "]"\nx: "a" |\n',
    'start: start "," start | "a"\n',
)


def completions_of(text):
    """Return a language and its relations where the lexer forbids nothing: terminals alone."""
    language = language_of(text)
    grammar = language.lexed.grammar
    everything = (1 << len(grammar.bnf.terminals)) - 1
    own = {t: (t,) for t in range(len(grammar.bnf.terminals))}
    found = build_completions(grammar, language.item_sets, own, lambda _, __, ___: everything)
    return language, found.items


@pytest.mark.parametrize("text", GRAMMARS)
def test_a_text_can_begin_with_what_completes_the_root(text):
    language, items = completions_of(text)
    grammar = language.lexed.grammar
    driver = drive_lalr(grammar)
    terminals = [t for t in range(len(grammar.bnf.terminals)) if t != END]
    found = set()
    for length in range(1, 6):
        for sequence in itertools.product(terminals, repeat=length):
            stack = [0]
            outcomes = (driver.take(stack, t) for t in (*sequence, END))
            if all(outcome in (Outcome.TAKES, Outcome.ENDS) for outcome in outcomes):
                found.add(sequence[0])
    assert set(bits.iterate(items[0, -1, 0, False].preimage(1 << END))) == found
