import pytest

from maskc.jsonschema import products
from maskc.jsonschema.automata import (
    complement,
    intersect,
    list_strings,
    of_texts,
    only_texts,
    relabel,
)
from maskc.jsonschema.exploring import TooLargeError, _refine
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.products import combine
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL


def accepts(dfa, text):
    return dfa.labels[dfa.read(text)] != NO_LABEL


def test_many_automata_are_intersected_as_few_are():
    dfa = intersect([build_pattern(f"^.{{0,{n}}}$") for n in range(12, 2, -1)])
    assert [accepts(dfa, "a" * n) for n in (0, 3, 4, 12)] == [True, True, False, False]


def test_too_many_steps_are_refused_before_they_are_taken(monkeypatch):
    monkeypatch.setattr(products, "MAX_WORK", 20)
    parts = [build_pattern(pattern) for pattern in ("^a{5}$", "^a{7}$")]
    with pytest.raises(TooLargeError):
        combine(parts, max)


def test_labels_that_go_take_with_them_what_led_to_nothing_else():
    dfa = of_texts(["a", "ab", "c"], 3)
    names = relabel(dfa, lambda label: label if label < 2 else NO_LABEL)
    assert [names.labels[names.read(text)] for text in ("a", "ab", "c", "abx", "")] == [
        *(0, 1, NO_LABEL, NO_LABEL, NO_LABEL)
    ]
    assert names.n_states == 4
    assert all(names.nearest(state) >= 0 for state in range(1, names.n_states))
    others = relabel(dfa, lambda label: NO_LABEL if label == 0 else label)
    assert [others.labels[others.read(text)] for text in ("a", "ab", "x")] == [NO_LABEL, 1, 3]
    assert relabel(dfa, lambda _: NO_LABEL).start == DEAD


def test_the_strings_of_an_automaton_are_listed_if_they_are_few():
    assert list_strings(build_pattern("^[ab]?c$"), 3) == ["ac", "bc", "c"]
    assert list_strings(build_pattern("^[ab]?c$"), 2) is None
    assert list_strings(build_pattern("^a*$"), 64) is None


@pytest.mark.parametrize("texts", [["a", "ab", "cab"], [""], ["", "a"], ["éa", "€a", "b"]])
def test_the_complement_of_some_texts_accepts_all_others(texts):
    found = complement(only_texts(texts))
    strings = ["", "a", "ab", "abc", "cab", "ca", "b", "é", "éa", "€a", "x"]
    assert [found.labels[found.read(text)] for text in strings] == [
        NO_LABEL if text in texts else 0 for text in strings
    ]


def test_halves_of_surrogate_pairs_are_no_strings():
    assert list_strings(build_pattern(r"^[\ud7ff-\ue000]$"), 64) == ["\ud7ff", "\ue000"]


def test_a_chain_of_states_is_split_in_a_step_a_state():
    n_states = 2_000
    rows = [[0], *([n + 1] for n in range(1, n_states)), [0]]
    before = [[], [], *([n] for n in range(1, n_states))]
    block = _Watched([0, *[1] * (n_states - 1), 2])
    _refine(rows, before, block)
    assert len(set(block)) == n_states + 1
    assert block.n_looked < 20 * n_states


class _Watched(list):
    n_looked = 0

    def __getitem__(self, number):
        self.n_looked += 1
        return super().__getitem__(number)
