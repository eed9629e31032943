"""Terminals that are never lexed."""


def test_a_terminal_after_one_of_higher_priority_is_shadowed(lint):
    text = 'start: WORD NAME | NAME\nWORD: /if|in/\nNAME.1: /[a-z]+/\n%ignore " "\n'
    (finding,) = lint(text, "ML002")
    assert finding.place.name == "WORD"
    assert finding.place.line == 2
    assert finding.severity.value == "error"
    assert finding.witness == "if"
    assert "NAME is taken instead" in finding.fact


def test_a_terminal_that_some_context_lexes_is_not_shadowed(lint):
    text = 'start: WORD NAME | "!" NAME\nWORD: /if|in/\nNAME.1: /[a-z]+/\n%ignore " "\n'
    assert lint(text, "ML002") == []
