import pytest

from maskc.jsonschema import threads
from maskc.jsonschema.automata import CharSet, TooLargeError
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.syntax import Repeat, parse_pattern
from maskc.jsonschema.thompson import build_simple


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"\bab\b", ["ab", "x ab."], ["xab", "abx"]),
        (r"^(?!ab)", ["", "ba"], ["ab", "abc"]),
        (r"^(?=.*a)(?=.*b)[ab]{2}$", ["ab", "ba"], ["aa", "bb"]),
        (r"\Ba", ["xa"], ["a", " a"]),
    ],
)
def test_what_threads_wait_for_is_decided_between_characters(pattern, accepted, refused):
    dfa = build_pattern(pattern)
    assert all(dfa.labels[dfa.read(text)] >= 0 for text in accepted)
    assert not any(dfa.labels[dfa.read(text)] >= 0 for text in refused)


def test_positions_are_enough_without_look_aheads():
    node = Repeat(parse_pattern("a"), 2, None)
    dfa = build_simple(node, [CharSet([(97, 97)])])
    assert [dfa.labels[dfa.read("a" * n)] >= 0 for n in range(4)] == [False, False, True, True]


def test_threads_are_moved_so_often_and_no_more(monkeypatch):
    assert build_pattern(r"\ba{1,9}b").n_states > 9
    monkeypatch.setattr(threads, "MAX_MOVES", 10)
    with pytest.raises(TooLargeError):
        build_pattern(r"\ba{1,9}b")
