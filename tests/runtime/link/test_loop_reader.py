"""What a component reads below a node, against walking each text byte by byte."""

import random

import numpy as np
import pytest

from maskc.frontends.regex import read_pattern
from maskc.kit.patterns import Pattern
from maskc.runtime.link.automata import node_sets
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.automata.loop_reader import LoopReader
from maskc.runtime.link.automata.loops import find_loop
from maskc.runtime.link.automata.node_sets import Onward, list_ending
from maskc.runtime.schema.tries.trie import ROOT
from tests.examples import seeds
from tests.runtime.schema.vocabularies import build_index

PATTERNS = ["[ab]*", "(?:[ab]c)*", ".*ab", "(?:é|[a-c])*x", '[^"]*"']


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", seeds(20))
def test_a_reading_is_what_each_text_does(seed, pattern, monkeypatch):
    monkeypatch.setattr(node_sets, "_FEW", 0)
    draw = random.Random(seed)
    texts = {"".join(draw.choices('abcxé"', k=draw.randint(1, 5))).encode() for _ in range(60)}
    tokens = sorted(texts | {text[1:] for text in texts if text[1:]})
    index = build_index([*tokens, tokens[0]])
    trie, automaton = index.tokens, Pattern(read_pattern(pattern))
    loop = find_loop(automaton, START)
    states = states_of(loop)
    for node in (ROOT, *draw.sample(range(len(trie.bytes)), 5)):
        reading = LoopReader(index).read(loop.component, node)
        inside, left = {}, {}
        open_ = [(node, START)]
        while open_:
            above, state = open_.pop()
            place = states.index(state)
            for child, byte in trie.children(above, None):
                after = automaton.moves(state).get(byte, -1)
                if after in states:
                    inside[child] = after
                    open_.append((child, after))
                else:
                    left.setdefault((place, byte), []).append(child)
        assert sorted(reading.places.tolist()) == sorted(
            list_ending(trie, np.array(sorted(inside), dtype=np.int32))[0].tolist()
        )
        assert (reading.row is None) == (node != ROOT)
        if reading.row is not None:
            assert reading.row.tolist() == index.pack(index.order[reading.places]).tolist()
        for place, state in enumerate(states):
            nodes = [n for n, at in sorted(inside.items()) if at == state and trie.has_children(n)]
            assert ends_of(reading, place, trie, None) == nodes
            nodes = [node for node in nodes if trie.child(node, ord("a")) >= 0]
            assert ends_of(reading, place, trie, frozenset(b"a")) == nodes
            assert left_from(reading, place) == {
                byte: sorted(nodes) for (at, byte), nodes in left.items() if at == place
            }


def test_a_component_is_read_once_for_all_automata():
    index = build_index([b"a", b"ab", b"b"])
    readings = []
    for pattern in ("[ab]*", "[ab]*c"):
        loop = find_loop(Pattern(read_pattern(pattern)), START)
        readings.append(LoopReader(index).read(loop.component, ROOT))
    assert readings[0] is readings[1]


@pytest.mark.parametrize("seed", seeds(20))
def test_what_is_left_out_is_at_and_below_some_children(seed):
    draw = random.Random(seed)
    texts = sorted({bytes(draw.choices(b"abx", k=draw.randint(1, 5))) for _ in range(40)})
    index = build_index(texts)
    trie, reader = index.tokens, LoopReader(index)
    loop = find_loop(Pattern(read_pattern("(?:ab?)*")), START)
    for node in (ROOT, trie.child(ROOT, ord("a"))):
        children = [child for child, byte in trie.children(node, None) if byte != ord("b")]
        whole = reader.read(loop.component, node)
        less = reader.leave_out(whole, children)
        out = {n for child in children for n in range(len(trie.bytes)) if is_below(trie, n, child)}
        places = [p for p in whole.places.tolist() if ends_in(trie, p) not in out]
        assert sorted(less.places.tolist()) == sorted(places)
        assert less.row is None or less.row.tolist() == index.pack(index.order[places]).tolist()
        for place in range(len(states_of(loop))):
            kept = [n for n in ends_of(whole, place, trie, None) if n not in out]
            assert ends_of(less, place, trie, None) == kept
            kept = {
                b: [n for n in nodes if n not in out]
                for b, nodes in left_from(whole, place).items()
            }
            assert left_from(less, place) == {byte: nodes for byte, nodes in kept.items() if nodes}


def states_of(loop):
    return [loop.state_at(number, 0) for number in range(len(loop.component.table))]


def ends_of(reading, place, trie, bytes_):
    return reading.ends((place,), Onward(trie, bytes_, {}))[0].tolist()


def left_from(reading, place):
    ways = [(place, byte, False) for byte in range(256)]
    return {byte: left.tolist() for (_, byte, _), left, _ in reading.leave_by(ways)}


def is_below(trie, node, top):
    return trie.path(node).startswith(trie.path(top))


def ends_in(trie, place):
    node = ROOT
    for byte in trie.texts[place]:
        node = trie.child(node, byte)
    return node
