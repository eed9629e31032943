"""Law: whoever else uses an artifact, and whatever it forgets, a text has its own masks and spans.

Plain texts, those with captures, with restricted terminals and with words that follow the text take
turns, of several start symbols. The judge of each has an artifact of its own start symbol, whose
tokens are single bytes, and is never asked for a mask.
"""

import contextlib
import zlib
from random import Random

import pytest

import maskc
from maskc import Artifact
from maskc.compiler.pipeline import compile_contents, compile_starts
from maskc.errors import MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import draw_readable_grammar
from tests.examples import seeds
from tests.laws.test_budgets_of_calls import BYTES, make_vocabulary
from tests.laws.test_holes import draw_words
from tests.laws.test_requests_in_turn import CACHES, take_turns
from tests.random_grammars import accepted_texts, draw_tokens


def list_makers(draw, words):
    """Return what makes subjects of an artifact: plain, with captures, words, words that follow."""
    found = [lambda artifact: artifact] * 2
    for name in ("start", "x", "y", *words):
        found.append(lambda artifact, name=name: maskc.capture(artifact, name))
    for hole in words:
        some = draw.sample(words[hole], min(len(words[hole]), draw.randint(1, 3)))
        found.append(lambda artifact, hole=hole, some=some: artifact.bind(**{hole: some}))
        follow = follow_by_chance(hole, words[hole], draw.randint(0, 1000))
        name = draw.choice(["start", "x", "y", *words])
        found.append(lambda a, name=name, f=follow: maskc.follow(a, name, on_complete=f))
    return found


def follow_by_chance(hole, words, salt):
    def on_complete(written):
        own = Random(zlib.crc32(repr((salt, hole, written)).encode()))
        return {hole: own.sample(words, min(len(words), own.choice([1, 1, 2, 3])))}

    return on_complete


@pytest.mark.costly
@pytest.mark.parametrize("seed", seeds(60))
def test_texts_of_one_artifact_have_their_own_masks_and_spans(seed):
    draw, requests, starts = Random(seed), [], ("start", "x", "y")
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    sources = [load_source(text, start=start) for start in starts]
    tokens = draw_tokens(draw, alphabet)
    try:
        contents = compile_starts(sources, make_vocabulary(tokens))[0]
        alone = {source.start: compile_contents(source, BYTES)[0] for source in sources}
    except MaskcError:
        return
    lark = build_lark(sources[0])
    words = draw_words(lark, accepted_texts(lark, alphabet, 4))
    artifact = Artifact(contents, cache_bytes=draw.choice(CACHES))
    for make in list_makers(draw, words):
        start = draw.choice(starts)
        with contextlib.suppress(MaskcError):
            requests.append((make(artifact.for_start(start)), make(Artifact(alone[start]))))
    if requests:
        take_turns(draw, requests, tokens, 100)
