"""Terminals that cannot be lexed apart."""

import pytest


def test_neighbours_that_are_one_lexeme_are_found(lint):
    text = 'start: NAME NAME | "x"\nNAME: /[a-z]+/\n'
    (finding,) = lint(text, "ML005")
    assert finding.place.name == "NAME"
    assert finding.witness == "aa"
    assert finding.severity.value == "warning"


@pytest.mark.parametrize("ignored", ['%ignore " "', "%ignore /[ \\n]+/"])
def test_neighbours_that_a_blank_keeps_apart_are_fine(lint, ignored):
    assert lint(f"start: NAME NAME\nNAME: /[a-z]+/\n{ignored}\n", "ML005") == []
