from random import Random

import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.drawing import Spacing
from maskc.verify.general import build_oracle

BLANKS = "%ignore /[ \\n]+/\n"


def write(grammar, terminals, *, lexemes=None, seeds=range(30)):
    """Return the texts that some sentences are written as."""
    oracle = build_oracle(build_lark(load_source(f"{grammar}\n")))
    known = {name: [oracle.completer.samples(name)[0]] for name in oracle.steps.terminals}
    known |= lexemes or {}
    spacing = Spacing(oracle.reader, lambda draw, name: draw.choice(known[name]))
    return {spacing.write(Random(seed), terminals) for seed in seeds}


@pytest.mark.parametrize(
    ("grammar", "terminals", "lexemes"),
    [
        (f'start: "let" NAME\nNAME: /[a-z]+/\n{BLANKS}', ("LET", "NAME"), ["let", "a"]),
        (f'start: "+" "+" | "++" "a"\n{BLANKS}', ("PLUS", "PLUS"), ["+", "+"]),
    ],
)
def test_words_and_signs_that_would_be_another_are_kept_apart(grammar, terminals, lexemes):
    assert all(text.split() == lexemes for text in write(grammar, terminals))


def test_a_name_that_is_a_keyword_is_drawn_anew():
    grammar = f'// maskc: lexer=basic\nstart: "if" NAME\nNAME: /[a-z]+/\n{BLANKS}'
    texts = write(grammar, ("IF", "NAME"), lexemes={"NAME": ["if", "x"]})
    assert {text and text.split()[1] for text in texts} <= {"x", None}
    assert any(texts)


REFUSED = 'start: x "a"\nx: "b" "a" | "b"'  # Lark shifts the a, and then misses one


@pytest.mark.parametrize(
    ("grammar", "terminals", "text"),
    [
        ('start: "a" "," "b"', ("A", "COMMA", "B"), "a,b"),
        ('start: A B\nA: /a+/\nB: "a"', ("A", "B"), None),
        (REFUSED, ("B", "A"), None),
        (REFUSED, ("B", "A", "A"), "baa"),
    ],
)
def test_without_ignored_blanks_there_is_one_text_or_none(grammar, terminals, text):
    assert write(grammar, terminals) == {text}


def test_comments_are_written_with_the_break_that_ends_them():
    grammar = f'start: "{{" "}}"\nCOMMENT: /#[^\\n]*/\n%ignore COMMENT\n{BLANKS}'
    texts = write(grammar, ("LBRACE", "RBRACE"), lexemes={"COMMENT": ["# why"]}, seeds=range(300))
    assert "{ # why\n}" in texts


def test_lines_of_an_indented_grammar_end_in_the_column_of_their_block():
    grammar = (
        "// maskc: postlex=lark.indenter:PythonIndenter\n"
        'start: block+\nblock: "if" _NEWLINE _INDENT "a" _NEWLINE _DEDENT\n'
        "_NEWLINE: /(\\n[ ]*)+/\n%declare _INDENT _DEDENT\n%ignore / /\n"
    )
    one = ("IF", "_NEWLINE", "_INDENT", "A", "_NEWLINE", "_DEDENT")
    assert write(grammar, one * 2) == {"if\n    a\nif\n    a\n"}


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete", "basic"])
def test_texts_of_earley_grammars_are_written(lexer):
    grammar = f'// maskc: parser=earley lexer={lexer}\nstart: "a" "=" "b"\n%ignore " "'
    assert {text.replace(" ", "") for text in write(grammar, ("A", "EQUAL", "B"))} == {"a=b"}
