import pytest

from tests.compiled import compile_text, legal_tokens

DEPTH = 1200  # deeper than Python may call
NESTED = 'start: "(" start ")" | "x"\n'


@pytest.fixture(scope="module")
def artifact():
    return compile_text(NESTED, (b"(", b")", b"x", b")" * DEPTH, b"(" * DEPTH + b"x"))


def test_a_token_of_thousands_of_terminals_is_asked_about_to_its_end(artifact):
    assert legal_tokens(artifact, "(" * DEPTH + "x") == {b")", b")" * DEPTH}


def test_one_bracket_too_many_is_found_at_the_bottom(artifact):
    assert legal_tokens(artifact, "(" * (DEPTH - 1) + "x") == {b")"}


def test_what_was_asked_at_one_place_holds_where_the_stack_agrees(artifact):
    first = legal_tokens(artifact, "((x")
    assert legal_tokens(artifact, "(((x)") == first == {b")"}


def test_a_general_grammars_token_is_asked_about_to_its_end():
    tokens = (b"(", b")", b"x", b")" * DEPTH)
    artifact = compile_text(NESTED, tokens, parser="earley")
    assert legal_tokens(artifact, "(" * DEPTH + "x") == {b")", b")" * DEPTH}
    assert legal_tokens(artifact, "(" * (DEPTH - 1) + "x") == {b")"}
