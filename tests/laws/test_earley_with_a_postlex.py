"""Law 1 for Earley with a postlex, which is read as LALR: masks are what Lark's Earley parses.

A grammar whose table has conflicts is refused; where there is none, no text may be lost.
"""

from random import Random

import pytest
from lark import Lark

from maskc.errors import MaskcError
from maskc.frontends.lark.rule_postlex import build_postlex
from maskc.frontends.source import load_source
from tests.compiled import compile_text
from tests.examples import seeds
from tests.laws.test_masks_are_exact import check_language
from tests.laws.test_postlex_rules import draw_rules
from tests.random_grammars import draw_grammar, draw_layout_grammar, draw_tokens

INDENTER = (
    "// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT "
    "OPEN_PAREN_types=LP,( CLOSE_PAREN_types=RP,) tab_len=2\n"
)


def check(text, alphabet, longest, tokens):
    try:
        compile_text(text, tokens, parser="earley")
    except MaskcError as error:
        if "no text at all" not in str(error):
            return 1
    source = load_source(text, parser="earley")
    lark = Lark(source.text, parser="earley", lexer="basic", postlex=build_postlex(source.postlex))
    return check_language(text, alphabet, longest, tokens, lark=lark, parser="earley")


@pytest.mark.parametrize("seed", seeds(40))
def test_a_mask_is_exact_where_lexemes_are_dropped_and_renamed(seed):
    draw = Random(seed)
    text, alphabet = draw_grammar(draw)
    names = [line.split(":")[0].split(".")[0] for line in text.splitlines() if line[0] == "T"]
    text = f"{draw_rules(draw, names)}{text}%declare NEW\n"
    longest = {2: 6, 3: 4, 4: 3}[len(alphabet)]
    assert check(text, alphabet, longest, draw_tokens(draw, alphabet)) > 0


@pytest.mark.parametrize("seed", seeds(25))
def test_a_mask_is_exact_between_indents(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    assert check(f"{INDENTER}{text}", alphabet, 5, draw_tokens(draw, alphabet)) > 0
