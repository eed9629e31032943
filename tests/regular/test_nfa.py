"""Patterns of re as nodes and counters: what is shared, copied and refused."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.errors import LimitError
from maskc.regular import nodes
from maskc.regular.counted import count_loops
from maskc.regular.lookbehind import LookBehindStepper
from maskc.regular.nfa import Nfa, seal
from maskc.regular.nodes import Accept, Arena, Char, LookAround, SplitNode
from maskc.regular.threads import ThreadStepper
from maskc.runtime.link.counts import START
from tests.examples import examples
from tests.regular.test_threads import match_end


def nodes_of(pattern, flags=0):
    nfa = Nfa()
    return nfa, nfa.add_pattern("T", pattern, flags, 7)


def test_words_share_their_beginnings():
    nfa, _ = nodes_of("|".join(f"prefix{n}" for n in range(10)))
    assert sum(isinstance(node, Char) for node in nfa.nodes) < 30


def test_equal_look_behinds_are_one():
    nfa, _ = nodes_of("(?<=a)b|(?<=a)c")
    assert len(nfa.look_behinds) == 1
    assert sum(isinstance(node, LookAround) for node in nfa.nodes) == 2


def test_each_choice_inside_gets_rivals_in_a_copy_of_the_group():
    nfa = Nfa()
    end = nfa.add(Accept(1))
    split = nfa.add(SplitNode([nfa.char(((97, 97),), end), nfa.char(((98, 98),), end)]))
    assert seal(nfa, split, end) == split
    rivals = nfa.nodes[split].rivals
    assert len(rivals) == 2
    assert not set(rivals) & set(nfa.nodes[split].targets)
    # The copy ends in an end of its own.
    assert {nfa.nodes[nfa.nodes[rival].next] for rival in rivals} == {Accept(0)}


def test_a_group_inside_a_group_keeps_its_rivals():
    nfa = Nfa()
    end = nfa.add(Accept(1))
    split = nfa.add(SplitNode([nfa.char(((97, 97),), end), end]))
    seal(nfa, split, end)
    rivals = nfa.nodes[split].rivals
    seal(nfa, split, end)
    assert nfa.nodes[split].rivals == rivals


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(nodes, "MAX_NFA_NODES", 2)
    arena = Arena()
    arena.add(Accept(0))
    arena.add(Accept(0))
    with pytest.raises(LimitError, match="automaton nodes"):
        arena.add(Accept(0))


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


def test_a_thousand_names_have_nodes_by_letters_and_not_by_names_times_letters():
    nfa = Nfa()
    names = [f"{n:03d}" for n in range(1000)]
    nfa.add_pattern("T", "|".join(names), 0, 0)
    assert len(nfa.nodes) < 50


def states_along(pattern, text):
    nfa = Nfa()
    nfa.add_pattern("T", pattern, 0, 0)
    threads = ThreadStepper(nfa)
    stepper = LookBehindStepper(threads)
    state = stepper.start()
    found = [state]
    for byte in text.encode():
        state = stepper.step(state, int(threads.byte_class[byte]))
        found.append(state)
    return found


def test_two_states_matter_for_one_character_before():
    states = states_along(r"(?<!\\)a", "a\\a\\\\")
    assert len(set(states)) == 2
    assert states[0] == states[1] == states[3]


def test_a_pattern_without_look_behinds_has_one_state():
    assert len(set(states_along("ab|c", "abc"))) == 1


def test_a_state_inside_a_character_matches_nothing():
    (_, inside, after) = states_along("(?<=é)a", "é")
    assert (inside.whole is None, bool(inside.matched)) == (False, False)
    assert (after.whole is None, bool(after.matched)) == (True, True)


@pytest.mark.parametrize("pattern", ["^a{1,100}$", r"\Aa{1,100}\Z", "(?m:^a{1,100}|b$)"])
def test_anchors_at_the_ends_ask_for_nothing(pattern: str) -> None:
    found = count_loops(pattern)
    assert found is not None
    assert found.bounds == ((1, 100),)


@pytest.mark.parametrize(
    "pattern",
    [
        "abc",
        "[a-z]+",
        "[0-9]{4}",  # four positions are cheaper than a counter
        "a{100}(?=b)b",
        r"a{100}\b",
        "(?>a|ab){100}",
        "(?:^a){100}",
        r"a{100}[^\s\S]",
        "(a)?b{100}(?(1)c|d)",
    ],
)
def test_other_patterns_are_left_to_threads(pattern: str) -> None:
    assert count_loops(pattern) is None


def test_flags_of_a_part_take_the_place_of_those_around_it() -> None:
    assert count_loops(r"(?a:(?u:\w){100})") == count_loops(r"\w{100}")


def test_a_pass_that_reads_nothing_does_not_count() -> None:
    found = count_loops("(?:a?b?){50}")
    assert found is not None
    assert found.bounds == ((1, 50),)
    assert START in found.ends


def test_a_loop_of_nothing_is_nothing() -> None:
    found = count_loops("(?:){4000000}(?:|){1000000}a{100}")
    assert found is not None
    assert len(found.roots) == 2
