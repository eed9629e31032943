"""Masks of narrowed terminals are exact, by every short text that Lark parses and its own lexemes.

A text is of the narrowed language if Lark parses it, and each of its tokens of a hole's terminal is
one of the words. As in the first law, a legal prefix that no short text continues must have a
longer continuation, which is asked for and held against Lark.
"""

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st
from lark.exceptions import LarkError

import maskc
from maskc.errors import GrammarError, HoleError, MaskcError, UnknownSymbolError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import compile_text, draw_readable_grammar
from tests.examples import examples
from tests.laws.test_masks_are_exact import walk
from tests.laws.test_postlex_rules import draw_rules
from tests.random_grammars import (
    accepted_texts,
    draw_grammar,
    draw_layout_grammar,
    draw_tokens,
    lark_accepts,
)

LONGEST = 5


def list_lexemes(lark, text):
    """Return the terminals and lexemes that Lark's lexer finds in a text that it parses."""
    interactive = lark.parse_interactive(text)
    return [(token.type, str(token)) for token in interactive.exhaust_lexer()]


def is_narrowed(lark, text, holes):
    """Return whether Lark parses a text, and its lexemes are among the words."""
    if not lark_accepts(lark, text):
        return False
    try:
        lexemes = list_lexemes(lark, text)
    except (LarkError, IndexError, AssertionError):
        return False
    return all(holes[name](lexeme) for name, lexeme in lexemes if name in holes)


def draw_words(lark, accepted):
    """Return the lexemes of each terminal that can be narrowed, in some texts."""
    lexemes = {}
    for text in sorted(accepted):
        for name, lexeme in list_lexemes(lark, text):
            if lexeme and name not in ("_NL", "_INDENT", "_DEDENT"):
                lexemes.setdefault(name, set()).add(lexeme)
    return {name: sorted(own) for name, own in sorted(lexemes.items())}


def draw_holes(draw, lark, accepted, alphabet):
    """Return some terminals with words to which they are narrowed."""
    lexemes, holes = draw_words(lark, accepted), {}
    for name in draw.sample(sorted(lexemes), min(len(lexemes), draw.choice([1, 1, 2]))):
        own = lexemes[name]
        words = set(draw.sample(own, min(len(own), draw.choice([0, 1, 1, 2, 3]))))
        for _ in range(draw.choice([0, 0, 1, 2])):
            words.add("".join(draw.choices(alphabet, k=draw.randint(1, 3))))
        holes[name] = sorted(words)
    return holes


def check_holes(draw, text, alphabet, longest, *, compiles=False, **settings_):
    """Walk all prefixes; return how many masks were compared, ``None`` if words are refused."""
    lark = build_lark(load_source(text, **settings_))
    accepted = accepted_texts(lark, alphabet, longest)
    tokens = draw_tokens(draw, alphabet)
    try:
        artifact = compile_text(text, tokens, **settings_)
    except GrammarError:  # no text at all
        return 0
    holes = draw_holes(draw, lark, accepted, alphabet)
    if not holes:
        return 0
    allows = {name: set(words).__contains__ for name, words in holes.items()}
    try:
        bound = maskc.narrow(artifact, **holes) if compiles else artifact.bind(**holes)
    except GrammarError:  # no text at all
        assert compiles
        assert not any(is_narrowed(lark, short, allows) for short in accepted)
        return None
    except (HoleError, UnknownSymbolError):
        return None

    def is_text(text):
        return is_narrowed(lark, text, allows)

    return walk(is_text, bound.matcher(), set(filter(is_text, accepted)), tokens, longest)


@given(st.integers(0, 2**32))
@examples(40)
def test_masks_of_narrowed_terminals_are_exact(seed):
    draw = Random(seed)
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    check_holes(draw, text, alphabet, LONGEST)


@given(st.integers(0, 2**32))
@examples(25)
def test_masks_of_terminals_narrowed_to_any_words_are_exact(seed):
    draw = Random(seed)
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    check_holes(draw, text, alphabet, LONGEST, compiles=True)


@given(st.integers(0, 2**32), st.booleans())
@example(53, True)  # a dropped lexeme that is none of the words
@examples(15)
def test_masks_of_narrowed_terminals_are_exact_where_lexemes_are_dropped(seed, compiles):
    draw = Random(seed)
    text, alphabet = draw_grammar(draw)
    names = [line.split(":")[0].split(".")[0] for line in text.splitlines() if line[0] == "T"]
    text = f"{draw_rules(draw, names)}{text}%declare NEW\n"
    try:
        build_lark(load_source(text))
    except MaskcError:
        return
    check_holes(draw, text, alphabet, LONGEST, compiles=compiles)


@given(st.integers(0, 2**32))
@examples(6)
def test_masks_of_narrowed_terminals_between_indents_are_exact(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    check_holes(draw, text, alphabet, LONGEST, postlex="tests.indenters:TwoColumns")
