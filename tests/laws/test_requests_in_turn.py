"""Law: whatever other requests of a kit ask, and whatever is evicted, each text has its own masks.

Texts of links of grammars, restricted terminals, tags and atoms take turns, while little is cached:
they are read by tokens or bytes, forked, rolled back, and some have a budget. The judges share a
kit whose tokens are single bytes, and are never asked for a mask.
"""

import contextlib
import json
from random import Random

import pytest

from maskc import Artifact
from maskc.captures import Followed
from maskc.compiler.pipeline import compile_contents
from maskc.errors import HoleError, LimitError, MaskcError, TokensLeftError
from maskc.frontends.source import load_source
from maskc.kit.file import make_kit
from tests.compiled import legal_ids
from tests.examples import seeds
from tests.laws import test_crossing_tokens as crossing
from tests.laws.test_budgets import LISTS, NAMES, PAIRS, within
from tests.laws.test_budgets_of_calls import BYTES, draw_format, make_vocabulary

CACHES = [0, 3_000, 20_000, 100_000, 1 << 29]
EARLEY = {"parser": "earley", "lexer": "dynamic_complete"}
PIECES = [b"ab", b"(a", b"a)", b"]a", b",a", b"<a>", b"a<", b">ab", b"<b", b"\xc3", b"\xa9x", b"b."]


class Text:
    """A text under way: its matcher, its judge after each token, and the tokens that are left."""

    def __init__(self, subject, judge):
        self.matcher, self.judges, self.left = subject.matcher(), [judge.matcher()], None
        self.subject = subject

    def begin_budget(self, more):
        with contextlib.suppress(LimitError, TokensLeftError):
            self.left = len(self.matcher.shortest_completion().tokens) + more

    def fork(self):
        other = object.__new__(Text)
        other.__dict__ |= {**vars(self), "matcher": self.matcher.fork(), "judges": [*self.judges]}
        return other


def list_legal(judge, tokens):
    """Return the legal tokens by reading each, the end of the text, and the mark after it."""
    found = {n for n, token in enumerate(tokens) if judge.fork().accept_bytes(token)}
    found |= {len(tokens)} if judge.is_accepting else set()
    return found | ({len(tokens) + 1} if judge.fork().accept_token(257) else set())


def take_turn(draw, text, tokens):
    """Check what a text may go on with, and go on; return whether it has not ended."""
    matcher, end = text.matcher, len(tokens)
    if text.left is None and draw.random() < 0.15:
        n_back = draw.randint(0, min(len(text.judges) - 1, 4))
        matcher.rollback(n_back)
        del text.judges[len(text.judges) - n_back :]
    judge = text.judges[-1].fork()
    legal = legal_ids(matcher, text.subject.vocab_size)
    assert legal == list_legal(judge, tokens)
    if hasattr(matcher, "spans"):
        assert (matcher.text(), matcher.spans()) == (judge.text(), judge.spans())
    if text.left is not None:
        allowed = within(matcher, text.subject, text.left)
        assert matcher.shortest_completion().tokens[0] in allowed <= legal
        assert matcher.is_exact == (allowed == legal)
        legal, text.left = allowed, text.left - 1
    token = draw.choice(sorted(legal - {end}) or [end])
    token = end if end in legal and draw.random() < 0.2 else token
    if token not in legal:
        return False  # nothing of the vocabulary goes on
    is_read = token < end and draw.random() < 0.2
    assert matcher.accept_bytes(tokens[token]) if is_read else matcher.accept_token(token)
    ids = {end: 256, end + 1: 257}
    assert judge.accept_token(ids[token]) if token in ids else judge.accept_bytes(tokens[token])
    text.judges.append(judge)
    return not matcher.is_terminated


def take_turns(draw, requests, tokens, n_turns):
    """Have texts of pairs of a subject and its judge take turns."""
    texts = []
    for _ in range(n_turns):
        if len(texts) < 4:
            texts.append(Text(*draw.choice(requests)))
            if draw.random() < 0.3 and not isinstance(texts[-1].subject, Followed):
                texts[-1].begin_budget(draw.choice([0, 0, 1, 3]))
        text = draw.choice(texts)
        if draw.random() < 0.1 and len(texts) < 6:
            texts.append(text.fork())
        try:
            if not take_turn(draw, text, tokens):
                texts.remove(text)
        except (LimitError, HoleError):
            texts.remove(text)


def draw_part(draw, depth):
    """Return what makes a constraint with a kit, and an artifact of what others can be bound in."""
    kind = draw.randrange(10) if depth else draw.randrange(4)
    if kind == 0:
        words = draw.choice([["a", "ab", "bba"], ["a"], ["ab", "b"]])
        return lambda kit, names: kit.artifact(names).bind(NAME=words)
    if kind == 1:
        text, settings = draw.choice([(LISTS, {}), (NAMES, {}), (PAIRS, EARLEY)])
        return lambda kit, _: kit.lark(text, **settings)
    if kind == 2:
        tag = {"type": "structural_tag", "format": draw_format(draw, 2)}
        is_counted = any(word in repr(tag) for word in ("max_tokens", "any_tokens"))
        return draw_part(draw, depth) if is_counted else lambda kit, _: kit.structural_tag(tag)
    if kind == 3:
        made = crossing.draw_part(draw, 1)
        return lambda kit, _: made(kit)
    parts = [draw_part(draw, depth - 1) for _ in range(draw.randint(2, 3))]
    if kind == 4:
        return lambda kit, names: kit.one_of(*[part(kit, names) for part in parts])
    if kind == 5:
        high = draw.choice([2, None])
        return lambda kit, names: kit.repeat(parts[0](kit, names), 0, high)
    return lambda kit, names: kit.sequence(*[part(kit, names) for part in parts])


@pytest.mark.costly
@pytest.mark.parametrize("seed", seeds(30))
def test_texts_of_many_requests_of_a_kit_have_their_own_masks(seed):
    draw, requests = Random(seed), []
    singles = [bytes([byte]) for byte in b"ab()[],.<>/cx1\xc3\xa9" if draw.random() < 0.9]
    tokens = tuple(sorted({*draw.sample(PIECES, 8), *draw.sample(crossing.TOKENS, 12), *singles}))

    def open_kit(vocabulary, cache_bytes):
        contents = compile_contents(load_source(NAMES), vocabulary)[0]
        artifact = Artifact(contents, cache_bytes=cache_bytes[0])
        return make_kit(vocabulary, cache_bytes=cache_bytes[1]), artifact

    ours = open_kit(make_vocabulary(tokens), [draw.choice(CACHES) for _ in range(2)])
    judges = open_kit(BYTES, [1 << 29] * 2)
    while len(requests) < 4:
        make = draw_part(draw, 2)
        with contextlib.suppress(MaskcError):
            requests.append((make(*ours), make(*judges)))
    take_turns(draw, requests, tokens, 80)


@pytest.mark.costly
@pytest.mark.parametrize("seed", seeds(50))
def test_where_tokens_count_those_are_legal_that_are_taken(seed):
    draw = Random(seed)
    limit = f'"max_tokens": {draw.randint(1, 3)}'
    made = json.dumps(draw_format(draw, 3)).replace('"max_tokens": 2', limit)
    tokens = tuple(sorted({*PIECES, *(bytes([byte]) for byte in b"ab<>/1,[]x\n\xc3\xe2\x82\xac")}))
    kit = make_kit(make_vocabulary(tokens), cache_bytes=draw.choice(CACHES))
    with contextlib.suppress(MaskcError):
        matcher = kit.structural_tag(f'{{"type": "structural_tag", "format": {made}}}').matcher()
        for _ in range(12):
            legal = legal_ids(matcher, kit.vocab_size)
            taken = {n for n in range(kit.vocab_size) if matcher.fork().accept_token(n)}
            assert legal == taken
            if not matcher.accept_token(draw.choice(sorted(legal - {len(tokens)}) or [-1])):
                break
