"""A scan that is made of that of another state is the one that a walk finds."""

from hypothesis import example, given
from hypothesis import strategies as st

from maskc.runtime.link.automata.automaton import NO_LABEL, ByteAutomaton
from maskc.runtime.link.automata.differences import find_differences
from maskc.runtime.link.automata.scanning import Scanner
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.schema.vocabularies import build_index

BYTES = b"abc"
states = st.integers(0, 4)
automata = st.tuples(
    st.lists(st.dictionaries(st.sampled_from(BYTES), states, max_size=3), min_size=5, max_size=5),
    st.lists(st.booleans(), min_size=5, max_size=5),
    st.lists(st.sampled_from([NO_LABEL, 0, 1]), min_size=5, max_size=5),
)
vocabularies = st.sets(
    st.lists(st.sampled_from(BYTES), min_size=1, max_size=4).map(bytes), min_size=1, max_size=40
).map(sorted)


class Drawn(ByteAutomaton):
    """An automaton whose states have numbers, moves, ends and labels that were drawn."""

    has_labels = True

    def __init__(self, drawn):
        self.drawn_moves, self.drawn_ends, self.drawn_labels = drawn
        super().__init__(0)
        for name in range(5):
            self.state_of(name)

    def find_moves(self, name):
        return self.drawn_moves[name]

    def is_accepting(self, name):
        return self.drawn_ends[name]

    def label(self, state):
        return self.drawn_labels[self.name_of(state)]


def describe(scanner, tokens, scan):
    words = scanner.words(scan.part)
    legal = [t for n, t in enumerate(tokens) if words[n // 32] >> (n % 32) & 1]
    return legal, scan.exits.tolist(), sorted(scan.turns)


def is_read(drawn, state, token):
    for byte in token:
        if byte not in drawn[0][state]:
            return False
        state = drawn[0][state][byte]
    return True


@given(automata, vocabularies, states, states)
@example(([{97: 0}, {}, {}, {}, {}], [True, False] * 2 + [False], [0] * 5), [b"a", b"aa"], 0, 1)
def test_a_scan_beside_another_one_is_that_of_a_walk(drawn, tokens, at, other):
    scanner, automaton = Scanner(build_index(tokens)), Drawn(drawn)
    trie = scanner._index.tokens
    known = scanner.scan(automaton, trie, [(ROOT, other)])
    walked = describe(scanner, tokens, scanner.scan(automaton, trie, [(ROOT, at)]))
    beside = describe(scanner, tokens, scanner.scan_beside(automaton, at, other, known))
    assert beside == walked
    assert walked[0] == [token for token in tokens if is_read(drawn, at, token)]


def test_states_that_differ_nearly_everywhere_are_not_compared():
    tokens = sorted({bytes([a, b, c]) for a in range(60) for b in range(60) for c in (0, 1)})
    everything = dict.fromkeys(range(60), 1)
    elsewhere = dict.fromkeys(range(60), 2)
    moves = [everything, everything, elsewhere, elsewhere, {}]
    automaton = Drawn((moves, [True] * 5, [NO_LABEL] * 5))
    trie = Scanner(build_index(tokens))._index.tokens
    assert find_differences(automaton, trie, 1, 2) is None
    same = find_differences(automaton, trie, 0, 1)
    assert same == ([], [], [], [], set())
