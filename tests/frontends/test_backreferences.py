"""A back-reference to one of a few texts, written once for each of them."""

import re
from random import Random

import pytest
from lark import Lark
from lark.exceptions import LarkError

import maskc
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.backreferences import write_without_backreferences
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.examples import seeds

LONG = r"""
start: (LONG | WORD)*
LONG: /\[(?P<level>=*)\[.*?](?P=level)]/s
WORD: /[a-c]+/
%ignore " "
"""
SETTING = "// maskc: backreference=LONG:,=,==\n"


def reads_as_lark(own, artifact, text):
    """Return whether Lark parses a text, which an artifact must say as well."""
    try:
        own.parse(text)
    except LarkError:
        is_parsed = False
    else:
        is_parsed = True
    matcher = artifact.matcher()
    assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == is_parsed, text
    return is_parsed


def test_a_pattern_is_written_once_for_each_text():
    written = write_without_backreferences("L", r"--\[(=*)\[.*?\]\1\]", ("", "="))
    assert written == "--\\[(?:=\\[[^\n]*?\\]=\\]|\\[[^\n]*?\\]\\])"


def test_brackets_in_classes_and_escapes_open_no_group():
    written = write_without_backreferences("L", r"[(]\((?:x)([ab])\1[^)]", ("a",))
    assert written == r"\(\(x(?:aa[^)])"


def test_what_stands_before_the_group_is_tried_in_its_own_order():
    # Written once for each text as a whole, the pattern took all of it.
    pattern, values = r""".*?(?P<q>['"])x(?P=q)""", ("'", '"')
    written = write_without_backreferences("L", pattern, values)
    text = """'x'"x\""""
    assert re.match(written, text)[0] == re.match(pattern, text)[0] == "'x'"


_PARTS = ["a", "b", "x", "a?", "b*?", "[ab]", "(?:a|b)", "(?:x|ab)", "|", ".*?", "(?=a)", "(?P=q)"]


def _draw_pattern(draw, groups=("a|b", "[ab]", "a*", "ab|a", "a?b?")):
    """Return a random pattern with a group, and perhaps brackets around it."""
    before, inside, after = (
        "".join(draw.choices(_PARTS[:-1], k=draw.randint(0, 3))) for _ in range(3)
    )
    group = f"(?P<q>{draw.choice(groups)})"
    opening, closing = draw.choice(
        [
            *[("", ""), ("(?:", ")"), ("(", ")"), ("(?:", ")?"), ("(?=", ")"), ("(?:", "){1,2}")],
            *[("(?:", ")+"), ("(?>", ")"), ("(?i:", ")"), ("(?:", ")*?"), ("(?P<other>", ")")],
        ]
    )
    end = draw.choice(["(?P=q)", "(?P=q)x", "(?:(?P=q)|x)", "(?P=q)?(?P=q)"])
    if draw.random() < 0.5:
        return f"{before}{opening}{inside}{group}{after}{closing}{end}"
    return f"{before}{opening}{inside}{group}{after}{end}{closing}"


_FEW = ["a|b", "[ab]", "a?b?", "ab|a|b", "a??b", "(?:a|ab)??", "a{1,2}", "(?>a|ab)", "[ab]{2}|x"]


def _draw_several(draw):
    """Return a random pattern with one to three groups of few texts."""
    pattern = _draw_pattern(draw, _FEW)
    for name in draw.sample(["r", "s"], k=draw.randint(0, 2)):
        other = _draw_pattern(draw, _FEW).replace("?P<q>", f"?P<{name}>")
        other = other.replace("(?P=q)", f"(?P={name})").replace("?P<other>", "?:")
        pattern = draw.choice([pattern + other, f"{pattern}|{other}", f"(?:{other}){pattern}"])
    return pattern


@pytest.mark.parametrize(
    ("draw_one", "letters", "flags"),
    [(_draw_pattern, "abx", 0), (_draw_several, "abx", 0), (_draw_several, "abxAB", re.IGNORECASE)],
)
def test_random_patterns_match_what_they_matched(draw_one, letters, flags):
    draw, n_written, n_matched = Random(flags), 0, 0
    n_patterns = 50 * len(seeds(100))
    is_listed = draw_one is _draw_pattern
    for _ in range(n_patterns):
        pattern, values = draw_one(draw), None
        if is_listed:
            own = re.search(r"\(\?P<q>([^)]*)\)", pattern)[1]
            values = [v for v in ("", "a", "b", "ab", "aa") if re.fullmatch(own, v) is not None]
        try:
            re.compile(pattern, flags)
            written = write_without_backreferences("L", pattern, values, flags=flags)
        except (UnsupportedTerminalError, re.error):
            continue
        n_written += 1
        for _ in range(12):
            text = "".join(draw.choices(letters, k=draw.randint(0, 7)))
            # Of a* more texts match than are listed.
            if is_listed and "aaa" in text:
                continue
            theirs, ours = re.match(pattern, text, flags), re.match(written, text, flags)
            n_matched += theirs is not None
            assert (theirs and theirs[0]) == (ours and ours[0]), (pattern, written, text)
    assert n_written > n_patterns // 4
    assert n_matched > n_patterns // 3


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (r"""(?P<q>['"]).*?(?P=q)""", """(?:"[^\n]*?"|'[^\n]*?')"""),
        ("(?P<q>a{3}|b)x(?P=q)", "(?:bxb|aaaxaaa)"),
        ("(?P<q>a??)x(?P=q)", "(?:x|axa)"),
        ("(?P<q>a)(?P=q)|(?P<r>b)(?P=r)", "(?:(?:aa)|(?:bb))"),
        ("(?P<q>a)(?P<r>b)(?P=q)(?P=r)", "(?:a(?:bab))"),
        (r"((?i:a)|b)x\1", "(?:AxA|axa|bxb)"),
        (r"(?i:(?P<q>a))x(?P=q)", "(?:AxA|axa)"),
        (r"(?x) (?P<q>b) x(?P=q)", "(?:bxb)"),
    ],
)
def test_the_texts_of_a_group_that_has_few_are_found(pattern, written):
    assert write_without_backreferences("L", pattern) == written


@pytest.mark.parametrize(
    ("pattern", "values", "fact"),
    [
        (r"(a)b", ("a",), "has no back-reference"),
        (r"(a*)(b*)\1\2", ("",), "too many texts"),
        (r"((a)b)\1\2", None, "one is inside the other"),
        (r"([0-9])([0-9])([0-9])([0-9])([0-9])\5\4\3\2\1", None, "more than 100,000 parts"),
        (r"(a)*\1", ("a",), "is repeated"),
        (r"(?:(a)x)+\1", ("a",), "is repeated"),
        (r"(a|b)\1", ("c",), "does not match the text 'c'"),
        (r"(a)\1(?(1)b|c)", ("a",), "conditional group"),
        (r"(?:a|(?P<q>b))x(?P=q)", ("b",), "brackets with alternatives"),
        (r"(?P<q>b)|x(?P=q)", ("b",), "in another alternative"),
        (r"(?P<q>b\b)x(?P=q)", ("b",), "depends on the text around it"),
        (r"(?i)(?P<q>s)x(?P=q)", ("s",), "ignores case"),
        # It matches `axA`, and not `AxA`; a text that stands for both cases says neither.
        (r"(?i)(?P<q>(?-i:a)|b)x(?P=q)", None, "list those that it may have"),
    ],
)
def test_what_cannot_be_written_so_is_refused(pattern, values, fact):
    with pytest.raises(UnsupportedTerminalError, match=re.escape(fact)):
        write_without_backreferences("L", pattern, values)


def test_texts_with_listed_values_are_those_that_lark_parses_itself():
    own = Lark(LONG, parser="lalr")
    artifact = maskc.compile_grammar(SETTING + LONG, tokenizer="bytes")
    draw, n_parsed = Random(0), 0
    parts = ["[", "=", "]", "a", " ", "[[", "]]", "[=[", "]=]", "[==[", "]==]"]
    for _ in range(4000):
        text = "".join(draw.choices(parts, k=draw.randint(0, 8)))
        if "===" in text:
            continue
        n_parsed += reads_as_lark(own, artifact, text)
    assert n_parsed > 100


@pytest.mark.parametrize(
    ("grammar", "setting"),
    [
        (LONG, "backreference=LONG:,=,=="),
        (
            "start: TEXT\nTEXT: /<<(?P<tag>[A-Z]+)\\n.*?(?P=tag)/s\n",
            "backreference=TEXT:EOF,EOT,END",
        ),
        (
            r"""start: A
A: /(?P<q>\d+)x(?P=q)/""",
            "backreference=A:0,00,000",
        ),
    ],
)
def test_a_back_reference_to_many_texts_says_how_to_list_some(grammar, setting):
    with pytest.raises(UnsupportedTerminalError) as raised:
        maskc.compile_grammar(grammar, tokenizer="bytes")
    assert f"// maskc: {setting}" in str(raised.value)
    maskc.compile_grammar(f"// maskc: {setting}\n{grammar}", tokenizer="bytes")


QUOTED = r"""
start: (QUOTED | WORD | COMMENT)*
QUOTED: /(?P<quote>"{3}|['"]|'{3})(?:\\.|[^\\])*?(?P=quote)/s
COMMENT: /'[a-z ]{0,9}.[a-z ]{0,9}%/
WORD: /[a-c']+/
%ignore " "
"""


@pytest.mark.parametrize(("parser", "lexer"), [("lalr", "contextual"), ("earley", "dynamic")])
def test_texts_with_quotes_are_those_that_lark_parses(parser, lexer):
    own = Lark(QUOTED, parser=parser, lexer=lexer)
    artifact = maskc.compile_grammar(QUOTED, tokenizer="bytes", parser=parser, lexer=lexer)
    draw, n_parsed = Random(0), 0
    parts = ['"', "'", '"""', "'''", "a", "bc", " ", "\\", "%", "'a%"]
    for _ in range(2000):
        text = "".join(draw.choices(parts, k=draw.randint(0, 8)))
        n_parsed += reads_as_lark(own, artifact, text)
    assert n_parsed > 300


def test_the_order_of_terminals_is_that_of_their_own_patterns():
    # B's pattern is longer than A's, and shorter than A's written out.
    grammar = r"""start: A X | B
A: /(?P<q>a|b|c|d|e|f|g)x(?P=q)/
B: /(?:axa|bxb)(?:|(?!)|(?!)|(?!)|(?!)|(?!))/
X: "y"
"""
    own = Lark(grammar, parser="lalr")
    matcher = maskc.compile_grammar(grammar, tokenizer="bytes").matcher()
    assert own.parse("axa").children == ["axa"]
    with pytest.raises(LarkError):
        own.parse("axay")
    assert matcher.accept_bytes(b"axa")
    assert matcher.is_accepting
    assert not matcher.accept_bytes(b"y")


def test_a_group_is_referred_to_by_its_name_where_patterns_are_joined():
    grammar = LONG.replace("?P<level>", "").replace("(?P=level)", r"\1")
    with pytest.raises(UnsupportedTerminalError, match="by its number"):
        maskc.compile_grammar(SETTING + grammar, tokenizer="bytes")
    artifact = maskc.compile_grammar(
        SETTING + grammar, tokenizer="bytes", parser="earley", lexer="dynamic"
    )
    assert artifact.matcher().accept_bytes(b"[=[a]=] a")


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ("backreference=LONG", "is not a terminal with texts"),
        ("backreference=LONG: backreference=LONG:=", "names LONG twice"),
        ("backreference=SHORT:=", "names SHORT, which no rule of the grammar uses"),
        (f"backreference=LONG:{','.join(['='] * 101)}", "has more than 100 texts"),
    ],
)
def test_a_setting_that_is_none_is_refused(setting, fact):
    with pytest.raises(GrammarError, match=fact):
        build_lark(load_source(f"// maskc: {setting}\n{LONG}"))
