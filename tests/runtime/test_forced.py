"""Forced bytes, and forced tokens: what the tokenizer would write, whatever comes after it."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.errors import TokenizerError
from maskc.runtime.forced import TokenTexts, keep_stable
from maskc.vocab import load_encoder
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
    monkeypatch.setattr("maskc.runtime.forced.MAX_FORCED", 5)
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


REAL = ("llama3", "mistral", "deepseek", "qwen")
TEXT = (Path(__file__).parents[2] / "maskc" / "errors.py").read_text() + (
    '{"name": "crème fraîche", "price": [1.25e3, -20000], "tags": ["茶", "a  b"]}\n'
    "SELECT  count(*) FROM t1 WHERE it's <> 'x''s' -- ünïcode 👩‍👩‍👧\n\n\n"
    "\tdef f(x):\n        return x\n"
)
FOLLOWING = (
    "",
    "\n",
    "\n\n",
    " ",
    "  ",
    "s",
    "ing",
    "'s",
    "_",
    "(",
    '"',
    ".",
    "0",
    "00",
    "=",
    "é",
    "\t",
)


@cache
def load(name):
    """Return a tokenizer and its tokens, or skip the test."""
    try:
        encoder = load_encoder(name)
    except TokenizerError as error:
        pytest.skip(str(error))
    tokens = encoder.tokens
    return encoder.encode, TokenTexts(lambda token_id: tokens[token_id], len(tokens))


def stays(name, text, start, end, following):
    """Check the law for one offset: what is kept is there in front of some continuation."""
    encode, texts = load(name)
    before, forced = text[:start], text[start:end]
    kept = keep_stable(forced.encode(), before, encode, texts)
    whole = encode(before + forced + following)
    ends = [0, *texts.find_boundaries(whole)]
    offset = len(before.encode())
    if offset in ends:
        first = ends.index(offset)
        assert whole[first : first + len(kept)] == kept
    return kept


@pytest.mark.parametrize("name", REAL)
def test_kept_tokens_are_the_same_whatever_follows(name):
    load(name)

    @given(
        start=st.integers(0, len(TEXT) - 1),
        length=st.integers(1, 40),
        window=st.integers(0, 60),
        following=st.sampled_from(FOLLOWING) | st.text(max_size=5) | st.none(),
    )
    @example(start=0, length=40, window=0, following="x")
    def check(start, length, window, following):
        text = TEXT[max(0, start - window) :]
        start = min(start, window)
        end = min(start + length, len(text))
        follows = text[end : end + 20] if following is None else following
        stays(name, text, start, end, follows)

    check()


@pytest.mark.parametrize("name", REAL)
def test_much_is_kept_of_a_long_text(name):
    kept = stays(name, TEXT, 0, 400, "x")
    encode, texts = load(name)
    assert len(kept) >= len(encode(TEXT[:400])) - 4
    assert TEXT.encode().startswith(b"".join(texts.text_of(t) for t in kept))


# Tokens by number; the encoder takes the longest that fits, and "wh" and "ile" never meet.
TOKENS = (b" ", b"a", b"b", b"ab", b"aba", "é".encode(), "é".encode()[:1], b"<end>")


def encode_longest(text):
    data, ids = text.encode(), []
    while data:
        token = max((t for t in TOKENS if data.startswith(t)), key=len)
        ids.append(TOKENS.index(token))
        data = data[len(token) :]
    return ids


TEXTS = TokenTexts(lambda token_id: TOKENS[token_id], len(TOKENS))


@pytest.mark.parametrize(
    ("forced", "kept"),
    [
        ("b", [2]),
        ("a", []),  # may become "ab"
        ("ab", []),  # may become "aba"
        ("aba", []),  # nor is "ab" sure, in front of an "a" that may become "ab"
        ("b b", [2, 0, 2]),
        ("b a", [2, 0]),
        ("", []),
    ],
)
def test_tokens_that_may_become_longer_are_dropped(forced, kept):
    assert keep_stable(forced.encode(), "", encode_longest, TEXTS) == kept


def test_a_character_that_is_cut_is_left_out():
    assert keep_stable("bé".encode()[:2], "", encode_longest, TEXTS) == [2]


def test_a_character_that_has_begun_is_finished_by_the_model():
    assert keep_stable("é".encode()[1:] + b"b", "", encode_longest, TEXTS) == []


def test_what_precedes_changes_the_tokens():
    assert keep_stable(b"ab ", "", encode_longest, TEXTS) == [3, 0]
    assert keep_stable(b"ab ", "b", encode_longest, TEXTS) == [3, 0]
    assert keep_stable(b"b ", "a", encode_longest, TEXTS) == []  # a token lies across


def test_ids_that_do_not_write_the_text_force_nothing():
    assert keep_stable(b"b b", "", lambda text: [7, *encode_longest(text)], TEXTS) == []


def test_forced_tokens_are_legal_and_stop_at_a_choice():
    artifact = compile_text('start: "b ab" ("a" | "b")\n', (*TOKENS[:-1],))
    matcher = artifact.matcher()
    forced = matcher.forced_tokens(encode_longest)
    assert forced == [2, 0]
    assert matcher.validate_tokens(forced) == 2
    assert matcher.accept_tokens([2, 0, 3]) == 3
    assert matcher.forced_tokens(encode_longest, before="b ab") == []


def test_nothing_is_forced_after_the_end():
    artifact = compile_text('start: "b"\n', (*TOKENS[:-1],))
    matcher = artifact.matcher()
    assert matcher.forced_tokens(encode_longest) == [2]
    matcher.accept_tokens([2, artifact.eos_ids[0]])
    assert matcher.forced_tokens(encode_longest, before="b") == []
