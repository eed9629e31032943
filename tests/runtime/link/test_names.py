"""A name that is none of some, against a regular expression."""

import itertools
import re

import numpy as np
import pytest

from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import START
from maskc.runtime.link.automata.scanning import ROOT_ONLY, AutomatonScans, TrieScanner
from maskc.runtime.link.text.without_words import OtherName, OtherNameScans
from tests.runtime.schema.vocabularies import build_index

TEXTS = ["".join(text) for n in range(5) for text in itertools.product("a1_-", repeat=n)]


@pytest.mark.parametrize("names", [(), ("a",), ("a", "a1", "a1__"), ("_a", "1a")])
def test_names_are_read_that_are_none_of_some(names):
    automaton = OtherName(sorted(name.encode() for name in names))
    read = {text for text in TEXTS if automaton.reads(text.encode())}
    assert read == {t for t in TEXTS if re.fullmatch("[a-z_][a-z0-9_]*", t)} - set(names)


@pytest.mark.parametrize("names", [("a",), ("a", "a1", "a1__"), ("1a", "_a", "aa", "aaa")])
@pytest.mark.parametrize("follows", [None, frozenset(b"-")])
def test_scans_beside_those_of_every_name_are_those_of_the_automaton(names, follows):
    index = build_index([text.encode() for text in TEXTS if text])
    scanner, encoded = TrieScanner(index, Budget(1 << 25)), [name.encode() for name in names]
    expected, automaton = OtherName(encoded), OtherName(encoded)
    found = OtherNameScans(automaton, AutomatonScans(OtherName(()), scanner))

    def assert_same(scan, other):
        assert np.array_equal(scanner.words(scan.part), scanner.words(other.part))
        assert np.array_equal(scan.exits, other.exits)

    for text in TEXTS:
        if re.fullmatch("([a-z_][a-z0-9_]*)?", text):
            state, other = (follow(each, text.encode()) for each in (automaton, expected))
            scan = scanner.scan(expected, index.tokens, ROOT_ONLY, other, follows)
            assert_same(found.scan(state, follows), scan)
    nodes = np.flatnonzero(index.tokens.byte_array == ord("-")).astype(np.int32)
    scan = scanner.scan(expected, index.tokens, nodes, START)
    assert_same(found.walk(index.tokens, nodes), scan)


def follow(automaton, text):
    state = START
    for byte in text:
        state = automaton.moves(state)[byte]
    return state
