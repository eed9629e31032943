"""Grammars whose texts are bytes, as Lark's ``use_bytes=True`` has them."""

import sys

import pytest

from maskc.errors import GrammarError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import compile_text, legal_tokens

HEAD = "// maskc: use_bytes=true\n"


def takes(text, data):
    matcher = compile_text(HEAD + text).matcher()
    return matcher.accept_bytes(data) and matcher.is_accepting


def test_a_character_is_a_byte():
    assert takes("start: /[^a]/\n", b"\xff")
    assert not takes("start: /[^a]/\n", "é".encode())
    assert not takes("start: /[^\\xff]/\n", b"\xff")


def test_classes_and_cases_are_those_of_ascii():
    assert not takes("start: /\\w/\n", b"\xe9")
    assert takes("start: /\\W/\n", b"\xe9")
    assert takes('start: "a"i\n', b"A")
    assert not takes('start: LETTER\nLETTER: "\\xe9"i\n', b"\xc9")


def test_a_byte_in_the_middle_of_a_character_is_legal():
    artifact = compile_text(HEAD + "start: /[\\x80-\\x82]+/\n")
    assert legal_tokens(artifact, b"\x80") == {b"\x80", b"\x81", b"\x82", None}


def test_patterns_of_dynamic_lexers_are_utf_8():
    # Lark encodes them so, and by Latin-1 in all others.
    assert takes('start: LETTER\nLETTER: "\\xe9"\n', b"\xe9")
    earley = '// maskc: parser=earley\nstart: "\\xe9"\n'
    assert takes(earley, b"\xc3\xa9")
    assert not takes(earley, b"\xe9")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("start: /\\u0100/\n", "is no byte; write its bytes"),
        ("start: /a/u\n", "cannot use 'u' flag with a bytes pattern"),
        ("start: /\\N{DIGIT ONE}/\n", "bad escape"),
    ],
)
def test_what_is_no_pattern_of_bytes_is_refused(text, words):
    with pytest.raises(GrammarError, match=words):
        build_lark(load_source(HEAD + text))


@pytest.mark.filterwarnings("ignore:bad character in group name:DeprecationWarning")
def test_a_name_that_re_takes_in_no_pattern_of_bytes_is_refused():
    text = HEAD + 'start: "\\xe9" B\nB: "b"\n'  # of which Lark makes a name, É
    if sys.version_info < (3, 12):
        assert takes('start: "\\xe9" B\nB: "b"\n', b"\xe9b")
        return
    with pytest.raises(GrammarError, match=r'terminal "é": .* as LETTER: "\\xe9"$'):
        build_lark(load_source(text))
