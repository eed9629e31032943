"""Law: each streamlining step of a general grammar leaves every mask as it was, token by token.

As ``test_steps_change_no_mask``. Grammars are ambiguous, with empty rules, cycles, and recursion on
every side; the raw artifact decides nothing by the state on top, and asks about every row.
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import MaskcError
from tests.compiled import compile_text
from tests.examples import examples
from tests.general_grammars import draw_general_grammar, general_grammar
from tests.laws.test_steps_change_no_mask import (
    ALPHABET,
    compare_steps,
    draw_bracket_grammar,
    draw_strings,
)

LEXERS = ["dynamic", "dynamic_complete", "basic"]


def compare(text: str, tokens: tuple[bytes, ...], draw: Random, lexer: str) -> int:
    """Walk at random; return how many masks were compared, none if the grammar is refused."""
    settings = {"parser": "earley", "lexer": lexer}
    try:
        compile_text(text, tokens[:1], **settings)
    except MaskcError:
        return 0
    return compare_steps(text, tokens, draw, walks=3, longest=25, **settings)


@examples(24)
@given(st.integers(0, 100_000), st.sampled_from(LEXERS))
def test_no_step_changes_a_mask_of_a_random_grammar(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_general_grammar(draw)
    compare(text, draw_strings(draw, alphabet), draw, lexer)


@examples(12)
@given(st.integers(0, 100_000), st.sampled_from(LEXERS))
def test_no_step_changes_a_mask_of_a_grammar_with_brackets(seed, lexer):
    draw = Random(seed)
    text = draw_bracket_grammar(draw)
    tokens = draw_strings(draw, ALPHABET + (" " if "%ignore" in text else ""))
    compare(text, tokens, draw, lexer)


NAMED = {
    "palindromes": "ab",
    "ambiguous_lists": "a",
    "expressions": "a1+- (",
    "hidden_left_recursion": "abc",
    "right_recursion": "[x,]",
    "reduce_reduce": "a,;!b",
}


@pytest.mark.parametrize("lexer", LEXERS)
@pytest.mark.parametrize("name", NAMED)
def test_no_step_changes_a_mask_of_a_named_grammar(name, lexer):
    draw = Random(7)
    tokens = draw_strings(draw, NAMED[name])
    assert compare(general_grammar(name), tokens, draw, lexer) > 5
