"""What a component reads below a node, against walking each text byte by byte."""

import random

import numpy as np
import pytest

from maskc.frontends.regex import read_pattern
from maskc.kit.patterns import Pattern
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.automata.component_reader import ComponentReader
from maskc.runtime.link.automata.components import find_component
from maskc.runtime.link.automata.nodes import places_ending
from maskc.runtime.schema.tries.trie import ROOT
from tests.examples import seeds
from tests.runtime.schema.vocabularies import build_index

PATTERNS = ["[ab]*", "(?:[ab]c)*", ".*ab", "(?:é|[a-c])*x", '[^"]*"']


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", seeds(20))
def test_a_reading_is_what_each_text_does(seed, pattern):
    draw = random.Random(seed)
    texts = {"".join(draw.choices('abcxé"', k=draw.randint(1, 5))).encode() for _ in range(60)}
    tokens = sorted(texts | {text[1:] for text in texts if text[1:]})
    index = build_index([*tokens, tokens[0]])
    trie, automaton = index.tokens, Pattern(read_pattern(pattern))
    component = find_component(automaton, START)
    for node in (ROOT, *draw.sample(range(len(trie.bytes)), 5)):
        reading = ComponentReader(index).read(component, node)
        inside, left = {}, {}
        open_ = [(node, START)]
        while open_:
            above, state = open_.pop()
            place = component.states.index(state)
            for child, byte in trie.children(above, None):
                after = automaton.moves(state).get(byte, -1)
                if after in component.states:
                    inside[child] = after
                    open_.append((child, after))
                else:
                    left.setdefault((place, byte), []).append(child)
        assert sorted(reading.places.tolist()) == sorted(
            places_ending(trie, np.array(sorted(inside), dtype=np.int32)).tolist()
        )
        assert (reading.row is None) == (node != ROOT)
        if reading.row is not None:
            assert reading.row.tolist() == index.pack(index.order[reading.places]).tolist()
        for place, state in enumerate(component.states):
            nodes = [n for n, at in sorted(inside.items()) if at == state and trie.has_children(n)]
            assert reading.in_state(place).tolist() == nodes
            found = reading.left_from(place, range(256))
            for byte in range(256):
                assert found[byte].tolist() == sorted(left.get((place, byte), []))


def test_a_component_is_read_once_for_all_automata():
    index = build_index([b"a", b"ab", b"b"])
    readings = []
    for pattern in ("[ab]*", "[ab]*c"):
        component = find_component(Pattern(read_pattern(pattern)), START)
        readings.append(ComponentReader(index).read(component, ROOT))
    assert readings[0] is readings[1]


@pytest.mark.parametrize("seed", seeds(20))
def test_what_is_left_out_is_at_and_below_some_children(seed):
    draw = random.Random(seed)
    texts = sorted({bytes(draw.choices(b"abx", k=draw.randint(1, 5))) for _ in range(40)})
    index = build_index(texts)
    trie, reader = index.tokens, ComponentReader(index)
    component = find_component(Pattern(read_pattern("(?:ab?)*")), START)
    for node in (ROOT, trie.child(ROOT, ord("a"))):
        children = [child for child, byte in trie.children(node, None) if byte != ord("b")]
        whole = reader.read(component, node)
        less = reader.leave_out(whole, children)
        out = {n for child in children for n in range(len(trie.bytes)) if is_below(trie, n, child)}
        places = [p for p in whole.places.tolist() if ends_in(trie, p) not in out]
        assert sorted(less.places.tolist()) == sorted(places)
        assert less.row is None or less.row.tolist() == index.pack(index.order[places]).tolist()
        for place in range(len(component.states)):
            kept = [n for n in whole.in_state(place).tolist() if n not in out]
            assert less.in_state(place).tolist() == kept
            for left, all_left in zip(
                *(reading.left_from(place, range(256)) for reading in (less, whole)), strict=True
            ):
                assert left.tolist() == [n for n in all_left.tolist() if n not in out]


def is_below(trie, node, top):
    return trie.path(node).startswith(trie.path(top))


def ends_in(trie, place):
    node = ROOT
    for byte in trie.texts[place]:
        node = trie.child(node, byte)
    return node
