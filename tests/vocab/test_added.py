"""Which added tokens write text: by their form, by choice, by name."""

import itertools
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.vocab.vocabulary import AddedToken, AddedTokens, choose_text, is_marker, list_ranges
from tests.vocab.conftest import refusal

BLANKS, TAG, SMALLER = AddedToken("    ", b"    "), AddedToken("<b>", b"<b>"), AddedToken("7", b"7")
ADDED = {7: BLANKS, 8: TAG, 9: SMALLER}


MARKERS = (
    *("<think>", "</think>", "<tool_call>", "<|im_end|>", "<｜User｜>", "<turn|>", '<|"|>'),
    *("<dsml:", "</dsml:", "<｜/table>｜", "▁<PRE>", " <s>\n", "<日>", "<a b>"),
    *("[PAD50277]", "[INST]", "[/INST]", "[gMASK]", "｜DSML｜", "|x|"),
)
TEXTS = (
    *("", "    ", "\n\n", "▁▁", "\t", "õ", "hello", "日本", "/nothink", "PI:EMAIL"),
    *("<", ">", "<=", "<<", "<3", "< b>", "<-", "<0x0A>", "</", "<!--", "<?php"),
    *("[", "[]", "[0]", "[a", "a]", "[a][b]", "[e~[", "||", "|", "|a", "a|", "|a｜"),
)


def test_a_marker_is_told_by_its_form():
    assert [text for text in MARKERS if not is_marker(text)] == []
    assert [text for text in TEXTS if is_marker(text)] == []


def test_a_long_text_is_told_in_time():
    """Nothing is looked at twice: the form is read from the left."""
    assert is_marker("<" + "a" * 1_000_000)
    assert not is_marker("|" + "a|" * 500_000 + "a")


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (AddedTokens(), {7, 9}),
        (AddedTokens("text"), {7, 8, 9}),
        (AddedTokens("atoms"), set()),
        # By its text or its id.
        (AddedTokens(text=("<b>",), atoms=("    ",)), {8, 9}),
        (AddedTokens("atoms", text=(7, "8")), {7, 8}),
        # A text of digits is a text before it is an id: 7 is token 9's, and 9 no token's.
        (AddedTokens("atoms", text=("7", "9")), {9}),
    ],
)
def test_added_tokens_are_text_by_their_form_by_choice_and_by_name(how, text):
    assert choose_text("x", ADDED, how) == text


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (
            AddedTokens(text=("<i>",)),
            "'<i>' is not one of its added tokens that are not special; "
            "name one of them ('    ', '<b>', '7') or give its id",
        ),
        (AddedTokens(atoms=(6,)), "6 is not one of its added tokens"),
        (AddedTokens(atoms=("9" * 5000,)), "is not one of its added tokens"),
        (AddedTokens(atoms=("²",)), "'²' is not one of its added tokens"),
        (AddedTokens(text=("<b>",), atoms=(8,)), "'<b>' is named as text and as an atom"),
    ],
)
def test_what_is_no_added_token_is_refused(how, reason):
    assert reason in refusal(choose_text, "x", ADDED, how)


def test_where_there_is_none_the_option_is_to_be_left_out():
    said = refusal(choose_text, "x", {}, AddedTokens(text=("a",)))
    assert "it has none, so leave the option out" in said


def test_a_choice_of_another_name_is_refused():
    with pytest.raises(ValueError, match="choice is 'all'; give form, text or atoms"):
        AddedTokens("all")


@given(st.frozensets(st.integers(0, 60)))
@example(frozenset({3, 4, 6}))
def test_ranges_hold_just_the_ids(ids):
    ranges = list_ranges(ids)
    assert json.loads(json.dumps(ranges)) == [[*pair] for pair in ranges]
    assert [i for first, last in ranges for i in range(first, last + 1)] == sorted(ids)
    assert all(last + 1 < first for (_, last), (first, _) in itertools.pairwise(ranges))
