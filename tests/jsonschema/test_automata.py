import pytest

from maskc.jsonschema import automata
from maskc.jsonschema.automata import TooLargeError, combine, intersect
from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.characters import NO_LABEL


def accepts(dfa, text):
    return dfa.labels[dfa.read(text)] != NO_LABEL


def test_many_automata_are_intersected_as_few_are():
    dfa = intersect([build_pattern(f"^.{{0,{n}}}$") for n in range(12, 2, -1)])
    assert [accepts(dfa, "a" * n) for n in (0, 3, 4, 12)] == [True, True, False, False]


def test_too_many_steps_are_refused_before_they_are_taken(monkeypatch):
    monkeypatch.setattr(automata, "MAX_WORK", 20)
    parts = [build_pattern(pattern) for pattern in ("^a{5}$", "^a{7}$")]
    with pytest.raises(TooLargeError):
        combine(parts, max)
