import numpy as np
import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans import classes
from maskc.runtime.schema.scans.classes import matrix_of, never_dies, scan_all
from maskc.runtime.schema.scans.scanned import number_keys
from maskc.runtime.schema.strings.strings import Body
from tests.runtime.schema.spelling import spell_below, step_texts
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()
SPELLED = spell_below(index=INDEX)
PATTERNS = [
    "^[a-z]*$",
    "^\\S+$",
    "^[^,]*$",
    "^([ab]|é)+$",
    "^\\d{1,3}$",
    "^(ab|b)*c?.*$",
    "^x-[0-9a-f]+$",
]


def scan(dfa, state):
    return scan_all(INDEX, SPELLED, dfa, matrix_of(dfa), state)


def visit(body):
    """Step a body until it has seen every state of its automaton."""
    open_ = [body.start]
    for at in open_:
        after = {body.step(at, byte) for byte in range(256)} - {0}
        open_ += sorted(after.difference(open_))


def list_groups(scanned):
    """Return what each token can lead to, in the order of their ids."""
    groups, which = scanned.groups
    return [groups[n] for n in which[scanned.units.unit_of].tolist()]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_vocabulary_is_scanned_from_every_state_as_it_is_stepped(pattern):
    dfa = build_pattern(pattern)
    body = Body(dfa, minimal=False)
    visit(body)
    for state in range(1, dfa.n_states):
        scanned = scan(dfa, state)
        inside, ended = step_texts(INDEX, body, body.characters.index(state))
        row = scanned.pack_live()
        assert np.array_equal(row, INDEX.pack([INDEX.ids[place] for place in inside]))
        closing = [p for node, _ in ended for p in INDEX.quotes_of(node)[0]]
        labels = np.array(dfa.labels)[scanned.quote_states]
        assert sorted(scanned.units.closers.places[labels >= 0].tolist()) == sorted(closing)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_an_automaton_does_not_tell_apart_makes_no_difference(monkeypatch, pattern):
    dfa = build_pattern(pattern)
    merged = list_groups(scan(dfa, dfa.start))
    monkeypatch.setattr(classes, "_MOST_CELLS", 0)
    assert merged == list_groups(scan(dfa, dfa.start))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("few", [0, 1, 1 << 20])
def test_nodes_are_followed_alike_by_levels_and_one_by_one(monkeypatch, pattern, few):
    dfa = build_pattern(pattern)
    usual = list_groups(scan(dfa, dfa.start))
    monkeypatch.setattr(classes, "_FEW_NODES", few)
    assert usual == list_groups(scan(dfa, dfa.start))


def test_a_beginning_of_a_character_can_become_several_ranges():
    # After a backslash come the short escapes, and ``u`` with anything.
    dfa = build_pattern('^[\\"]*$')
    groups = list_groups(scan(dfa, dfa.start))
    assert bool(groups[INDEX.ids[INDEX.texts.index(b"\\")]].targets)
    assert not groups[INDEX.ids[INDEX.texts.index("é".encode()[:1])]].targets


@pytest.mark.parametrize("keys", [[], [3, 1, 3], [5_000_000, 1, 5_000_000]])
def test_keys_are_numbered_in_their_order(keys):
    distinct, which = number_keys(np.array(keys, dtype=np.int64))
    assert distinct.tolist() == sorted(set(keys))
    assert distinct[which].tolist() == keys


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [("ab", True), ("a|b+$", True), ("^[^,]*$", False), ("", True), ("^(?!ab)", False)],
)
def test_an_automaton_that_may_begin_anywhere_never_dies(pattern, wanted):
    dfa = build_pattern(pattern)
    assert never_dies(dfa, dfa.start) is wanted
