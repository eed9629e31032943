"""Strings that a pattern matches too."""


def test_a_keyword_that_is_a_name_elsewhere_is_noted(lint):
    (finding,) = lint('start: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n', "ML003")
    assert finding.place.name == "NAME"
    assert "LET is itself in 1 of 2 contexts" in finding.fact
    assert finding.witness == "let"
    assert finding.severity.value == "note"


def test_the_witness_of_a_keyword_leads_to_where_it_is_no_name(lint):
    (finding,) = lint('start: "#" ("let" NAME | NAME)\nNAME: /[a-z]+/\n%ignore " "\n', "ML003")
    assert finding.witness == "#let"


def test_a_reserved_word_can_nowhere_be_a_name(lint):
    (finding,) = lint(
        '// maskc: lexer=basic\nstart: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n', "ML003"
    )
    assert finding.fact == "LET can nowhere be written as NAME"


def test_a_string_that_no_pattern_matches_is_no_keyword(lint):
    assert lint('start: "+" NAME | NAME\nNAME: /[a-z]+/\n', "ML003") == []
