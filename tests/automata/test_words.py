import re

from hypothesis import example, given
from hypothesis import strategies as st

from maskc.automata.nfa import Nfa
from tests.automata.test_threads import match_end
from tests.examples import examples

words = st.lists(st.text(alphabet="abé", max_size=4), min_size=2, max_size=8)


@given(words, st.sampled_from(["", "a", "b?", "*", "{2}", "(?!a)"]), st.text("abé", max_size=8))
@example(["ab", "a", "ac"], "", "ac")
@example(["a", "ab"], "b", "abb")
@example(["", "a"], "*", "aa")
@example(["b", "", "b"], "{2}", "bb")
@examples(150)
def test_words_are_matched_in_the_order_of_re(alternatives, after, text):
    pattern = f"(?:{'|'.join(alternatives)}){after}"
    found = re.match(pattern, text)
    assert match_end(pattern, text) == (found.end() if found else None)


def test_words_in_an_atomic_group_beside_the_same_letters_are_matched_as_in_re():
    for text in ("ab", "cab", "aab", "aa"):
        found = re.match("(?>a|ab)b?|cab|aab", text)
        assert match_end("(?>a|ab)b?|cab|aab", text) == (found.end() if found else None)


def test_words_that_ignore_case_are_not_told_apart_by_letters():
    assert match_end("(?i:ab|Ac)", "AC") == 2


def test_a_thousand_names_have_nodes_by_letters_and_not_by_names_times_letters():
    nfa = Nfa()
    names = [f"{n:03d}" for n in range(1000)]
    nfa.add_pattern("T", "|".join(names), 0, 0)
    assert len(nfa.nodes) < 50
