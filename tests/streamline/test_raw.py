"""The walk's rows, after each terminal that ends a lexeme."""

from tests.languages import describe, stages_of

TOKENS = (b"a", b"b", b"ab", b"a b")
BLANKS = 'start: "a" "b" | "b" "b"\n%ignore " "\n'


def test_each_terminal_has_its_own_copy_of_the_rows_after_a_boundary():
    found = describe(stages_of('start: "a" "b" | "c" "b" "a"\n', TOKENS), "raw", TOKENS)
    assert ("A", "open(B)", "b") in found
    assert ("C", "open(B)", "b") in found


def test_rows_that_need_a_context_which_is_never_named_are_left_out():
    found = describe(stages_of('start: "a" "b" | "c" "b" "a"\n', TOKENS), "raw", TOKENS)
    assert not [row for row in found if row[0] == "A" and row[1] == "open(A)"]
    assert ("B", "open(A)", "a") in found


def test_an_ignored_lexeme_inside_a_token_is_no_event():
    tokens = (b"a", b"b", b"a b", b"ab")
    found = describe(stages_of(BLANKS, tokens), "raw", tokens)
    assert ("(ignored)", "A · open(B)", "a b ab") in found
    assert ("A", "open(B)", "a b ab") in found
