"""What is known of any name is known of one that is none of some."""

import random

import numpy as np
import pytest

from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.scanning import AutomatonScans, Scanner
from maskc.runtime.link.text.names import NameScans, OtherName
from tests.examples import seeds
from tests.runtime.schema.vocabularies import build_index


def make_index(draw):
    texts = {"".join(draw.choices('ab_1>"', k=draw.randint(1, 5))) for _ in range(150)}
    tokens = [text.encode() for text in sorted(texts)]
    return build_index(tokens)


def same(scanner, found, expected):
    assert found.exits.tolist() == expected.exits.tolist()
    assert found.part.bits == expected.part.bits
    assert np.array_equal(scanner.words(found.part), scanner.words(expected.part))


@pytest.mark.parametrize("seed", seeds(20))
def test_scans_of_other_names_are_those_of_their_automaton(seed):
    draw = random.Random(seed)
    index = make_index(draw)
    scanner = Scanner(index, Budget(1 << 22))
    names = sorted({"".join(draw.choices("ab_1", k=draw.randint(1, 4))).encode() for _ in range(5)})
    plain = AutomatonScans(OtherName(()), scanner)
    scans = NameScans(OtherName(names), plain)
    other = AutomatonScans(OtherName(names), scanner)
    begun = [name[:n] for name in names for n in range(1, len(name) + 1)]
    for name in (b"", *begun, b"a_a_a_"):
        at = here = 0
        for byte in name:
            at = scans.automaton.moves(at).get(byte, -1)
            here = other.automaton.moves(here).get(byte, -1)
            if at < 0:
                break
        if at < 0:
            assert here < 0
            continue
        same(scanner, scans.scan(at), other.scan(here))
    for trie in (index.tokens, index.rests):
        for n in (1, 2, 5, len(trie.bytes)):
            nodes = np.array(sorted(draw.sample(range(len(trie.bytes)), n)), dtype=np.int32)
            nodes = scanner.onward(trie, None).of(nodes)
            same(scanner, scans.walk(trie, nodes), other.walk(trie, nodes))
