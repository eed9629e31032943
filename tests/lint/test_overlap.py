from maskc.lint import overlap
from maskc.lint.overlap import find_overlap, is_installed


def test_a_text_of_both_patterns_is_found():
    assert find_overlap("[0-9]+", "[0-9a-f]+", 0) == "0"


def test_patterns_without_a_common_text_have_none():
    assert find_overlap("[0-9]+", "[a-f]+", 0) is None


def test_a_letter_that_interegular_does_not_know_is_left_to_our_own_search():
    assert find_overlap(r"\w+", "é+", 0) is None


def test_flags_are_left_to_our_own_search():
    assert find_overlap("a", "A", 2) is None


def test_a_pattern_that_it_does_not_understand_is_left_to_our_own_search():
    assert find_overlap("(?>a)b", "ab", 0) is None


def test_counts_that_it_would_unroll_are_left_to_our_own_search():
    assert find_overlap("[a-z]{1,1000}", "[a-z]{1,999}", 0) is None
    assert find_overlap("(" * 400 + "a" + ")" * 400, "a", 0) is None


def test_a_witness_that_re_refuses_does_not_count(monkeypatch):
    monkeypatch.setattr(overlap, "match_length", lambda *_: None)
    assert find_overlap("[0-9]+", "[0-9a-f]+", 0) is None


def test_a_text_that_only_a_part_of_a_pattern_matches_does_not_count(monkeypatch):
    monkeypatch.setattr(overlap, "match_length", lambda pattern, _: {r"(?:a)\Z": 1}.get(pattern))
    assert find_overlap("a", "a|b", 0) is None


def test_without_interegular_nothing_is_known(monkeypatch):
    monkeypatch.setattr(overlap.importlib.util, "find_spec", lambda _: None)
    assert not is_installed()
    assert find_overlap("[0-9]+", "[0-9a-f]+", 0) is None
