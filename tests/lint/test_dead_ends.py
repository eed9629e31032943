"""States that no text leaves."""

ALWAYS_SHIFTS = 'start: x "a" "c" | "d"\nx: "a" x | "a"\n'


def test_a_state_that_no_text_leaves_is_a_dead_end(lint):
    (finding,) = lint(ALWAYS_SHIFTS, "ML004")
    assert finding.severity.value == "error"
    assert finding.witness == "a"
    assert (finding.place.kind, finding.place.name, finding.place.line) == ("rule", "x", 2)
    assert "resolved a conflict by shifting" in finding.fact


def test_a_grammar_without_a_text_is_a_dead_end(lint):
    (finding,) = lint('start: x "a"\nx: "a" x | "a"\n', "ML004")
    assert finding.place.kind == "grammar"
    assert finding.fact.startswith("no text at all can be parsed")


def test_a_dead_end_of_the_lexer_is_told_from_one_of_the_parser(lint):
    text = 'start: NAME | "#" WORD "!"\nWORD: /if|in/\nNAME.1: /[a-z]+/\n'
    (finding,) = lint(f"// maskc: lexer=basic\n{text}", "ML004")
    assert "cannot be lexed there" in finding.fact


def test_a_left_recursive_list_has_no_dead_end(lint):
    assert lint('start: x "a" "c" | "d"\nx: x "a" | "a"\n', "ML004") == []
