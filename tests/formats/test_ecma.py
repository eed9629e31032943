"""Which texts are patterns of ECMA-262, as Node 20 has it (``new RegExp(text, "u")``)."""

import random

import pytest

from maskc.formats.ecma import Patterns
from maskc.jsonschema.formats import build_format
from maskc.runtime.schema.plan.custom import accepts
from tests.examples import seeds

PATTERNS = r"""
(?:a)* (?<$_>a) (?<\ud801\udc00>a) (?<\u{61}>a) (?<a1>b) (?<a>b)\k<a> (?<é>a) (a)\1 (|) [+--]
[--a] [-\d] [-a] [\-] [\0] [\b] [\cA-\cZ] [\d-] [\p{L}] [\ud83d-\ude00]
[\ud83d\ude00-\ud83d\ude4f] [\ue000-\ud83d\ude00] [\u{1f600}-\u{1f64f}] [\x41-\x5a] [] [^\]] [^]
[a-\ud83d\ude00-b] [a-] [a-a] [a-b--c] [a-b-c] [a-z] \/ \0 \1(a) \D \P{Letter} \S \W \\ \^ \cA \ca
\d \f \k<a>(?<a>b) \n \p{ASCII} \p{Any} \p{Lu} \p{L} \p{Script=Greek} \p{gc=Lu} \p{sc=Grek}
\p{scx=Zyyy} \r \s \t \u0041 \u{000041} \u{10ffff} \u{41} \v \w \x41 \{\} \|
^(?:(?:25[0-5]|2[0-4]\d)\.){3}$ ^\d{3}-[a-z]+$ a a*? a+? a{02,2} a{2,3} a{2,} a{2}? a|b a||b |
"""
OTHERS = r"""
$+ ( (? (?!a)+ (?:a)\1 (?<!a){2} (?<1>a) (?<=a)? (?<>a) (?<\u0061>a)(?<a>b) (?<\ud801>a)
(?<a>b)(?<a>c) (?=a)* (?a) (?i:a) ) * +a [ [\01] [\1] [\B] [\c1] [\d-a] [\k] [\p{L}--]
[\ue000-\ud83d] [\u{110000}] [\u{d83d}\u{de00}-b] [\x5a-\x41] []a] [a--] [a-\d] [z-a] \ \" \- \00
\01 \2(a) \8 \A \B{2} \Z \_ \a \b? \c \c1 \k \k<a \k<a> \pL \p{Greek} \p{L \p{Lu=} \p{} \u004
\u{110000} \u{} \x \x4 ] ^* ^\S(|(.|\n)*\S)\Z a** a*?? a] a{ a{,2} a{2 a{2}{3} a{3,2} a} {2} }
"""
LONG = (
    r"é|😀+|/|a/b|(a(b(c)))|(a(b)|a)b)|a|b|a||b|()|(?:)|(?=)|x{4294967296}|\4294967295"
    r"|^(?:(?:25[0-5]|2[0-4]\d)\.){3}$|^\S(|(.|\n)*\S)\Z|^(abc]|([abc])+\s+$"
)


@pytest.mark.parametrize("text", ["", *PATTERNS.split()])
def test_a_pattern_is_taken(text):
    assert accepts(build_format("regex"), text)


@pytest.mark.parametrize("text", [*OTHERS.split(), LONG])
def test_what_is_no_pattern_is_not_taken(text):
    assert not accepts(build_format("regex"), text)


def begins(text):
    reader = Patterns()
    state = reader.start()
    for character in text:
        state = reader.step(state, character) if state else None
    return state is not None


@pytest.mark.parametrize(
    ("text", "whether"),
    [
        ("[z-\\x7", True),
        ("[z-\\x6", False),
        ("[z-\\u{6", True),
        ("[z-\\u{06", True),
        ("[\U00010000-\\ud7", False),
        ("[\U00010000-\\ud8", True),
        ("[\U00010000-\\ud800", True),
        ("[\U00010001-\\ud800\\udc00", False),
        ("[z-\\c", False),
        ("(?<\\u002", True),
        ("(?<\\u003", False),
        ("(?<a\\u003", True),
        ("a{5,3", True),
        ("a{5,3}", False),
        ("(((\\9", True),
        ("\\4294967295", False),
        ("\\p{Script=G", True),
        ("\\p{Script=g", False),
    ],
)
def test_a_beginning_is_what_can_become_a_pattern(text, whether):
    assert begins(text) is whether


SOME = [*map(chr, range(0x80)), *"\xaaéßα·\u0301\u200d例\ue000😀\U0010ffff"]


@pytest.mark.parametrize(
    "text", ["", "a", "(", "(?", "(?<", "(?<é", "\\", "\\k<", "[", "[é-", "[a-", "a{2,", "\\u{4"]
)
def test_no_other_characters_follow_than_it_says(text):
    reader = Patterns()
    state = reader.start()
    for character in text:
        state = reader.step(state, character)
    ranges = list(reader.characters(state))
    for character in SOME:
        is_said = any(first <= character <= last for first, last in ranges)
        assert is_said or reader.step(state, character) is None


BEGINNINGS = [
    *"(?<=!:>[]^-\\\\\\k{},uxpc0123ab$|*é",
    "\\u00",
    "\\ud83d",
    "[a-",
    "(?<",
    "(?<é",
    "\\k<",
]
BEYOND = (
    "\x80\xaa\xad\xb2\xdf\u03b1\u017f\u212a\u0966\xb7\u0301\u200d\u2028\u2e2f\ud7ff\ue000\uff11"
)
BEYOND += "\uffff\U00010400\U0001f600\U0010ffff"


@pytest.mark.parametrize("seed", seeds(100))
def test_uniform_characters_lead_to_one_state(seed):
    draw, reader = random.Random(seed), Patterns()
    state = reader.start()
    for character in "".join(draw.choices(BEGINNINGS, k=draw.randint(0, 9))):
        state = reader.step(state, character) or state
    if reader.is_uniform(state):
        assert len({reader.step(state, character) for character in BEYOND}) == 1
    elif state.state[0] == "out":
        assert state.text in ("[", "(?<")
