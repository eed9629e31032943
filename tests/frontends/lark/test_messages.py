"""A refusal names the terminal as its author wrote it, its line, and a way out."""

import pytest

import maskc
from maskc.errors import GrammarError, MaskcError, UnsupportedTerminalError


def refusal(text, error=MaskcError):
    with pytest.raises(error) as caught:
        maskc.compile_grammar(text, tokenizer="bytes")
    return str(caught.value)


def test_a_pattern_of_regex_is_said_to_be_one():
    assert refusal('start: A "b"\nA: /\\p{L}+/\n', GrammarError) == (
        "<text>: terminal A (line 2): re cannot read its pattern \\p{L}+ (bad escape \\p at "
        "position 0); the module regex can: if the project has Lark(…, regex=True), write "
        "// maskc: regex=true at the top"
    )


def test_a_pattern_that_regex_cannot_read_either_is_to_be_corrected():
    assert refusal("start: A\nA: /a{2}{3}/\n", GrammarError).endswith(
        "(multiple repeat at position 4); correct the pattern"
    )


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("/(/", "terminal /(/: re cannot read it"), (r"/(a)\1/", r"terminal /(a)\1/: back-reference")],
)
def test_a_terminal_without_a_name_is_called_by_its_pattern(pattern, words):
    message = refusal(f'start: "b" {pattern}\n')
    assert message.startswith(f"<text>: {words}")
    assert "__ANON" not in message


def test_a_terminal_that_is_not_regular_is_named_with_its_line():
    message = refusal('start: A\n\n\nA: /(a)\\1/ "b"\n', UnsupportedTerminalError)
    assert message.startswith("<text>: terminal A (line 4): back-reference to group 1")


@pytest.mark.parametrize(
    ("pattern", "features"),
    [
        (r"a(?!b)", "the look-ahead (?!…)"),
        (r"a(?=b)", "the look-ahead (?=…)"),
        (r"a+$", "the anchor $"),
        (r"a\b", "the word boundary \\b"),
        (r"a++b?\b", "a possessive quantifier and the word boundary \\b"),
    ],
)
def test_dynamic_complete_names_what_it_cannot_read(pattern, features):
    head = "// maskc: parser=earley lexer=dynamic_complete\n"
    message = refusal(f'{head}start: A "b"\nA: /{pattern}/\n', UnsupportedTerminalError)
    assert f"terminal A (line 3): what {features} says depends" in message
    assert message.endswith("write it without, or use lexer=dynamic")


def test_what_can_never_be_lexed_side_by_side_is_named():
    text = "// maskc: parser=earley\nstart: A B\nA: /a+/\nB: /a/\n"
    assert refusal(text, GrammarError) == (
        "<text>: no text at all can be parsed: terminal B (line 4) can never be lexed right after "
        "terminal A (line 3), as in b'aa'; put something between them"
    )


def test_a_declared_terminal_that_every_text_needs_is_named():
    text = "// maskc: parser=earley\nstart: A\n%declare A\n"
    assert "terminal A is declared and has no pattern" in refusal(text, GrammarError)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'start: A\n// LETTER\nA: "LETTER" LETTER+\n',
            "terminal LETTER (line 3) is used and nothing defines it; write %import common.LETTER, "
            "or define it",
        ),
        (
            "start: /OWN/ OWN\n",
            "terminal OWN (line 1) is used and nothing defines it; define it, or correct its name",
        ),
        (
            'start: "x"\n  | value\n',
            "rule value (line 2) is used and nothing defines it; define it, or correct its name",
        ),
    ],
)
def test_what_nothing_defines_is_named_with_its_line(text, words):
    assert refusal(text, GrammarError) == f"<text>: {words}"


def test_the_import_that_a_message_asks_for_is_one():
    assert maskc.compile_grammar("start: LETTER\n%import common.LETTER\n", tokenizer="bytes")
