import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maskc.automata.history import HistoryStepper
from maskc.automata.nfa import Nfa
from maskc.automata.threads import FREE, ThreadList, ThreadStepper, hold_at_end, settle
from maskc.errors import UnsupportedTerminalError

ALPHABET = "ab\né"


def match_end(pattern: str, text: str, start: int = 0, flags: int = 0) -> int | None:
    """Return where ``re.match`` would end, in characters, by running the automaton."""
    nfa = Nfa()
    node = nfa.add_pattern("T", pattern, flags, 0)
    stepper = ThreadStepper(nfa)
    histories = HistoryStepper(stepper)
    history = histories.start()
    for byte in text[:start].encode():
        history = histories.step(history, int(stepper.byte_class[byte]))
    threads = stepper.enter(node, history.matched)
    ends: list[tuple[int, frozenset]] = []  # (characters, what must hold behind), best last
    place = start
    for byte in (*text[start:].encode(), None):
        # A match here counts if nothing tried before it does: keep that as its condition.
        for index, (position, owed) in enumerate(threads):
            if position < 0:
                before = frozenset((p if p >= 0 else -1, left) for p, left in threads[:index])
                demands = settle([*owed, (False, before)] if before else owed)
                if demands is not None:
                    ends.append((place, demands))
        if byte is None:
            break
        byte_class = int(stepper.byte_class[byte])
        history = histories.step(history, byte_class)
        ends = [
            (end, left)
            for end, owed in ends
            if (left := stepper.step_obligations(owed, byte_class, history.matched)) is not None
        ]
        following, earlier = ThreadList(), []
        for position, owed in threads:
            if position < 0:
                earlier.append((False, frozenset([(-1, owed)])))
                continue
            left = settle([*owed, *earlier])
            if left is not None:
                for thread in stepper.step_thread((position, left), byte_class, history.matched):
                    following.append(*thread)
        threads = following.done()
        place += byte & 0xC0 != 0x80
    counted = [end for end, owed in ends if hold_at_end(owed)]
    assert len(counted) <= 1, "two matches of one pattern"
    return counted[0] if counted else None


atoms = st.sampled_from(["a", "b", "é", ".", "[ab]", "[^a]", r"\w", r"\s", "(?:)"])
assertions = st.sampled_from(
    [
        *("(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "^", "$", r"\b", r"\B", "(?m:^)", "(?m:$)"),
        *("(?!ab)", "(?=.b)", "(?<=ab)", "(?<!é)", "(?!a(?!b))", "(?s:.)", r"\Z"),
    ]
)


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda p: f"(?:{p[0]}|{p[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{1,2}", "{2}?"])).map(
            lambda p: f"(?:{p[0]}){p[1]}"
        ),
    )


patterns = st.recursive(st.one_of(atoms, atoms, assertions), grow, max_leaves=6)


@settings(max_examples=1000)
@given(patterns, st.text(ALPHABET, min_size=1, max_size=6), st.integers(0, 2))
@example("(?:(?:b)??)*", "bb", 0)
@example(r"a(?!b)|a", "ab", 0)
@example("(?:(?=a)|a)*", "aa", 0)
def test_the_first_match_is_the_one_of_re(pattern, text, start):
    """In an empty text, which has no lexeme, ``\\B`` never matches before Python 3.14."""
    start = min(start, len(text))
    expected = re.compile(pattern).match(text, start)
    if expected is None or expected.end() > start:
        assert match_end(pattern, text, start) == (expected and expected.end())


@pytest.mark.parametrize(
    ("pattern", "text", "end"),
    [
        ("a*?b", "aab", 3),
        ("(a|ab)(c|bcd)?", "abcd", 4),
        ("ab|a(?=c)", "ac", 1),
        (r"\"(?!\"\").*?\"", '""', 2),
        (r"\"(?!\"\").*?\"", '"""', None),
        ("(?i:straße)", "STRAßE", 6),
        (r"[^\W\d]\w*", "é1-", 2),
    ],
)
def test_a_pattern_matches_as_in_re(pattern, text, end):
    assert match_end(pattern, text) == end
    assert (re.match(pattern, text) is None) == (end is None)


@pytest.mark.parametrize("pattern", [r"(a)\1", r"(a)?(?(1)b|c)", "(?>a+)b", "a++b"])
def test_what_no_automaton_follows_is_refused_by_name(pattern):
    with pytest.raises(UnsupportedTerminalError, match="terminal T: "):
        Nfa().add_pattern("T", pattern, 0, 0)


def test_a_thread_behind_a_certain_match_is_dropped():
    threads = ThreadList()
    threads.append(-2, FREE)
    threads.append(7, FREE)
    assert threads.done() == ((-2, FREE),)


def test_two_broken_obligations_settle_to_none():
    assert settle([(False, frozenset([(-1, FREE)]))]) is None
    assert settle([(True, frozenset())]) is None
