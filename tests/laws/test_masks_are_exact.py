"""Law 1: a filled mask is exactly the legal set, by every short text that Lark parses.

A prefix of a parsed text must be legal. A legal prefix that no short text continues must have a
longer continuation: the compiled grammar is asked for one, and Lark must parse it.
Law 2 follows: every legal token leads on.
"""

from codecs import getincrementaldecoder
from collections import deque
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import GrammarError, MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import compile_text, legal_ids
from tests.examples import examples, seeds
from tests.random_grammars import (
    accepted_texts,
    draw_grammar,
    draw_layout_grammar,
    draw_tokens,
    lark_accepts,
)

LAYOUT = {"postlex": "tests.indenters:TwoColumns"}
# Characters that completions may need: `è` and `×` begin with the byte that `é` begins with, and
# one of them is no word character.
MORE = "abéÉè× AB!\n():\t#"


def completion(matcher):
    """Return what the compiled grammar accepts next, to its end.

    A short end is searched broadly. Where configurations hold what was written, as in comments of a
    text that follows itself, there are too many for that, and it is drawn.
    """
    found = search_completion(matcher, 500)
    walks = (walk_to_end(matcher, Random(number)) for number in range(20))
    found = found if found is not None else next((w for w in walks if w is not None), None)
    return found if found is not None else search_completion(matcher, 20_000)


def search_completion(matcher, most):
    pending, seen = deque([(matcher, "")]), set()
    while pending and len(seen) < most:
        here, written = pending.popleft()
        if here.is_accepting:
            return written
        for character in MORE:
            after = here.fork()
            if after.accept_bytes(character.encode()) and after.configuration() not in seen:
                seen.add(after.configuration())
                pending.append((after, written + character))
    return None


def walk_to_end(matcher, draw):
    here, written = matcher.fork(), ""
    while not here.is_accepting:
        next_ = (c for c in draw.sample(MORE, len(MORE)) if here.accept_bytes(c.encode()))
        character = next(next_, None)
        if character is None or len(written) > 100:
            return None
        written += character
    return written


def check_language(
    text, alphabet, longest, tokens, find_rest=None, lark=None, codec="utf-8", **settings_
):
    """Walk all prefixes; return how many masks were compared.

    ``find_rest`` takes a matcher and the bytes before it, and returns bytes up to an end. ``lark``
    says what is a text, if it is not the parser of the source; ``codec`` makes bytes of texts.
    """
    lark = lark or build_lark(load_source(text, **settings_))
    accepted = accepted_texts(lark, alphabet, longest)
    try:
        artifact = compile_text(text, tokens, **settings_)
    except GrammarError:  # no text at all
        assert not accepted
        return 1

    def is_text(text):
        return lark_accepts(lark, text)

    return walk(is_text, artifact.matcher(), accepted, tokens, longest, find_rest, codec)


def walk(is_text, start, accepted, tokens, longest, find_rest=None, codec="utf-8"):
    """Hold the masks after all short prefixes against the language; return how many there were.

    Args:
        is_text: returns whether a text is one of the language.
        start: a matcher at the start.
        accepted: the short texts of the language.
        tokens: of the vocabulary, the end of sequence excluded.
        longest: of these texts.
        find_rest: as of `check_language`.
        codec: likewise.
    """
    find_rest = find_rest or whole_completion
    encoded = [text.encode(codec) for text in accepted]
    prefixes = {data[:i] for data in encoded for i in range(len(data) + 1)}
    sure = {*prefixes}
    n_masks, rests = 0, {}
    pending, seen = [(b"", start)], {b""}
    while pending:
        written, matcher = pending.pop()
        n_masks += 1
        legal = legal_ids(matcher, len(tokens) + 1)
        may_end = written.decode(codec, errors="replace") in accepted
        assert (len(tokens) in legal) == may_end == matcher.is_accepting, written
        forced = matcher.forced_bytes()
        for token_id, token in enumerate(tokens):
            after = matcher.fork()
            assert after.accept_token(token_id) == (token_id in legal), (written, token)
            longer = written + token
            if token_id not in legal:
                assert longer not in sure, (written, token)
                continue
            if longer not in prefixes:
                # What can come next depends on where the matcher is, and on nothing before.
                key = (after.configuration(), cut_character(longer) if codec == "utf-8" else b"")
                if key not in rests:
                    rests[key] = find_rest(after, longer)
                assert rests[key] is not None, (written, token)
                whole = longer + rests[key]
                witness = whole.decode(codec)
                assert is_text(witness), (written, token, witness)
                prefixes |= {whole[:i] for i in range(len(whole) + 1)}
            common = min(len(forced), len(token))
            assert forced[:common] == token[:common]
            if longer not in seen and len(longer) < longest - 1:
                seen.add(longer)
                before = matcher.configuration()
                matcher.accept_token(token_id)
                matcher.rollback(1)
                assert matcher.configuration() == before
                pending.append((longer, after))
    return n_masks


def cut_character(written):
    """Return the bytes at the end that are the beginning of a character."""
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    decoder.decode(written)
    return decoder.getstate()[0]


def whole_completion(matcher, written):
    """Return the bytes of a completion, first of a character of which some bytes are there."""
    begun = cut_character(written)
    for tail in ("", *MORE):
        data = tail.encode()
        if begun and not (data.startswith(begun) and len(data) > len(begun)):
            continue
        after = matcher.fork()
        if after.accept_bytes(data[len(begun) :]):
            found = completion(after)
            if found is not None:
                return data[len(begun) :] + found.encode()
    return None


@examples(150)
@given(st.randoms(use_true_random=False), st.sampled_from(["contextual", "basic"]))
def test_a_mask_is_exact_on_random_grammars(draw, lexer):
    text, alphabet = draw_grammar(draw)
    try:
        build_lark(load_source(text, lexer=lexer))
    except MaskcError:
        return
    longest = {2: 7, 3: 5, 4: 4}[len(alphabet)]
    assert check_language(text, alphabet, longest, draw_tokens(draw, alphabet), lexer=lexer) > 0


@pytest.mark.parametrize("seed", seeds(30))
@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_a_mask_is_exact_on_random_indentation(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    tokens = draw_tokens(draw, alphabet)
    # Lark parses every text up to the longest, four to six times as many with each character: one
    # grammar in three has texts as long as two blocks inside each other need.
    longest = {4: 7, 5: 6, 6: 5}[len(alphabet)] - (seed % 3 > 0)
    assert check_language(text, alphabet, longest, tokens, lexer=lexer, **LAYOUT) > 1
