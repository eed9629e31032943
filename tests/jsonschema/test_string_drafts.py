"""What is asked of a string: an automaton, and bounds that stay numbers."""

from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.strings import StringDrafts
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


def test_the_language_of_a_formula_has_its_lengths_as_states():
    space, strings = drafts()
    found = strings.language(space.make("length", 2, 3), "")
    assert [n for n in range(6) if accepts(found, "x" * n)] == [2, 3]


def test_the_language_of_a_formula_that_no_string_fits_is_empty():
    space, strings = drafts()
    assert not accepts(strings.language(space.types(1), ""), "")
