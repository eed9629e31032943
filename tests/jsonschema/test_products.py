"""Every string is read by the automata one by one, and by the one that labels it."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.jsonschema import products
from maskc.jsonschema.automata import of_texts
from maskc.jsonschema.exploring import CustomFormatError, TooLargeError
from maskc.jsonschema.formats import read_by
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.products import combine, label_strings
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL

ALPHABET = "ab-é"
STRINGS = ["".join(text) for n in range(5) for text in product(ALPHABET, repeat=n)]
NAMES = st.lists(st.text(ALPHABET, max_size=4), max_size=5, unique=True)
PATTERNS = st.lists(
    st.sampled_from(["^a", "b$", "^(ab|-)*$", "^é?a{2,3}$", "", "a-", "^$", "^[^b]+$", "[^]{3}"]),
    max_size=3,
    unique=True,
)


class Labels(dict):
    """Numbers tuples as they are met."""

    def __missing__(self, labels):
        self[labels] = len(self)
        return self[labels]


@given(NAMES, PATTERNS)
def test_a_string_gets_the_label_of_what_each_automaton_says_of_it(names, patterns):
    parts = [of_texts(names), *map(build_pattern, patterns)]
    numbers = Labels()
    dfa = label_strings(parts, numbers.__getitem__)
    for text in STRINGS:
        own = tuple(part.labels[part.read(text)] for part in parts)
        assert dfa.labels[dfa.read(text)] == numbers[own]


@given(NAMES, PATTERNS)
def test_where_all_tuples_have_labels_of_their_own_it_is_minimal(names, patterns):
    parts = [of_texts(names), *map(build_pattern, patterns)]
    numbers = Labels()
    dfa = label_strings(parts, numbers.__getitem__)
    minimal = combine(parts, numbers.__getitem__)
    assert dfa.n_states == minimal.n_states
    assert combine([dfa], max).digest == minimal.digest


def test_only_the_labels_of_some_strings_are_asked_for():
    asked = []
    parts = [of_texts(["a"]), build_pattern("^a$")]
    label_strings(parts, lambda labels: asked.append(labels) or 0)
    assert sorted(asked) == [(NO_LABEL, NO_LABEL), (0, 0)]


def test_every_string_is_read_where_no_automaton_accepts_one():
    dfa = label_strings([of_texts([]), of_texts([])], lambda _: 7)
    assert (dfa.n_states, dfa.labels[dfa.read("x")]) == (2, 7)
    assert dfa.defaults[DEAD] == DEAD


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(products, "MAX_STATES", 9)
    with pytest.raises(TooLargeError):
        label_strings([build_pattern("^.{10}$")], max)


def test_what_a_reader_reads_is_refused():
    with pytest.raises(CustomFormatError):
        label_strings([read_by("regex")], max)
