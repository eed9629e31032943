"""lark.lark against Lark: what is accepted is read by Lark's own reader of grammars."""

import random
from pathlib import Path

import lark
import pytest
from lark.exceptions import LarkError
from lark.load_grammar import _parse_grammar

from tests.grammars.derive import accepts, conflicts
from tests.grammars.places import GRAMMARS
from tests.grammars.walks import (
    generate,
    read_corpus,
    read_grammar,
    walk,
)

GRAMMAR = "lark"
CORPUS = read_corpus(GRAMMAR)
FILES = [*GRAMMARS.glob("*.lark"), *(Path(lark.__file__).parent / "grammars").glob("*.lark")]
LEXEMES = {
    "RULE": ["a", "_b1"],
    "TERMINAL": ["A", "_B1"],
    "MODIFIERS": ["!", "?", "!?", "?!"],
    "NUMBER": ["1", "-2"],
    "OPERATOR": ["*", "+", "? "],
    "STRING": ['"s"', '"\\""i', '"\\n\\\\"'],
    "REGEXP": ["/a/", '/\\/[\\/]"/imsux', "/\\\\/"],
    "_NEWLINE": ["\n", "\n\n // c | d\n  ", "\r\n# x\n"],
    "_NEWLINE_OR": ["\n |", "\n // c\n\n  |"],
    "IGNORE": ["%ignore"],
    "IMPORT": ["%import"],
    "DECLARE": ["%declare"],
    "OVERRIDE": ["%override"],
    "EXTEND": ["%extend"],
}
SIGNS = [*"01abAB:-_.+\"'\\\n #[]{}(),|~/*?!%>"]


def is_read(text: str) -> bool:
    try:
        _parse_grammar(text, "test")
    except (LarkError, TypeError):
        # Lark fails over its own message where it finds two explanations of an error.
        return False
    return True


def join(words: list[str]) -> str:
    """Put blanks between lexemes, but none after modifiers."""
    return "".join(word if word in LEXEMES["MODIFIERS"] else f"{word} " for word in words)


def test_lark_makes_no_silent_choice():
    assert conflicts(read_grammar("lark"), "grammar") == []


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_accepted_and_read_by_lark(parser, name):
    assert accepts(parser, CORPUS[name])
    assert is_read(CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_walked_token_by_token(artifact, name):
    assert walk(artifact, CORPUS[name]) == "ok"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_grammars_that_lark_reads_are_accepted(parser, path):
    assert accepts(parser, path.read_bytes().decode("utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "\n\na:\n",
        "// only a comment\na: b // and one",
        "a: b\n | c\n\n // d | e\n | f",
        "a: b\n// c | d\ne: f",
        "!?_a.-1: (b | c)* [d] e~2 f~3..4 -> g",
        'a: "b".."c" | "d"i | /e/ims',
        'a{b, c}: b{c, a{c}} "d"',
        'A: "b" | (C | [/d/])+',
        "%import a.b\n%import .a (B, c)\n%import a.b.C -> D",
        '%ignore " " | /#.*/\n%declare A b\n%override a: b\n%extend A: "b"',
        "a: b?\nc: d ? e",
        "a: b#c",
        "a: /b/ /c/",
        "A: /a\n b/x",
    ],
)
def test_a_text_is_accepted_and_read_by_lark(parser, text):
    assert accepts(parser, text)
    assert is_read(text)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a:b:c",
        "a: b\nc",
        "a: (b",
        "a: b)",
        "a: [b",
        "a: *",
        "a: b**",
        "a: b~",
        "a: b~1..",
        'a: "b"..c',
        'a: "b',
        "a: 'b'",
        "a: /b",
        "a: -> b -> c",
        "a: b -> C",
        "a: b?c",
        "? a: b",
        "?A: b",
        "a{}: b",
        "a{B}: b",
        "a: b{}",
        "a.: b",
        "a.b: c",
        "A{b}: c",
        "__a: b",
        "%import",
        "%import a ()",
        "%ignore",
        "%declare",
        "%declare a:",
        "%override %extend a: b",
        "%unknown a",
        "a: é",
        "a = b",
    ],
)
def test_a_text_that_lark_refuses_is_refused(parser, text):
    assert not accepts(parser, text)
    assert not is_read(text) or text == "%ignore"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: (b -> c)",
        "A: b",
        'A: "b" -> c',
        "A:",
        "%import a",
        "aB: c",
        'a: "\\q"',
        "a: /b\nc/",
        "a: b \\\n c",
    ],
)
def test_what_the_header_leaves_out_is_refused(parser, text):
    assert not accepts(parser, text)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_productions_derive_is_accepted_and_read_by_lark(parser, deriver, seed):
    draw = random.Random(seed)
    for _ in range(100):
        text = deriver.text("grammar", draw, draw.choice([5, 15, 40]), join=join)
        assert accepts(parser, text), text
        assert is_read(text), text


@pytest.mark.parametrize("seed", range(4))
def test_a_changed_text_that_is_still_accepted_is_read_by_lark(parser, deriver, seed):
    draw = random.Random(seed)
    accepted = 0
    for _ in range(200):
        text = deriver.text("grammar", draw, draw.choice([5, 15]), join=join)
        at = draw.randint(0, len(text))
        text = text[:at] + draw.choice(["", *SIGNS]) + text[at + draw.randrange(2) :]
        if accepts(parser, text):
            accepted += 1
            assert is_read(text), text
    assert accepted > 20


def test_generated_texts_are_read_by_lark(parser, artifact):
    for text in generate(artifact, count=20, max_tokens=40):
        assert accepts(parser, text)
        assert is_read(text), text
