"""Terminals that match the same lexeme."""

TWO_NUMBERS = """\
start: INT | HEX
INT: /[0-9]+/
HEX: /[0-9a-f]+/
"""


def test_two_patterns_of_one_lexeme_and_one_priority_collide(lint):
    (finding,) = lint(TWO_NUMBERS, "ML001")
    assert finding.place.name == "INT"
    assert finding.place.line == 2
    assert finding.witness == "0"
    assert finding.fact.startswith("HEX and INT match the same text")
    assert finding.severity.value == "warning"


def test_a_priority_is_the_authors_word(lint):
    assert lint(TWO_NUMBERS.replace("INT:", "INT.1:"), "ML001") == []


def test_terminals_of_different_contexts_do_not_collide(lint):
    assert lint(TWO_NUMBERS.replace("INT | HEX", 'INT "x" HEX'), "ML001") == []


def test_a_keyword_is_no_collision(lint):
    assert lint('start: "if" NAME | NAME\nNAME: /[a-z]+/\n', "ML001") == []


def test_patterns_that_exclude_each_other_do_not_collide(lint):
    text = "start: INT | NAME\nINT: /[0-9]+/\nNAME: /(?![0-9])[0-9a-f]+/\n"
    assert lint(text, "ML001") == []
