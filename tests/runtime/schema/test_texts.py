"""The automaton of texts reads these texts."""

from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.schema.strings.characters import NO_LABEL
from maskc.runtime.schema.strings.texts import build_texts

words = st.dictionaries(st.text("ab\x00é😀\U0010ffff", max_size=4), st.integers(0, 5), min_size=1)


@given(words, st.sampled_from([NO_LABEL, 7]), st.text("abé😀", max_size=4))
def test_each_text_has_its_label_and_every_other_the_other_one(labels, other, text):
    dfa = build_texts(list(labels), list(labels.values()), other)
    for word, label in labels.items():
        assert dfa.labels[dfa.read(word)] == label
    assert dfa.labels[dfa.read(text)] == labels.get(text, other)
