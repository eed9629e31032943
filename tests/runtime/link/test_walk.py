"""What an automaton reads of a trie: node by node and level by level."""

import random
import re

import numpy as np
import pytest
import regex

from maskc.frontends.notations import read_pattern
from maskc.kit.compiling import PatternAutomaton
from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import NO_LABEL, START, ByteAutomaton, Words, split_words, walk
from maskc.runtime.link.automata.scanning import ROOT_ONLY, TrieScanner
from maskc.runtime.schema.tries import ROOT
from tests.examples import seeds
from tests.runtime.schema.vocabularies import build_index


class Dense(ByteAutomaton):
    """Words that are walked by states, level by level where there are many."""

    def __init__(self, words):
        self.words = words
        super().__init__((0, len(words), 0))

    def find_moves(self, name):
        return split_words(self.words, name)

    def is_accepting(self, name):
        low, high, depth = name
        return low < high and len(self.words[low]) == depth


@pytest.mark.parametrize("seed", seeds(20))
def test_all_ways_to_walk_find_the_same(seed, monkeypatch):
    draw = random.Random(seed)
    tokens = sorted({bytes(draw.choices(b"ab", k=draw.randint(1, 5))) for _ in range(25)})
    words = sorted({bytes(draw.choices(b"ab", k=draw.randint(1, 4))) for _ in range(6)})
    index = build_index(tokens)
    found = []
    for few in (1_500, 0):
        monkeypatch.setattr(walk, "_FEW", few)
        scanner = TrieScanner(index, Budget(1 << 26))
        scan = scanner.scan(Dense(words), index.tokens, ROOT_ONLY, START)
        found.append((scanner.words(scan.part).tolist(), scan.exits.tolist()))
    scan = scanner.scan(Words(words), index.tokens, ROOT_ONLY, START)
    found.append((scanner.words(scan.part).tolist(), scan.exits.tolist()))
    assert found[0] == found[1] == found[2]
    legal = [n for n, t in enumerate(tokens) if any(w.startswith(t) for w in words)]
    assert found[0][0] == index.pack(legal).tolist()
    # Texts go on where a word ends and a longer token has it as its beginning.
    ends = {w for w in words if any(t.startswith(w) and t != w for t in tokens)}
    assert {index.tokens.path(node) for node in found[0][1]} == ends


def check_before_bytes(scanner, automaton, begin, scan, bytes_):
    """Hold a scan for what follows by some bytes against one for all."""
    trie = scanner.index.tokens
    before = scanner.scan(automaton, trie, *begin, bytes_)
    assert scanner.words(before.part).tolist() == scanner.words(scan.part).tolist()
    goes_on = {n for n in scan.exits.tolist() if any(trie.child(n, byte) >= 0 for byte in bytes_)}
    assert goes_on <= set(before.exits.tolist()) <= set(scan.exits.tolist())


def test_tokens_are_those_that_the_pattern_may_begin_with():
    """Beside ``re``, without any automaton of ours."""
    tokens = [
        b"a",
        b"ab",
        b"abba",
        b"ab1",
        b"ab-",
        b"ab-a",
        b"ab--",
        b"-a",
        b"1",
        b"ba-1",
        b"b-b-a",
    ]
    index = build_index(sorted(tokens))
    scanner = TrieScanner(index, Budget(1 << 26))
    scan = scanner.scan(
        PatternAutomaton(read_pattern("[ab]+(?:-[ab]+)*")), index.tokens, ROOT_ONLY, START
    )
    begins = re.compile(rb"[ab]+(?:-[ab]+)*-?")
    legal = [n for n, token in enumerate(sorted(tokens)) if begins.fullmatch(token)]
    assert scanner.words(scan.part).tolist() == index.pack(legal).tolist()
    whole = re.compile(rb"[ab]+(?:-[ab]+)*")
    paths = {token[:n] for token in tokens for n in range(1, len(token))}
    assert {index.tokens.path(node) for node in scan.exits.tolist()} == {
        path for path in paths if whole.fullmatch(path)
    }


LOOPS = [
    "[ab]+",
    "[ab]*",
    "[^b]*",
    "[é-ö]+",
    r"\\w*",
    ".*",
    "[^aé]+",
    "[ab-]?",
    "-",
    "a",
    "é",
    "bé",
]


@pytest.mark.parametrize("few", [48, 0])
@pytest.mark.parametrize("seed", seeds(60))
def test_loops_of_classes_read_what_regex_says_goes_on(seed, few, monkeypatch):
    """Beside ``regex``, which says of a text whether it begins one that matches."""
    for module, name, n in (
        (walk, "_FEW", few),
        (walk, "_MANY_TEXTS", 0),
        (walk, "_MANY_BYTES", 1),
    ):
        monkeypatch.setattr(module, name, n)
    draw = random.Random(seed)
    pattern = "".join(draw.choices(LOOPS, k=draw.randint(1, 5)))
    if draw.random() < 0.3:
        pattern = f"(?:{pattern}-)*{draw.choice(LOOPS)}"
    judge = regex.compile(pattern)
    texts = {"".join(draw.choices("abé-ü日", k=draw.randint(1, 6))).encode() for _ in range(120)}
    whole, cut = texts | {b"a", b"b"}, {text[:-1] for text in texts} | {t[1:] for t in texts}
    index = build_index(sorted((whole | cut) - {b""}))
    automaton, trie = PatternAutomaton(read_pattern(pattern)), index.tokens
    for begun in ("", "a", "é", "ab", "-a", "ü日a"):
        state = START
        for byte in begun.encode():
            state = automaton.moves(state).get(byte, -1) if state >= 0 else -1
        assert (state >= 0) == bool(judge.fullmatch(begun, partial=True))
        if state < 0:
            continue
        scanner = TrieScanner(index, Budget(1 << 26))
        scan = scanner.scan(automaton, trie, ROOT_ONLY, state)
        read = set(
            np.flatnonzero(
                np.unpackbits(scanner.words(scan.part).view(np.uint8), bitorder="little")
            ).tolist()
        )
        exits = set(map(trie.path, scan.exits.tolist()))
        check_before_bytes(scanner, automaton, (ROOT_ONLY, state), scan, frozenset("aé".encode()))
        for n, token in enumerate(trie.texts):
            if token in whole:
                is_read = judge.fullmatch(begun + token.decode(), partial=True)
                assert (n in read) == bool(is_read), (pattern, begun, token)
        for node in range(1, len(trie.bytes)):
            path = trie.path(node)
            if trie.has_children(node) and (text := _decode(path)):
                assert (path in exits) == bool(judge.fullmatch(begun + text)), (
                    pattern,
                    begun,
                    path,
                )


def _decode(path):
    try:
        return path.decode()
    except UnicodeDecodeError:
        return None


class Drawn(ByteAutomaton[int]):
    """An automaton whose states have moves, ends and labels that were drawn."""

    has_labels = True

    def __init__(self, draw):
        self._drawn = [
            ({b: draw.randrange(5) for b in b"abc" if draw.random() < 0.7}, draw.random() < 0.5,
             draw.choice([NO_LABEL, 0, 1])) for _ in range(5)
        ]  # fmt: skip
        super().__init__(0)

    def find_moves(self, name):
        return self._drawn[name][0]

    def is_accepting(self, name):
        return self._drawn[name][1]

    def label_of(self, name):
        return self._drawn[name][2]


@pytest.mark.parametrize("few", [0, 2, 1_500])
@pytest.mark.parametrize("seed", seeds(20))
def test_labels_are_found_where_texts_go_on(seed, few, monkeypatch):
    monkeypatch.setattr(walk, "_FEW", few)
    draw = random.Random(seed)
    tokens = sorted({bytes(draw.choices(b"abc", k=draw.randint(1, 4))) for _ in range(30)})
    index, automaton = build_index(tokens), Drawn(draw)
    scanner, trie = TrieScanner(index, Budget(1 << 20)), index.tokens
    scan = scanner.scan(automaton, trie, ROOT_ONLY, START)
    legal, exits, turns = set(), set(), set()
    for n, token in enumerate(tokens):
        state, node = START, ROOT
        for byte in token:
            state, node = automaton.moves(state).get(byte, -1), trie.child(node, byte)
            if state < 0:
                break
            if trie.has_children(node):
                exits |= {node} if automaton.accepts(state) else set()
                turns |= {(automaton.label(state), node)}
        else:
            legal.add(n)
    assert scanner.words(scan.part).tolist() == index.pack(sorted(legal)).tolist()
    assert scan.exits.tolist() == sorted(exits)
    assert sorted(scan.turns) == sorted(turn for turn in turns if turn[0] != NO_LABEL)
