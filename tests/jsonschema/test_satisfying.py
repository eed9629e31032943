import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.automata import of_texts
from maskc.jsonschema.drafts import ArrayDraft, PositionDraft, Satisfying, StringDraft
from maskc.runtime.schema.plan.arrays import Counter
from maskc.runtime.schema.plan.plan import Layout


def array(options, low=1, counters=()):
    return ArrayDraft([(0, options)], low, None, list(counters), unique=False)


def fitting(*drafts):
    return Satisfying(list(drafts), Layout())


def test_what_only_an_endless_value_fits_fits_nothing():
    endless = PositionDraft("", parts=[array([(0, 0)])])
    ends = PositionDraft("", parts=[array([(0, 1)], low=0)])
    assert fitting(endless, ends).positions() == {1}


def test_a_string_must_have_a_length_that_is_asked_for():
    dfa = of_texts(["a", "abc"])
    assert fitting().fits(StringDraft(dfa, 2, None), set())
    assert not fitting().fits(StringDraft(dfa, 2, 2), set())


def test_counts_that_make_too_many_states_are_refused():
    counters = [Counter(0, None, 10**6, None)]
    with pytest.raises(SchemaError, match="more than 100,000 states"):
        fitting().array_rule(array([(1, 0)], counters=counters), {0})
