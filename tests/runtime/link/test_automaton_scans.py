"""What an automaton reads is scanned once."""

import numpy as np

from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import START, Words
from maskc.runtime.link.automata.scanning import AutomatonScans, TrieScanner
from maskc.runtime.schema.tries import ROOT
from tests.runtime.schema.vocabularies import build_index

TOKENS = (b"a", b"b", b"ab", b"ba", b"abc", b"c")


def make_scans(words):
    index = build_index(TOKENS)
    return AutomatonScans(Words(words), TrieScanner(index, Budget(1 << 20)))


def test_a_state_and_the_nodes_of_a_trie_are_scanned_once():
    scans = make_scans([b"abc", b"ba"])
    assert scans.scan(START) is scans.scan(START)
    nodes = np.array([ROOT], dtype=np.int32)
    assert scans.walk(scans.index.tokens, nodes) is scans.walk(scans.index.tokens, nodes.copy())
