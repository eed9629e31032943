"""A link equals the whole: its masks are those of the texts that it stands for, bit by bit."""

import random

import numpy as np
import pytest

from maskc.kit.file import make_kit
from maskc.runtime.link.joining import machine_pieces
from maskc.vocab.vocabulary import Vocabulary
from tests.examples import seeds
from tests.kit.conftest import legal
from tests.kit.languages import draw_constraint

_TOKENS = [
    *sorted({bytes([byte]) for byte in b'ab!"{}[]:,truefalsn()'}),
    *(b"ab", b"ba", b"aab", b"bb", b"abab", b"!!", b"b!a", b'""', b'"a', b'a"', b'":', b'"}'),
    *(b'"}!', b'"]', b"]]", b"}}", b"}{", b"[]", b"[][]", b"true", b"null", b'["a"', b"trueab"),
    *(b'"a"ab', b"e]!", b"l}a", b'{"a":', b',"b":true}', b'\\""', b'"a"ba', b"!true!", b"nulla"),
    *(b"babab", b"a!a!ab!", b'b"', b'"b\\'),
]


@pytest.fixture(scope="module")
def kit():
    return make_kit(Vocabulary((*_TOKENS, None), (len(_TOKENS),), "small"))


def _expected(language, prefix):
    rests = [text.encode()[len(prefix) :] for text in language if text.encode().startswith(prefix)]
    found = {n for n, token in enumerate(_TOKENS) if any(r.startswith(token) for r in rests)}
    return found | ({len(_TOKENS)} if b"" in rests else set())


@pytest.mark.parametrize("seed", seeds(60))
def test_masks_are_those_of_the_texts(seed, kit):
    draw = random.Random(seed)
    constraint, language = draw_constraint(draw, kit)
    for _ in range(4):
        matcher, prefix = constraint.matcher(), b""
        table = {}
        while not matcher.is_terminated:
            found = legal(matcher, kit.vocab_size)
            assert found == _expected(language, prefix), (prefix, sorted(language)[:20])
            assert matcher.is_accepting == (len(_TOKENS) in found)
            table[prefix] = matcher.mask_id()
            illegal = sorted(set(range(kit.vocab_size)) - found)
            assert matcher.validate_tokens(illegal[:1]) == 0
            token = draw.choice(sorted(found))
            assert matcher.accept_token(token)
            if token < len(_TOKENS):
                prefix += _TOKENS[token]
        rows = kit.mask_table()
        for text, number in table.items():
            again = constraint.matcher()
            assert again.accept_bytes(text)
            bits = np.unpackbits(rows[number].view(np.uint8), bitorder="little")
            assert set(np.flatnonzero(bits).tolist()) == legal(again, kit.vocab_size)
            assert again.mask_id() == number


@pytest.mark.parametrize("seed", range(100, 115))
def test_rollback_and_fork_hold_across_joints(seed, kit):
    draw = random.Random(seed)
    constraint, language = draw_constraint(draw, kit)
    matcher, texts = constraint.matcher(), [b""]
    for _ in range(30):
        found = sorted(legal(matcher, kit.vocab_size) - {len(_TOKENS)})
        if found and draw.random() < 0.7:
            token = draw.choice(found)
            assert matcher.fork().accept_token(token)
            assert matcher.accept_token(token)
            texts.append(texts[-1] + _TOKENS[token])
        elif len(texts) > 1:
            n_back = draw.randint(1, len(texts) - 1)
            matcher.rollback(n_back)
            del texts[-n_back:]
        assert legal(matcher, kit.vocab_size) == _expected(language, texts[-1])


@pytest.mark.parametrize("seed", range(200, 220))
def test_forced_bytes_are_those_that_all_texts_share(seed, kit):
    draw = random.Random(seed)
    constraint, language = draw_constraint(draw, kit)
    text = draw.choice(sorted(language)).encode()
    prefix = text[: draw.randint(0, len(text))]
    matcher = constraint.matcher()
    assert matcher.accept_bytes(prefix)
    rests = [t.encode()[len(prefix) :] for t in language if t.encode().startswith(prefix)]
    shared = min(rests)
    while not all(rest.startswith(shared) for rest in rests):
        shared = shared[:-1]
    assert matcher.forced_bytes() == shared


@pytest.mark.parametrize("most_listed", [0, 5_000])
@pytest.mark.parametrize("after", ["!", '"a"', "ab!", "[a]"])
def test_tokens_that_leave_an_artifact_are_those_of_its_texts(after, most_listed, monkeypatch):
    monkeypatch.setattr(machine_pieces, "_FEW_NODES", most_listed)
    kit = make_kit(Vocabulary((*_TOKENS, None), (len(_TOKENS),), "small"))
    grammar = 'start: "(" start ")" | "a"+ "b"? | "[" start "]"\n'
    constraint = kit.sequence(kit.lark(grammar), kit.choice([after, "b"]), kit.lark(grammar))
    inner = ["a", "aa", "aaa", "ab", "aab"]
    one = {f"{'(' * n}{text}{')' * n}" for text in inner for n in range(3)}
    one |= {f"[{text}]" for text in one} | {f"[[{text}]]" for text in inner}
    language = frozenset(a + sign + b for a in one for sign in (after, "b") for b in one)
    prefixes = {text.encode()[:n] for text in language for n in range(len(text) + 1)}
    draw = random.Random(after)
    for _ in range(6):
        matcher, prefix = constraint.matcher(), b""
        text = draw.choice(sorted(language)).encode()
        while len(prefix) < len(text):
            found = legal(matcher, kit.vocab_size)
            # The grammar has more texts than are listed here: what is listed must be legal.
            assert {n for n, token in enumerate(_TOKENS) if prefix + token in prefixes} <= found
            for n in set(range(len(_TOKENS))) - found:
                assert not matcher.fork().accept_bytes(_TOKENS[n])
            for n in found - {len(_TOKENS)}:
                assert matcher.fork().accept_bytes(_TOKENS[n])
            token = draw.choice([t for t in _TOKENS if text.startswith(prefix + t)])
            assert matcher.accept_bytes(token)
            prefix += token
