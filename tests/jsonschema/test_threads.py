import re
from itertools import product

import pytest

from maskc.jsonschema import threads
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.patterns import build_pattern


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"\bab\b", ["ab", "x ab."], ["xab", "abx"]),
        (r"^(?!ab)", ["", "ba"], ["ab", "abc"]),
        (r"^(?=.*a)(?=.*b)[ab]{2}$", ["ab", "ba"], ["aa", "bb"]),
        (r"\Ba", ["xa"], ["a", " a"]),
        # A look-ahead that a loop repeats without reading anything asks the same each time.
        (r"x(?=a)*b", ["xb"], ["xab", "b"]),
        (r"^(?:(?=a)b?|c)+$", ["c", "cc"], ["a", "b", "cb"]),
        (r"^((?!ab$))+?a", ["a", "abc"], ["ab"]),
        (r"^(?:(?!b)\b|a)*$", ["", "aa"], ["b", "ab"]),
    ],
)
def test_what_threads_wait_for_is_decided_between_characters(pattern, accepted, refused):
    dfa = build_pattern(pattern)
    assert all(dfa.labels[dfa.read(text)] >= 0 for text in accepted)
    assert not any(dfa.labels[dfa.read(text)] >= 0 for text in refused)


WORDS = ["".join(word) for n in range(7) for word in product("ab-", repeat=n)]


@pytest.mark.parametrize(
    ("pattern", "judged"),
    [
        ("(?<=a)b", None),
        ("(?<!a)b", None),
        ("^(?<!a)b", None),
        ("(?<=^)b", None),
        ("(?<=^a)b", None),
        ("^[ab-]*(?<!-)$", None),
        ("^(?!-)[ab-]{1,4}(?<!-)$", None),
        ("(?<=ab)(?<!b-ab)b", None),
        ("(?:a(?<=-a)|b)+-(?<=b-)a", None),
        (r"(?<=-)\b(?=b)b", None),
        (r"(?<=a|bb|-)b(?<!bb)$", r"(?:(?<=a)|(?<=bb)|(?<=-))b(?<!bb)$"),
        ("(?<=-a{1,3})b", "(?:(?<=-a)|(?<=-aa)|(?<=-aaa))b"),
        ("(?<!-a*)b", "(?<!-)(?<!-a)(?<!-aa)(?<!-aaa)(?<!-aaaa)b"),
        ("^(?:a|(?<=a)b|(?<!a)-)*$", None),
    ],
)
def test_a_look_behind_holds_where_re_says_so(pattern, judged):
    dfa, judge = build_pattern(pattern), re.compile((judged or pattern).replace("$", r"\Z"))
    for word in WORDS:
        assert (dfa.labels[dfa.read(word)] >= 0) == (judge.search(word) is not None), word


def test_threads_are_moved_so_often_and_no_more(monkeypatch):
    assert build_pattern(r"\ba{1,9}b").n_states > 9
    monkeypatch.setattr(threads, "MAX_MOVES", 10)
    with pytest.raises(TooLargeError):
        build_pattern(r"\ba{1,9}c")


def test_look_aheads_that_come_in_any_order_are_counted():
    ways = "|".join(f"(?={letter})" for letter in "abcdefghijklmnopqrst")
    with pytest.raises(TooLargeError):
        build_pattern(f"^(?:{ways})*z")


def test_what_a_look_ahead_has_seen_need_not_be_waited_for():
    dfa = build_pattern("^" + "".join(f"(?=.*{letter})" for letter in "abcdefgh"))
    assert dfa.n_states == 2 + 2**8 - 1
    assert dfa.labels[dfa.read("hgfedcba")] >= 0
    assert dfa.labels[dfa.read("hgfedcb")] < 0
