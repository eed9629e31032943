"""A mask that would take too long ends in a sentence, and nothing else is harmed."""

from typing import Any

import numpy as np
import pytest

import maskc
from maskc.errors import LimitError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.session import Session
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab.vocabulary import Vocabulary

LETTERS = tuple(bytes([byte]) for byte in range(32, 127))
PAIRS = tuple(a + b for a in LETTERS[:40] for b in LETTERS[:40])
VOCABULARY = Vocabulary((*LETTERS, *PAIRS, None), (len(LETTERS) + len(PAIRS),), "pairs")


def _tag(n: int) -> dict[str, Any]:
    parts = [{"type": "any_text"}] * n
    return {"type": "structural_tag", "format": {"type": "sequence", "elements": parts}}


def _fill(constraint: Constraint) -> Any:
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    constraint.matcher().fill_bitmask(bitmask, 0)
    return bitmask


@pytest.fixture
def kit() -> Kit:
    return make_kit(VOCABULARY, steps=20_000)


def test_a_chain_of_free_texts_ends_in_a_sentence(kit: Kit) -> None:
    with pytest.raises(LimitError, match="more than 20,000 steps to find one mask") as caught:
        _fill(kit.structural_tag(_tag(80)))
    assert caught.value.limit == 20_000


def test_a_short_chain_of_free_texts_is_one_free_text(kit: Kit) -> None:
    one, many = (_fill(kit.structural_tag(_tag(n))) for n in (1, 4))
    assert np.array_equal(one, many)


def test_a_pattern_whose_states_are_searched_for_ends_in_a_sentence(kit: Kit) -> None:
    with pytest.raises(LimitError, match="steps to find one mask"):
        _fill(kit.regex(r"(?=.*\d)[\w\s]{8,64}\.(?:com|org)"))


def test_what_leaves_a_grammar_is_counted(kit: Kit) -> None:
    grammar = kit.lark('start: ("a" | "b" start | NAME)+\nNAME: /[a-z]{1,9}/\n%ignore " "\n')
    few = make_kit(VOCABULARY, steps=100)
    narrow = few.lark('start: ("a" | "b" start | NAME)+\nNAME: /[a-z]{1,9}/\n%ignore " "\n')
    with pytest.raises(LimitError, match="more than 100 steps"):
        _fill(few.sequence(narrow, few.text()))
    assert _fill(kit.sequence(grammar, kit.text())).any()


def test_what_comes_after_a_refusal_has_its_masks(kit: Kit) -> None:
    with pytest.raises(LimitError):
        _fill(kit.structural_tag(_tag(80)))
    fresh = make_kit(VOCABULARY)
    for constraint in (lambda k: k.choice(["ab", "b"]), lambda k: k.structural_tag(_tag(2))):
        assert np.array_equal(_fill(constraint(kit)), _fill(constraint(fresh)))


def test_a_request_that_is_refused_its_mask_may_only_end(kit: Kit) -> None:
    constraint = kit.structural_tag(_tag(80))
    session = Session(constraint)
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    session.fill(bitmask, 0)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [VOCABULARY.eos_ids[0]]
    assert session.accept(VOCABULARY.eos_ids[0])


def test_a_request_whose_masks_together_take_too_long_may_only_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    constraint = make_kit(VOCABULARY).regex("[ab]{1,90}")
    session = Session(constraint)
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    session.fill(bitmask, 0)
    assert session.accept(VOCABULARY.tokens.index(b"a"))
    monkeypatch.setattr("maskc.integrations.session.MOST_STEPS", 10)
    session.fill(bitmask, 0)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [VOCABULARY.eos_ids[0]]


def test_a_pattern_that_looks_around_comes_as_a_table_from_the_other_process() -> None:
    compiler = OtherProcess(VOCABULARY)
    try:
        kit = make_kit(VOCABULARY, compiler=compiler, steps=20_000)
        pattern = r"(?=[a-z]*\d)[a-z0-9]{4,6}(?![a-z])"
        here = make_kit(VOCABULARY)
        assert np.array_equal(_fill(kit.regex(pattern)), _fill(here.regex(pattern)))
    finally:
        compiler.close()
