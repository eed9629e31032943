"""ML013: words that need no blank after them."""


def test_a_word_where_no_name_may_stand_needs_no_blank(lint):
    (finding,) = lint('start: "let" NAME\nNAME: /[a-z]+/\n%ignore " "\n', "ML013")
    assert finding.witness == "leta"
    assert finding.severity.value == "note"


def test_a_word_beside_a_name_needs_one(lint):
    assert lint('start: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n', "ML013") == []


def test_with_the_basic_lexer_it_needs_one(lint):
    text = '// maskc: lexer=basic\nstart: "let" NAME\nNAME: /[a-z]+/\n%ignore " "\n'
    assert lint(text, "ML013") == []


def test_a_word_that_ends_needs_one(lint):
    assert lint('start: LET NAME\nLET: /let(?!\\w)/\nNAME: /[a-z]+/\n%ignore " "\n', "ML013") == []


def test_where_no_blanks_are_ignored_none_are_missed(lint):
    assert lint('start: "let" NAME\nNAME: /[a-z]+/\n', "ML013") == []
