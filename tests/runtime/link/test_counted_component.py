"""Where a counted loop goes round, what leaves it, and what is read for all counts at once."""

import random

import pytest

from maskc.kit.compiling import PatternAutomaton
from maskc.regular import counted
from maskc.regular.counted import count_loops
from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import START, walk
from maskc.runtime.link.automata.loop_reader import LoopReader
from maskc.runtime.link.automata.loops import fill_in
from maskc.runtime.link.automata.scanning import ROOT_ONLY, TrieScanner
from maskc.runtime.link.counts.pattern_counter import PatternCounter, find_passes
from maskc.runtime.schema.tries import ROOT
from tests.examples import seeds
from tests.runtime.link.test_walk import check_before_bytes
from tests.runtime.schema.vocabularies import build_index


def make_counter(pattern, passes=9):
    found = count_loops(pattern)
    assert found is not None
    return PatternCounter(found, [passes] * len(found.bounds))


def counted_after(pattern, text):
    counter = make_counter(pattern)
    name = counter.name_of(START)
    for byte in text:
        name = counter.read(name, byte)
    return counter.loop_of(counter.state_of(name))


@pytest.mark.parametrize(("pattern", "text"), [("x[a-z]{1,80}", b"x"), ("(?:a|aa){2,80}", b"aaa")])
def test_what_is_in_no_loop_or_has_several_counts_is_no_such_state(pattern, text):
    assert counted_after(pattern, text) is None


@pytest.mark.parametrize("letters", ["abcd", "abcdefghijklmnopqrst"])
def test_a_loop_that_is_left_in_many_ways_has_no_component(letters):
    body = "|".join(f"{letter}{n}" for n, letter in enumerate(letters))
    assert counted_after(f"(?:{body}){{1,80}}[^a-z]", b"b1") is None


def test_bounds_and_counts_share_what_was_read():
    index = build_index([b"a", b"ab", b"b", b"b;"])
    reader = LoopReader(index)
    readings = [
        reader.read(counted_after(pattern, text).component, ROOT)
        for pattern, text in (("[ab]{1,80};", b"a"), ("[ab]{7,99};", b"abab"))
    ]
    assert readings[0] is readings[1]
    assert index.order[readings[0].read_within(1)[0]].tolist() == [0, 2]
    assert index.order[readings[0].read_within(1)[1]].tolist() == [1]


@pytest.mark.parametrize("pattern", ["[^a]{1,80}a", ".{1,80}", "[^;]{2,70}[a;]", "[^b]*b"])
@pytest.mark.parametrize("seed", seeds(10))
def test_what_lacks_a_few_characters_reads_what_it_does_step_by_step(seed, pattern):
    """Tokens that begin or end inside of a character are among the texts."""
    draw = random.Random(seed)
    texts = {"".join(draw.choices("ab;\nxé€", k=draw.randint(1, 6))).encode() for _ in range(60)}
    index = build_index(sorted((texts | {t[1:] for t in texts} | {t[:-1] for t in texts}) - {b""}))
    if pattern.endswith("*b"):
        automaton = PatternAutomaton(pattern)
        loop = automaton.plain_loop_of(automaton.moves(START)[ord("a")])
    else:
        loop = counted_after(pattern, b"x")
    reader = LoopReader(index)
    assert fill_in(loop.component) is not None
    found, wanted = reader.read(loop.component, ROOT), reader._read(loop.component, ROOT)
    for name, one, other in zip(found._fields, found, wanted, strict=True):
        assert one.dtype == other.dtype, name
        assert one.tolist() == other.tolist(), name


@pytest.mark.parametrize("seed", seeds(10))
def test_what_is_left_out_is_at_and_below_some_children(seed):
    draw = random.Random(seed)
    index = build_index({bytes(draw.choices(b"abx;", k=draw.randint(1, 5))) for _ in range(40)})
    trie, reader = index.tokens, LoopReader(index)
    component = counted_after("(?:ab?){1,80};", b"a").component
    for node in (ROOT, trie.child(ROOT, ord("a"))):
        children = [child for child, byte in trie.children(node, None) if byte != ord("b")]
        tops = tuple(map(trie.path, children))
        whole = reader.read(component, node)
        less = reader.leave_out(whole, children)
        # Tokens by text index, and nodes, each with what else is known of it.
        tokens = zip(whole.text_indices.tolist(), whole.text_passes.tolist(), strict=True)
        kept = [token for token in tokens if not trie.texts[token[0]].startswith(tops)]
        assert list(zip(less.text_indices.tolist(), less.text_passes.tolist(), strict=True)) == kept
        inside = kept_rows(trie, tops, whole.inside, whole.inside_states, whole.inside_passes)
        assert rows(less.inside, less.inside_states, less.inside_passes) == inside
        left = kept_rows(trie, tops, whole.left, whole.left_by, whole.left_passes)
        assert rows(less.left, less.left_by, less.left_passes) == left
        if less.row is not None:
            assert less.row.tolist() == index.pack(index.order[less.text_indices]).tolist()


def rows(*columns):
    return list(zip(*(column.tolist() for column in columns), strict=True))


def kept_rows(trie, tops, *columns):
    return [row for row in rows(*columns) if not trie.path(row[0]).startswith(tops)]


def draw_pattern(draw, depth=2):
    """Return a pattern with counted loops of classes, some of them inside another one."""
    classes = ["[ab]", "[a-c]", "[^a]", "[^ab]", "[aé]", "[é-ë]", "."]
    body = draw.choice([*classes, "(?:ab|c)", "(?:a|[bc]é)", "(?:[ab]d?)", "(?:[a-c][b-é]?)"])
    if depth and draw.random() < 0.5:
        body = f"(?:{draw_pattern(draw, depth - 1)}{draw.choice(['', 'd', 'a'])})"
    low, high = draw.choice([(1, 20), (1, 3), (2, ""), (2, 2), (2, 4), (3, 5)])
    end = draw.choice(["", "d", "b", "a?", "[dè]{1,9}", "[^aé]{2,7}", "[^aé]{2,7}[aé]{1,3}"])
    loop = f"{body}{{{low},{high}}}{end}"
    # Of what begins the loop some may be read in another way too.
    return draw.choice([loop, f"a{loop}", f"d{loop}", f"(?:{loop}|ad|é)", f"(?:d|d?{loop}|bc)"])


@pytest.mark.parametrize("few", [48, 0])
@pytest.mark.parametrize("seed", seeds(40))
def test_loops_are_read_at_once_as_they_are_step_by_step(seed, few, monkeypatch):
    """From the root and from inside, against a walk that knows of no such states."""
    draw = random.Random(seed)
    pattern = draw_pattern(draw)
    texts = {"".join(draw.choices("abcédè", k=draw.randint(1, 6))).encode() for _ in range(60)}
    tokens = sorted((texts | {text[:-1] for text in texts} | {t[1:] for t in texts}) - {b""})
    index = build_index([*tokens, tokens[0]])
    monkeypatch.setattr(counted, "MOST_COPIES", 1)
    found = count_loops(pattern)
    assert found is not None
    counter = PatternCounter(found, find_passes(found, index))
    states = {START}
    for _ in range(20):
        name = counter.name_of(START)
        for byte in "".join(draw.choices("abcédè", k=draw.randint(1, 9))).encode():
            after = counter.read(name, byte)
            if after is not None:
                name = after
                states.add(counter.state_of(counter.cap(name)))
    monkeypatch.setattr(walk, "_FEW", few)
    for state in sorted(states)[:12]:
        read = []
        for many_texts in (0, 10_000):
            monkeypatch.setattr(walk, "_MANY_TEXTS", many_texts)
            monkeypatch.setattr(walk, "_MANY_BYTES", 1)
            scanner = TrieScanner(index, Budget(1 << 26))
            scan = scanner.scan(counter, index.tokens, ROOT_ONLY, state)
            read.append((scanner.words(scan.part).tolist(), scan.exits.tolist()))
            check_before_bytes(scanner, counter, (ROOT_ONLY, state), scan, frozenset("aé".encode()))
        assert read[0] == read[1], (pattern, counter.name_of(state))
