"""A mask that would take too long ends in a sentence, and nothing else is harmed."""

import numpy as np
import pytest

import maskc
from maskc.errors import LimitError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.session import Session
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.kit.conftest import fill

LETTERS = tuple(bytes([byte]) for byte in range(32, 127))
PAIRS = tuple(a + b for a in LETTERS[:40] for b in LETTERS[:40])
VOCABULARY = Vocabulary((*LETTERS, *PAIRS, None), (len(LETTERS) + len(PAIRS),), "pairs")


def _tag(n):
    parts = [{"type": "any_text"}] * n
    return {"type": "structural_tag", "format": {"type": "sequence", "elements": parts}}


def _fill(constraint):
    return fill(constraint.matcher(), constraint.vocab_size)


def _legal(session):
    bitmask = maskc.allocate_bitmask(1, len(VOCABULARY.tokens))
    session.fill(bitmask, 0)
    return np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist()


@pytest.fixture
def kit():
    return make_kit(VOCABULARY, steps=20_000)


def test_a_chain_of_free_texts_ends_in_a_sentence(kit):
    with pytest.raises(LimitError, match="more than 20,000 steps to find one mask") as caught:
        _fill(kit.structural_tag(_tag(80)))
    assert caught.value.limit == 20_000


def test_a_short_chain_of_free_texts_is_one_free_text(kit):
    one, many = (_fill(kit.structural_tag(_tag(n))) for n in (1, 4))
    assert np.array_equal(one, many)


def test_a_pattern_whose_states_are_searched_for_ends_in_a_sentence(kit):
    with pytest.raises(LimitError, match="steps to find one mask"):
        _fill(kit.regex(r"(?=.*\d)[\w\s]{8,64}\.(?:com|org)"))


def test_what_leaves_a_grammar_is_counted(kit):
    text = 'start: ("a" | "b" start | NAME)+\nNAME: /[a-z]{1,9}/\n%ignore " "\n'
    few = make_kit(VOCABULARY, steps=100)
    with pytest.raises(LimitError, match="more than 100 steps"):
        _fill(few.sequence(few.lark(text), few.text()))
    assert _fill(kit.sequence(kit.lark(text), kit.text())).any()


def test_what_comes_after_a_refusal_has_its_masks(kit):
    with pytest.raises(LimitError):
        _fill(kit.structural_tag(_tag(80)))
    fresh = make_kit(VOCABULARY)
    for constraint in (lambda k: k.choice(["ab", "b"]), lambda k: k.structural_tag(_tag(2))):
        assert np.array_equal(_fill(constraint(kit)), _fill(constraint(fresh)))


def test_a_request_whose_mask_or_masks_together_take_too_long_may_only_end(kit, monkeypatch):
    (end,) = VOCABULARY.eos_ids
    session = Session(kit.structural_tag(_tag(80)))
    assert _legal(session) == [end]
    assert session.accept(end)
    session = Session(make_kit(VOCABULARY).regex("[ab]{1,90}"))
    assert len(_legal(session)) > 1
    assert session.accept(VOCABULARY.tokens.index(b"a"))
    monkeypatch.setattr("maskc.integrations.session.MOST_STEPS", 10)
    assert _legal(session) == [end]


def test_a_pattern_that_looks_around_comes_as_a_table_from_the_other_process():
    compiler = OtherProcess(VOCABULARY)
    try:
        kit = make_kit(VOCABULARY, compiler=compiler, steps=20_000)
        pattern = r"(?=[a-z]*\d)[a-z0-9]{4,6}(?![a-z])"
        here = make_kit(VOCABULARY)
        assert np.array_equal(_fill(kit.regex(pattern)), _fill(here.regex(pattern)))
    finally:
        compiler.close()


def test_a_parameter_that_is_made_for_a_mask_takes_its_steps():
    value = {"type": "string", "minLength": 2}
    parameters = {"type": "object", "properties": {"b": value}, "required": ["b"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    kit = make_kit(load_vocabulary("bytes"), steps=300)
    matcher = kit.tools(tools, family="qwen_3_coder", choice="required").matcher()
    with pytest.raises(LimitError, match="more than 300 steps to find one mask"):
        matcher.accept_bytes(b"<tool_call>\n<function=f>\n<parameter=b>")
