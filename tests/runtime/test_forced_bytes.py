import pytest

from maskc.runtime import forced_bytes
from tests.compiled import compile_text, matcher_at

BLOCKS = """
start: "b" ":" _NL _INDENT line+ _DEDENT
line: "x" _NL
_NL: /(\\n[ \\t]*)+/
%declare _INDENT _DEDENT
"""


def test_forced_bytes_are_what_every_text_goes_on_with():
    artifact = compile_text('start: "select" " " ("a" | "b")\n')
    assert artifact.matcher().forced_bytes() == b"select "
    assert matcher_at(artifact, "select ").forced_bytes() == b""
    assert matcher_at(artifact, "select a").forced_bytes() == b""


def test_nothing_is_forced_where_the_text_may_end():
    assert matcher_at(compile_text('start: "a" "bc"?\n'), "a").forced_bytes() == b""
    assert matcher_at(compile_text('start: "a" "bc"\n'), "a").forced_bytes() == b"bc"


def test_nothing_is_forced_after_the_end_of_the_sequence():
    matcher = matcher_at(compile_text('start: "ab"\n'), "ab")
    assert matcher.accept_token(256)
    assert matcher.forced_bytes() == b""


def test_a_class_of_two_bytes_is_a_choice():
    assert compile_text("start: /[ab]c/\n").matcher().forced_bytes() == b""


def test_what_is_forced_has_an_end(monkeypatch):
    monkeypatch.setattr(forced_bytes, "MAX_FORCED", 5)
    assert compile_text('start: "abcdefgh"\n').matcher().forced_bytes() == b"abcde"


@pytest.mark.parametrize(("text", "forced"), [("b", b":\n"), ("b:\n  x", b"\n")])
def test_a_column_is_a_choice_though_no_token_says_so(text, forced):
    """The vocabulary has no token that begins with a blank: tokens alone would force the rest."""
    artifact = compile_text(
        BLOCKS, (b"b", b":", b"\n", b"x", b"\n  "), postlex="tests.indenters:TwoColumns"
    )
    assert matcher_at(artifact, text).forced_bytes() == forced


@pytest.mark.parametrize(
    ("tokens", "forced"),
    [((b"ab",), b"a"), ((b"ab", b"a", b"b"), b"a"), ((b"ab", b"b", b"c"), b"a"), ((b"x",), b"a")],
)
def test_a_byte_that_no_token_writes_alone_is_tried(tokens, forced):
    """After ``a`` a ``c`` may come, whatever the tokens are; what they cannot write is forced."""
    assert compile_text("start: /a[bc]/\n", tokens).matcher().forced_bytes() == forced
