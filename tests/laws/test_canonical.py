"""Law: a mask has the tokens that go on as the tokenizer writes, with one token of look-ahead.

The reference shares nothing with what is tested: it cuts with Python's `re`, merges by hand, tries
what may come after a text, and lists all texts of a finite grammar.
"""

from itertools import product
from random import Random

import lark
import numpy as np
import pytest

import maskc
from maskc.errors import LimitError
from maskc.kit.file import make_kit
from maskc.runtime.spelling import lookahead
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, legal_ids
from tests.spellings import ALPHABET, PATTERNS, Tokenizer, draw_merges, draw_tokenizer

PAIRS = 'start: pair+\npair: "a" start? "b" | " " "c" | "\\n"\n'
NAMES = 'start: NAME (" " NAME)*\nNAME: /[abc]+/\n'
SCHEMA = {
    "type": "object",
    "properties": {"a b": {"enum": ["a", "bca", "cc"]}},
    "required": ["a b"],
    "additionalProperties": False,
}


def draw_language(draw, depth=0):
    """Return a grammar's expression, and all its texts."""
    kind = draw.random()
    if depth > 3 or kind < 0.35:
        text = "".join(draw.choices(ALPHABET, k=draw.randint(1, 3)))
        return " ".join(f'"{c}"' for c in text).replace("\n", "\\n"), {text}
    left, lefts = draw_language(draw, depth + 1)
    if kind >= 0.85:
        return f"[{left}]", lefts | {""}
    right, rights = draw_language(draw, depth + 1)
    if kind < 0.6:
        return f"{left} {right}", {one + other for one in lefts for other in rights}
    return f"({left} | {right})", lefts | rights


@pytest.mark.parametrize("seed", range(12))
def test_neighbours_are_those_that_merging_leaves_apart(seed):
    draw = Random(seed)
    texts, rules = draw_merges(draw, "ab" if seed % 2 else "abc")
    tokenizer = Tokenizer(texts, rules, PATTERNS[3:4], is_whole_written=False)
    spelling = tokenizer.spelling()
    few = [*range(97, 100), *range(256, len(texts))]
    for token in few:
        left = {b for b in few if tokenizer.merge(texts[token] + texts[b]) == [token, b]}
        right = {b for b in few if tokenizer.merge(texts[b] + texts[token]) == [b, token]}
        assert ids_of(spelling.neighbours(token, is_left=True)) & set(few) == left
        assert ids_of(spelling.neighbours(token, is_left=False)) & set(few) == right


class Reference:
    """What the tokenizer may write, tried out with all texts of a few characters that follow."""

    def __init__(self, tokenizer):
        self.tokenizer, self.known = tokenizer, {}
        self.rests = ["".join(rest) for n in range(4) for rest in product("abc \n", repeat=n)]

    def may_begin(self, tokens):
        """Return whether the tokens are what the tokenizer writes, as far as they go."""
        if tokens not in self.known:
            text = b"".join(self.tokenizer.texts[t] for t in tokens).decode()
            self.known[tokens] = any(self.fits(tokens, text, rest) for rest in self.rests)
        return self.known[tokens]

    def fits(self, tokens, text, rest):
        left, at = list(tokens), 0
        for chunk in self.tokenizer.cut(text + rest):
            if not left:
                return True
            written = self.tokenizer.encode_chunk(chunk)
            at += len(chunk)
            if at > len(text):
                # The chunk goes on: what was written of it must stand as merging leaves it.
                data = b"".join(self.tokenizer.texts[t] for t in left)
                return self.tokenizer.merge(data) == left
            if left[: len(written)] != written:
                return False
            del left[: len(written)]
        return not left

    def mask(self, tokens, plain, end):
        """Return the own tokens of a matcher's legal ones, with one token of look-ahead."""
        own = set()
        for token in legal_ids(plain, end + 1):
            if token == end:
                text = b"".join(self.tokenizer.texts[t] for t in tokens).decode()
                own |= {end} if self.tokenizer.encode(text) == tokens else set()
            elif self.may_begin((*tokens, token)):
                after = plain.fork()
                assert after.accept_token(token)
                longer = (*tokens, token)
                nexts = legal_ids(after, end + 1)
                text = b"".join(self.tokenizer.texts[t] for t in longer).decode()
                if (end in nexts and self.tokenizer.encode(text) == longer) or any(
                    self.may_begin((*longer, n)) for n in nexts - {end}
                ):
                    own.add(token)
        return own


@pytest.mark.parametrize("parser", ["earley", "lalr"])
@pytest.mark.parametrize("seed", range(6))
def test_masks_hold_the_tokens_after_which_the_tokenizer_may_write_one_more(seed, parser):
    draw, n_seen, n_lifted = Random(seed), 0, 0
    while n_seen < 40:
        tokenizer = draw_tokenizer(draw)
        expression, _ = draw_language(draw)
        artifact = compile_finite(parser, expression, tokenizer)
        if artifact is None:
            continue
        end, reference = len(tokenizer.texts), Reference(tokenizer)
        canonical = maskc.canonical(artifact, tokenizer.spelling())
        pending = [((), canonical.matcher(), artifact.matcher())]
        for tokens, matcher, plain in pending:
            legal, expected = legal_ids(matcher, end + 1), reference.mask(tokens, plain, end)
            assert matcher.is_exact == bool(expected), tokens
            if not expected:
                n_lifted += 1
                assert legal == legal_ids(plain, end + 1)
                continue
            assert legal == expected, tokens
            for token in legal - {end}:
                after, plainly = matcher.fork(), plain.fork()
                assert after.accept_token(token)
                assert plainly.accept_token(token)
                if len(pending) < 60:
                    pending.append(((*tokens, token), after, plainly))
            refused = set(range(end + 1)) - legal
            assert not any(matcher.accept_token(token) for token in refused)
        n_seen += len(pending)


def compile_finite(parser, expression, tokenizer):
    """Return an artifact of a finite grammar, ``None`` if it has no LALR table."""
    grammar = f"start: {expression}\n"
    if parser == "earley":
        lexer = "dynamic_complete"
        return compile_text(grammar, tokenizer.texts, parser=parser, lexer=lexer)
    try:
        lark.Lark(grammar, parser="lalr")
    except lark.exceptions.GrammarError:
        return None
    return compile_text(grammar, tokenizer.texts)


@pytest.mark.parametrize("seed", range(8))
def test_the_own_tokens_of_each_text_are_legal_one_by_one(seed):
    draw, n_texts = Random(seed), 0
    while n_texts < 40:
        tokenizer = draw_tokenizer(draw)
        expression, texts = draw_language(draw)
        if len(texts) > 400:
            continue
        canonical = maskc.canonical(
            compile_finite("earley", expression, tokenizer), tokenizer.spelling()
        )
        for text in sorted(texts):
            matcher, ids = canonical.matcher(), tokenizer.encode(text)
            for token in ids:
                assert token in legal_ids(matcher, canonical.vocab_size), text
                assert matcher.is_exact
                assert matcher.accept_token(token)
            assert matcher.is_accepting
        n_texts += len(texts)


def make_language(kind, texts):
    """Return an artifact or a constraint with endless texts, or another kind of machine."""
    if kind == "lalr":
        return compile_text(PAIRS, texts)
    if kind == "bound":
        return compile_text(NAMES, texts).bind(NAME=["a", "abc", "bca", "cab"])
    kit = make_kit(Vocabulary((*texts, None), (len(texts),), "small"))
    if kind == "schema":
        return kit.json_schema(SCHEMA)
    return kit.sequence(kit.choice(["a", "ab\n"]), kit.regex("[bc]{2,4}"), kit.choice([" ", "c"]))


@pytest.mark.parametrize("kind", ["lalr", "bound", "schema", "link"])
def test_what_is_generated_with_exact_masks_is_what_the_tokenizer_writes(kind):
    n_own = 0
    for seed in range(4):
        draw = Random(f"{kind} {seed}")
        tokenizer = draw_tokenizer(draw)
        language = make_language(kind, tokenizer.texts)
        canonical = maskc.canonical(language, tokenizer.spelling())
        for _ in range(12):
            matcher, plain, tokens, is_own = canonical.matcher(), language.matcher(), [], True
            for n_left in range(40, 0, -1):
                legal = legal_ids(matcher, canonical.vocab_size)
                assert legal
                assert legal <= legal_ids(plain, canonical.vocab_size)
                is_own &= matcher.is_exact
                ends = legal & canonical.ends
                token = draw.choice(sorted(ends if ends and n_left < 20 else legal))
                assert matcher.accept_token(token)
                assert plain.accept_token(token)
                if matcher.is_terminated:
                    break
                tokens.append(token)
            if matcher.is_terminated and is_own:
                n_own += 1
                text = b"".join(tokenizer.texts[token] for token in tokens)
                assert tokenizer.encode(text.decode()) == tuple(tokens)
        # A text that plain matchers write is read in its own tokens.
        plain, ids = language.matcher(), []
        for _ in range(draw.randint(0, 6)):
            going_on = sorted(legal_ids(plain, canonical.vocab_size) - canonical.ends)
            if going_on:
                ids.append(draw.choice(going_on))
                assert plain.accept_token(ids[-1])
        ids += plain.shortest_completion().tokens[:-1]
        own = tokenizer.encode(b"".join(tokenizer.texts[token] for token in ids).decode())
        matcher = canonical.matcher()
        assert matcher.accept_tokens(own) == len(own)
        assert matcher.is_accepting
    assert n_own > 0


def test_evicting_states_and_masks_changes_no_mask(monkeypatch):
    tokenizer = draw_tokenizer(Random(2))
    artifact, spelling = compile_text(PAIRS, tokenizer.texts), tokenizer.spelling()
    keeping, evicting = (maskc.canonical(artifact, spelling).matcher() for _ in range(2))
    draw = Random(0)
    for _ in range(30):
        legal = legal_ids(keeping, artifact.vocab_size)
        with monkeypatch.context() as patch:
            patch.setattr(lookahead, "_MOST_BYTES", 0)
            patch.setattr("maskc.runtime.spelling.canonical._MOST_MASKS", 1)
            assert legal_ids(evicting, artifact.vocab_size) == legal
        token = draw.choice(sorted(legal - artifact.ends))
        assert keeping.accept_token(token)
        assert evicting.accept_token(token)


OPEN_KEYS = {"type": "object", "additionalProperties": {"enum": ["a", "bc"]}, "maxProperties": 2}


@pytest.mark.parametrize("limit", ["pairs", "steps"])
def test_where_the_look_ahead_is_too_long_no_own_token_is_lost(limit, monkeypatch):
    def give_up(*_):
        raise LimitError("steps to find one mask", 1, "ask for less")

    if limit == "pairs":
        monkeypatch.setattr(lookahead, "_MOST_SLOW_PAIRS", 5)
    else:
        monkeypatch.setattr(lookahead.Successors, "follow", give_up)
    for seed in range(4):
        tokenizer = draw_tokenizer(Random(seed))
        kit = make_kit(Vocabulary((*tokenizer.texts, None), (len(tokenizer.texts),), "small"))
        language = kit.json_schema(OPEN_KEYS)
        canonical = maskc.canonical(language, tokenizer.spelling())
        for text in ('{"ab c": "bc"}', '{"a": "a", "b": "bc"}', '{"\\n": "a"}'):
            matcher, plain = canonical.matcher(), language.matcher()
            for token in tokenizer.encode(text):
                legal = legal_ids(matcher, canonical.vocab_size)
                assert token in legal
                assert legal <= legal_ids(plain, canonical.vocab_size)
                assert matcher.accept_token(token)
                assert plain.accept_token(token)
            assert matcher.is_accepting


@pytest.mark.parametrize("seed", range(8))
def test_with_a_budget_masks_are_the_own_tokens_within_it_and_texts_end_in_time(seed):
    draw = Random(seed)
    tokenizer = draw_tokenizer(draw)
    artifact = compile_text(PAIRS, tokenizer.texts)
    canonical = maskc.canonical(artifact, tokenizer.spelling())
    matcher, plain = canonical.matcher(), artifact.matcher()
    own, budget, both = (maskc.allocate_bitmask(1, canonical.vocab_size) for _ in range(3))
    for n_left in range(draw.randint(4, 30), 0, -1):
        matcher.fill_bitmask(own, 0)
        plain.fill_bitmask(budget, 0, tokens_left=n_left)
        matcher.fill_bitmask(both, 0, tokens_left=n_left)
        is_lifted = not (own & budget).any()
        assert np.array_equal(both, budget if is_lifted else own & budget)
        assert not (is_lifted and matcher.is_exact)
        token = draw.choice(sorted(ids_of(both[0])))
        assert matcher.accept_token(token)
        assert plain.accept_token(token)
        if matcher.is_terminated:
            break
    assert matcher.is_terminated


def ids_of(words):
    return set(np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).tolist())


@pytest.mark.parametrize("seed", range(4))
def test_going_back_and_forking_change_nothing(seed):
    draw = Random(seed)
    tokenizer = draw_tokenizer(draw)
    canonical = maskc.canonical(compile_text(PAIRS, tokenizer.texts), tokenizer.spelling())
    matcher, before = canonical.matcher(), []
    for _ in range(12):
        legal = legal_ids(matcher, canonical.vocab_size)
        going_on = sorted(legal - canonical.ends)
        if not going_on:
            break
        before.append((matcher.configuration(), legal))
        assert matcher.accept_token(draw.choice(going_on))
    other = matcher.fork()
    for number, _ in enumerate(before, start=1):
        matcher.rollback(1)
        legal = legal_ids(matcher, canonical.vocab_size)
        assert (matcher.configuration(), legal) == before[-number]
    assert other.configuration() != matcher.configuration()


def test_bytes_are_taken_as_the_tokens_that_the_tokenizer_writes_for_them():
    draw = Random(5)
    n_taken = 0
    for _ in range(6):
        tokenizer = draw_tokenizer(draw)
        canonical = maskc.canonical(compile_text(NAMES, tokenizer.texts), tokenizer.spelling())
        text = " ".join("".join(draw.choices("abc", k=3)) for _ in range(3))
        by_bytes, by_tokens = canonical.matcher(), canonical.matcher()
        assert by_bytes.accept_text(text)
        assert by_tokens.accept_tokens(tokenizer.encode(text)) == len(tokenizer.encode(text))
        assert by_bytes.is_accepting
        assert legal_ids(by_tokens, canonical.vocab_size) <= legal_ids(
            by_bytes, canonical.vocab_size
        )
        n_taken += 1
    assert n_taken == 6
