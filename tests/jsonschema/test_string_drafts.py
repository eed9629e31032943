"""What is asked of a string: an automaton, and bounds that stay numbers."""

from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.automata import of_texts
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.string_drafts import StringDrafts
from maskc.runtime.schema.strings.characters import NO_LABEL


def drafts():
    space = Space()
    return space, StringDrafts(space, Alternatives(space))


def accepts(dfa, text):
    state = dfa.read(text)
    return state >= 0 and dfa.labels[state] != NO_LABEL


def test_a_length_makes_no_states():
    space, strings = drafts()
    found = strings.build(frozenset([space.make("length", 2, 70_000)]), "")
    assert (found.low, found.high) == (2, 70_000)
    assert len(found.dfa.labels) < 5


def test_automata_are_intersected():
    space, strings = drafts()
    one = space.make("string", space.add_dfa(of_texts(["a", "b"])), True)
    other = space.make("string", space.add_dfa(of_texts(["b", "c"])), False)
    found = strings.build(frozenset([one, other]), "").dfa
    assert [text for text in ("a", "b", "c") if accepts(found, text)] == ["a"]


def test_values_that_are_gone_are_not_accepted():
    space, strings = drafts()
    gone = space.make("novalues", frozenset([("string", "a")]))
    found = strings.build(frozenset([gone]), "").dfa
    assert [text for text in ("a", "b", "") if accepts(found, text)] == ["b", ""]


def test_the_language_of_a_formula_has_its_lengths_as_states():
    space, strings = drafts()
    found = strings.language(space.make("length", 2, 3), "")
    assert [n for n in range(6) if accepts(found, "x" * n)] == [2, 3]


def test_strings_that_are_forbidden_are_left_out_together():
    space, strings = drafts()
    atoms = [space.make("novalues", frozenset([("string", text)])) for text in ("a", "bc")]
    found = strings.build(frozenset(atoms), "").dfa
    assert [accepts(found, text) for text in ("a", "bc", "b", "")] == [False, False, True, True]
