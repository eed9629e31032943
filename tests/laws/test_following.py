"""Holes that follow the text: masks are exact, by Lark's own trees of every short text.

What was written before a lexeme is read off the tree of the whole text: the captured symbols that
end before it, inner ones first. A random function of that says which words the lexeme may be.
"""

import zlib
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

import maskc
from maskc.errors import CaptureError, GrammarError, HoleError, UnknownSymbolError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import compile_text, draw_readable_grammar
from tests.examples import examples
from tests.laws.dense.judges import TreeJudge
from tests.laws.test_holes import draw_words
from tests.laws.test_masks_are_exact import walk
from tests.random_grammars import accepted_texts, draw_layout_grammar, draw_tokens

LONGEST = 5


def check_following(draw, text, alphabet, longest, **settings_):
    """Walk all prefixes; return how many masks were compared, ``None`` if words are refused."""
    lark = build_lark(load_source(text, **settings_))
    accepted = accepted_texts(lark, alphabet, longest)
    tokens = draw_tokens(draw, alphabet)
    try:
        artifact = compile_text(text, tokens, **settings_)
    except GrammarError:  # no text at all
        return 0
    words = draw_words(lark, accepted)
    if not words:
        return 0
    names = [n for n in ("start", "x", "y", "stmt", "simple", *words) if draw.random() < 0.5]
    holes = draw.sample(sorted(words), min(len(words), draw.choice([1, 1, 2])))
    salt = draw.randint(0, 1000)

    def on_complete(written):
        found = {}
        for hole in holes:
            seed = zlib.crc32(repr((salt, hole, written)).encode())
            own = Random(seed)
            found[hole] = own.sample(words[hole], min(len(words[hole]), own.choice([1, 1, 2, 3])))
        return found

    known = []
    for name in names:
        try:
            maskc.capture(artifact, name)
            known.append(name)
        except (CaptureError, UnknownSymbolError):
            pass  # ignored, or not used
    if not known:
        return 0

    judge = TreeJudge(
        text, alphabet, 0, names=known, on_complete=on_complete, postlex=settings_.get("postlex")
    )
    try:
        matcher = maskc.follow(artifact, *known, on_complete=on_complete).matcher()
        texts = set(filter(judge.is_text, accepted))
        return walk(judge.is_text, matcher, texts, tokens, longest)
    except HoleError:
        return None


@given(st.integers(0, 2**32))
@example(262132)  # terminals that interegular fails with
@examples(25)
def test_masks_of_holes_that_follow_the_text_are_exact(seed):
    draw = Random(seed)
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    check_following(draw, text, alphabet, LONGEST)


@given(st.integers(0, 2**32))
@examples(15)
def test_masks_of_holes_that_follow_indented_texts_are_exact(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    check_following(draw, text, alphabet, 4, postlex="tests.indenters:TwoColumns")
