"""What a budget may look at is counted."""

import pytest

from maskc import allocate_bitmask
from maskc.errors import LimitError
from maskc.kit.file import make_kit
from maskc.runtime.step_budget import count_taken
from maskc.vocab.vocabulary import Vocabulary

_TOKENS = (*(bytes([byte]) for byte in range(256)), *(b"%d" % n for n in range(10, 1_000)), None)
_VOCABULARY = Vocabulary(_TOKENS, (len(_TOKENS) - 1,), "bytes and numbers")
_KEYS = [f"k{n}" for n in range(100)]
_SCORE = {"score": {"type": "number", "minimum": 0, "maximum": 1}}
_LONG = {key: {"type": "string", "minLength": n} for n, key in enumerate(_KEYS)}
_ASKED = [
    ({"type": "integer", "multipleOf": 2}, "", 30),
    ({"type": "integer", "multipleOf": 7}, "", 30),
    ({"type": "object", "properties": _SCORE, "required": ["score"]}, '{"score":', 40),
    ({"type": "object", "properties": _LONG, "required": _KEYS}, "", 10_000),
]


@pytest.mark.parametrize(("schema", "text", "tokens_left"), _ASKED)
def test_a_budget_that_asks_too_much_raises_and_the_matcher_stays_as_it_was(
    schema, text, tokens_left, monkeypatch
):
    constraint = make_kit(_VOCABULARY).json_schema(schema)
    monkeypatch.setattr(constraint.endings, "_most_steps", 10)
    matcher, bitmask = constraint.matcher(), allocate_bitmask(1, constraint.vocab_size)
    assert matcher.accept_text(text)
    with pytest.raises(LimitError, match="leave tokens_left out"):
        matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    assert (bitmask == -1).all()
    matcher.fill_bitmask(bitmask, 0)
    assert bitmask.any()
    assert matcher.accept_text("4" if not text else "0") or matcher.accept_text('{"k0":"')


@pytest.mark.parametrize(("schema", "text", "tokens_left"), _ASKED)
def test_a_hundred_thousand_steps_are_enough_for_the_first_mask(schema, text, tokens_left):
    constraint = make_kit(_VOCABULARY).json_schema(schema)
    matcher, bitmask = constraint.matcher(), allocate_bitmask(1, constraint.vocab_size)
    assert matcher.accept_text(text)
    before = count_taken()
    matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    assert count_taken() - before < 100_000
    assert bitmask.any()
