"""Law 1 for a postlex that is written as rules: masks are exactly what Lark parses with it.

Lark runs the rules on its lexemes; the compiled scanner has them built in, and shares no code.
"""

from random import Random

import pytest

from maskc.errors import MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.examples import seeds
from tests.laws.test_masks_are_exact import check_language
from tests.random_grammars import draw_grammar, draw_tokens

NESTED = """
start: x*
x: A | B | N | LP y RP | LB y RB
y: x* | A N B
A: "a"
B: /b+/
N: "#"
LP: "("
RP: ")"
LB: ":"
RB: "!"
"""


def draw_rules(draw, names, brackets=()):
    """Return a comment with rules about terminals of these names."""
    words = ["postlex=rules"]
    for _ in range(draw.choice([1, 1, 2, 3])):
        terminal, other = draw.choice(names), draw.choice([*names, "NEW"])
        head = f"drop:{terminal}" if other == terminal else f"rename:{terminal}:{other}"
        if draw.random() < 0.5:
            head = f"drop:{terminal}"
        for condition, mark in (("before", "$END"), ("after", "$START")):
            if draw.random() < 0.5:
                chosen = draw.sample([*names, mark], draw.choice([1, 1, 2]))
                head += f":{condition}:{','.join(chosen)}"
        if brackets and draw.random() < 0.7:
            head += f":between:{draw.choice(brackets)[0]}"
        words.append(f"rule={head}")
    if draw.random() < 0.5:
        words.append(f"always_accept={draw.choice(names)}")
    if brackets:
        words.append(f"brackets={','.join(':'.join(pair) for pair in brackets)}")
    return f"// maskc: {' '.join(words)}\n"


def check(text, alphabet, longest, tokens, lexer):
    try:
        build_lark(load_source(text, lexer=lexer))
    except MaskcError:
        return 1
    return check_language(text, alphabet, longest, tokens, lexer=lexer)


@pytest.mark.parametrize("seed", seeds(60))
@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_a_mask_is_exact_where_lexemes_are_dropped_and_renamed(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_grammar(draw)
    names = [line.split(":")[0].split(".")[0] for line in text.splitlines() if line[0] == "T"]
    text = f"{draw_rules(draw, names)}{text}%declare NEW\n"
    if draw.random() < 0.5:
        text = text.replace("start: ", "start: NEW T0 | ", 1)
    longest = {2: 7, 3: 5, 4: 4}[len(alphabet)]
    assert check(text, alphabet, longest, draw_tokens(draw, alphabet), lexer) > 0


@pytest.mark.parametrize("seed", seeds(25))
@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_a_mask_is_exact_where_rules_look_at_brackets(seed, lexer):
    draw = Random(seed)
    text = NESTED
    if draw.random() < 0.5:
        text = text.replace("y: x*", "y: A LP N RP B | x*")
    if draw.random() < 0.5:
        text = text.replace("x: A", "x: LP LB A RB RP N?")
    if draw.random() < 0.3:
        text += '%ignore " "\n'
    pairs = [("LP", "RP"), ("LB", "RB")]
    brackets = draw.choice([pairs, pairs, pairs[:1]])
    text = f"{draw_rules(draw, ['A', 'B', 'N'], brackets)}{text}%declare NEW\n"
    alphabet = draw.choice(["a#()", "b#(:!)", "a#:!", "ab#()", "a ():!"])
    tokens = draw_tokens(draw, alphabet)
    assert check(text, alphabet, 4, tokens, lexer) > 0
