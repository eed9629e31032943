"""ML007: blanks for ever."""

import pytest


def test_an_ignored_pattern_without_a_bound_is_found(lint):
    (finding,) = lint('start: "a" "b"\n%ignore /[ \\n]+/\n', "ML007")
    assert finding.place.name == r"/[ \n]+/"
    assert finding.place.line == 2
    assert finding.remedy.endswith(r"%ignore /(?<![ \n])[ \n]{1,16}/")


def test_an_ignored_blank_can_come_again(lint):
    (finding,) = lint('start: "a" "b"\n%ignore " "\n', "ML007")
    assert "as often as it comes" in finding.fact


def test_a_bound_alone_is_not_enough(lint):
    (finding,) = lint('start: "a" "b"\n%ignore /[ \\n]{1,16}/\n', "ML007")
    assert "as often as it comes" in finding.fact


@pytest.mark.parametrize("blanks", [" ", r" \n", r" \t\n\r"])
def test_the_rewrite_of_the_remedy_is_not_reported(lint, blanks):
    (finding,) = lint(f'start: "a" "b"\n%ignore /[{blanks}]+/\n', "ML007")
    rewrite = finding.remedy.partition(": ")[2]
    assert lint(f'start: "a" "b"\n{rewrite}\n', "ML007") == []


def test_a_class_that_ignores_more_than_blanks_keeps_it(lint):
    (finding,) = lint('start: "a" "b"\n%ignore /[ ,]+/\n', "ML007")
    assert finding.remedy.endswith("%ignore /(?<![ ,])[ ,]{1,16}/")


def test_a_newline_terminal_without_a_bound_is_found(lint):
    (finding,) = lint('start: "a" (NL "a")*\nNL: /\\n+/\n', "ML007")
    assert finding.place.name == "NL"


def test_a_rule_that_repeats_a_newline_is_found(lint):
    (finding,) = lint('start: (NL | "a")*\nNL: "\\n"\n', "ML007")
    assert (finding.place.kind, finding.place.name) == ("rule", "start")


def test_a_newline_between_items_is_fine(lint):
    assert lint('start: "a" (NL "a")*\nNL: "\\n"\n', "ML007") == []


def test_blanks_inside_text_are_text(lint):
    assert lint('start: TEXT STRING\nTEXT: /[a-z ]+/\nSTRING: /"[^"]*"/\n', "ML007") == []
