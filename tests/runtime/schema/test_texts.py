"""The automaton of texts reads these texts, and they are found again in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.jsonschema.exploring import explore
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import build_texts, find_texts

words = st.dictionaries(st.text("ab\x00é😀\U0010ffff", max_size=4), st.integers(0, 5), min_size=1)


@given(words, st.sampled_from([NO_LABEL, 7]), st.text("abé😀", max_size=4))
def test_each_text_has_its_label_and_every_other_the_other_one(labels, other, text):
    dfa = build_texts(list(labels), list(labels.values()), other)
    for word, label in labels.items():
        assert dfa.labels[dfa.read(word)] == label
    assert dfa.labels[dfa.read(text)] == labels.get(text, other)


@given(words, st.sampled_from([NO_LABEL, 7]))
def test_texts_are_found_again_in_their_automaton(labels, other):
    dfa = build_texts(list(labels), list(labels.values()), other)
    found = find_texts(dfa)
    assert found is not None
    assert dict(zip(found.texts, found.labels, strict=True)) == labels
    assert found.other == other
    assert found.texts == sorted(labels)


ALL_A = CharDfa([0, 97, 98], [0, 1, 0], [0, 0], [{}, {1: 1}], [NO_LABEL, 0], 1)
TWO_LETTERS = CharDfa(
    [0, 97, 99], [0, 1, 0], [0, 0, 0], [{}, {1: 2}, {}], [NO_LABEL, NO_LABEL, 0], 1
)


def _shared():
    """Return the minimal automaton of ac and bc, whose texts end in one state."""
    step = {(0, 97): 1, (0, 98): 1, (1, 99): 2}
    return explore(
        [0, 97, 98, 99, 100],
        0,
        lambda state, character: step.get((state, character)),
        lambda state: 0 if state == 2 else NO_LABEL,
    )


@pytest.mark.parametrize("dfa", [ALL_A, TWO_LETTERS, _shared()])
def test_other_automata_are_no_texts(dfa):
    assert find_texts(dfa) is None


def test_an_automaton_that_refuses_a_text_alone_is_no_texts():
    dfa = build_texts(["a"], [0], 1)
    refusing = CharDfa(
        dfa.starts, dfa.classes, dfa.defaults, dfa.rows, [*dfa.labels[:-1], NO_LABEL], dfa.start
    )
    assert find_texts(refusing) is None
