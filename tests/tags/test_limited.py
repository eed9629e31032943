"""Free text of so many tokens or characters, beside a recogniser that tries every split."""

import functools
import random

import pytest

from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary
from tests.tags.conftest import legal, tag_of

_TEXTS = (b"a", b"[", b"]", b"[a", b"a]", b"\xc3", b"\xa9", b"\xe2\x82", b"\xac", b"\xa9]")
_END = len(_TEXTS)


@functools.cache
def _matches(tokens, most_tokens, most_characters):
    """Whether tokens are ``[``, free text within its limits, and ``]``."""
    text = b"".join(_TEXTS[token] for token in tokens)
    starts = [sum(len(_TEXTS[t]) for t in tokens[:n]) for n in range(len(tokens))]
    if not text.startswith(b"[") or not text.endswith(b"]") or len(text) < 2:
        return False
    inner = text[1:-1]
    try:
        n_characters = len(inner.decode())
    except UnicodeDecodeError:
        return False
    n_tokens = sum(1 <= start < len(text) - 1 for start in starts)
    if not most_tokens and inner:
        return False
    return b"]" not in inner and n_tokens <= most_tokens and n_characters <= most_characters


@functools.cache
def _is_prefix(tokens, most_tokens, most_characters, n_more=3):
    if _matches(tokens, most_tokens, most_characters):
        return True
    text = b"".join(_TEXTS[token] for token in tokens)
    n_characters = len(text[1:].decode(errors="ignore"))
    if text[:1] not in (b"", b"[") or b"]" in text or n_characters > most_characters:
        return False
    if not n_more:
        return False
    return any(
        _is_prefix((*tokens, token), most_tokens, most_characters, n_more - 1)
        for token in range(len(_TEXTS))
    )


@pytest.mark.parametrize("limits", [(0, 9), (1, 9), (2, 9), (3, 9), (9, 1), (9, 2), (2, 2), (9, 0)])
def test_masks_keep_within_the_limits(limits):
    kit = make_kit(Vocabulary((*_TEXTS, None), (_END,), "small"))
    inner = {"type": "any_text", "max_tokens": limits[0], "max_chars": limits[1]}
    tag = {"type": "tag", "begin": "[", "content": inner, "end": "]"}
    constraint = kit.structural_tag(tag_of(tag))
    draw = random.Random(sum(limits))
    for _ in range(3):
        matcher, tokens = constraint.matcher(), ()
        for _ in range(6):
            found = legal(matcher, _END + 1)
            expected = {t for t in range(_END) if _is_prefix((*tokens, t), *limits)}
            assert found - {_END} == expected, tokens
            assert (_END in found) == _matches(tokens, *limits)
            if not expected:
                break
            token = draw.choice(sorted(expected))
            assert matcher.accept_token(token)
            tokens = (*tokens, token)
