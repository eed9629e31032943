"""What ``maskc analyze`` answers, as values."""

import pytest

from maskc.errors import UnknownSymbolError
from maskc.pushdown.questions import Questions
from tests.languages import language_of

NESTED = 'start: "a" start "b" | "c"\n'
SUM = 'start: NAME (("+" | "-") NAME)*\nNAME: /[a-z]+/\n'
CONFLICT = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'


def questions(text):
    return Questions(language_of(text).lexed.grammar, "g.lark")


def test_a_sequence_that_no_text_has_is_never_legal():
    answer = questions(NESTED).ask_never("B", ["A"])
    assert (answer.x, answer.sequence, answer.never_legal) == ("B", ("A",), True)
    assert not questions(NESTED).ask_never("A", ["A", "C", "B"]).never_legal


def test_names_that_are_in_no_text_are_told():
    answer = questions('start: "a" | x\nx: x "b"\n').ask_never("A", ["B"])
    assert answer.never_legal
    assert answer.unused == ("B",)


def test_an_end_that_every_stack_takes_is_always_legal():
    answer = questions(NESTED).ask_always("A", ["C"])
    assert answer.always_legal
    assert (answer.verdict, answer.lalr_verdict) == ("always", "always")


def test_what_depends_on_the_stack_is_unknown():
    answer = questions(NESTED).ask_always("B", ["B"])
    assert answer.always_legal is None
    assert answer.verdict == "depends"


def test_a_conflict_keeps_the_productions_from_proving_anything():
    answer = questions(CONFLICT).ask_always("B", ["A", "C"])
    assert answer.n_conflicts == 1
    assert answer.always_legal is None


def test_interchangeable_ends_are_jointly_legal():
    answer = questions(SUM).ask_joint("NAME", ["PLUS"], ["MINUS"])
    assert answer.jointly_legal
    assert answer.lalr_jointly_legal
    assert answer.reason == "equal up to interchangeable terminals"


def test_ends_that_add_what_is_always_legal_are_legal_on_the_same_stacks():
    answer = questions(SUM).ask_joint("NAME", ["PLUS"], ["MINUS", "NAME"])
    assert answer.lalr_jointly_legal
    assert answer.reason == "legal on the same stacks"


def test_sequences_on_different_stacks_are_not_known_to_be_jointly_legal():
    answer = questions(NESTED).ask_joint("B", ["B"], ["B", "B"])
    assert (answer.jointly_legal, answer.lalr_jointly_legal, answer.reason) == (None, None, None)


def test_a_conflict_keeps_the_productions_from_joining_sequences():
    answer = questions(CONFLICT).ask_joint("P", ["B", "A", "C"], ["B"])
    assert answer.jointly_legal
    assert answer.lalr_jointly_legal is None


def test_followers_are_those_of_some_text():
    asked = questions(NESTED)
    assert asked.ask_follow("C").followers == ("B", "$END")
    assert asked.ask_follow("start").followers == ("B", "$END")


def test_a_terminal_may_be_asked_for_by_its_text():
    assert questions(SUM).ask_follow("+").symbol == "PLUS"
    assert questions(SUM).ask_follow('"-"').symbol == "MINUS"


def test_an_unknown_name_is_refused_with_those_that_are_near():
    with pytest.raises(UnknownSymbolError, match="NAME") as caught:
        questions(SUM).ask_never("NAMES", ["PLUS"])
    assert caught.value.nearest[0] == "NAME"


def test_classes_have_the_texts_of_their_terminals():
    answer = questions(SUM).ask_classes()
    assert answer.classes == (("MINUS", "PLUS"),)
    assert answer.texts == {"MINUS": '"-"', "PLUS": '"+"'}


def test_the_overview_counts_every_pair():
    answer = questions(NESTED).ask_overview()
    assert sum(answer.pairs.values()) == answer.counts["terminals in texts"] ** 2 == 9
    assert answer.counts["conflicts resolved by Lark"] == 0
