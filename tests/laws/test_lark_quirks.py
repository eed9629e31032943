"""What Lark does, by name; each case says what the mask must hold and lack.

Every text that is said to be accepted or refused here is also given to Lark itself.
"""

import pytest
from lark.exceptions import LarkError

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import accepts, compile_kept, compile_text, legal_tokens

PYTHON = "%import python (file_input, _NEWLINE, _INDENT, _DEDENT, NAME, COMMENT)\n" + (
    "%import python (STRING, LONG_STRING, DEC_NUMBER, FLOAT_NUMBER, IMAG_NUMBER)\n"
    "%ignore /[\\t \\f]+/\n%ignore /\\\\[\\t \\f]*\\r?\\n/\n%ignore COMMENT\n"
)
SETTINGS = {"start": "file_input", "postlex": "lark.indenter:PythonIndenter"}


@pytest.fixture(scope="module")
def python():
    return compile_kept(PYTHON, **SETTINGS)


@pytest.fixture(scope="module")
def lark_python():
    return build_lark(load_source(PYTHON, **SETTINGS))


def lark_accepts(lark, text):
    try:
        lark.parse(text)
    except (LarkError, IndexError, AssertionError):
        return False
    return True


# Grammar, settings, texts that are accepted, texts that are refused.
GRAMMARS = {
    "first match is not the longest": (
        "start: (AB | AC)+\nAB: /a(b)*/\nAC: /a(c)*/\n",
        {},
        ["a", "abb", "aab"],
        ["ac", "aac"],
    ),
    "an operator may lex as two": (
        'start: "+" "=" | "+=" "x"\n',
        {"lexer": "contextual"},
        ["+=x"],
        ["+="],
    ),
    "a keyword is a whole lexeme": (
        'start: "if" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n',
        {},
        ["if x", "ifx", "i", "iff", "if if"],
        ["if", "x if"],
    ),
    "the basic lexer reserves keywords everywhere": (
        'start: "if" NAME | NAME ";" NAME\nNAME: /[a-z]+/\n%ignore " "\n',
        {"lexer": "basic"},
        ["if x", "x;y"],
        ["x;if", "if if", "if;x"],
    ),
    "the contextual lexer reserves them where both may stand": (
        'start: "if" NAME | NAME ";" NAME\nNAME: /[a-z]+/\n%ignore " "\n',
        {"lexer": "contextual"},
        ["if x", "x;if", "if if"],
        ["if;x"],
    ),
    "priority comes before length": (
        "start: (A | B)+\nA.2: /a/\nB: /aa+/\n",
        {},
        ["a", "aa", "aaa"],
        ["b"],
    ),
    "lazy means lazy": ('start: S "b"\nS: /a.*?b/\n', {}, ["abb", "acbb"], ["ab", "abcb"]),
    "case is folded by a flag": (
        'start: "select"i NAME\nNAME: /[a-z]+/i\n%ignore " "\n',
        {},
        ["SELECT x", "sElect Y", "select \u212a", "selectx"],
        ["select", "elect x"],
    ),
    "ignored text may stand before the first lexeme": (
        'start: "a" "b"\n%ignore /[ ]+/\n',
        {},
        ["ab", " a  b "],
        ["", " "],
    ),
    "a longer match that comes to nothing is lexed again": (
        "start: (INT | FLOAT | NAME)+\nINT: /[0-9]+/\nFLOAT: /[0-9]+e[0-9]+/\nNAME: /[a-z]+/\n",
        {},
        ["1e", "1ex", "1e5", "1e5x", "1x1e"],
        ["-"],
    ),
    "three dots are one lexeme, two are two": (
        'start: ("..." | "." | NAME)+\nNAME: /[a-z]+/\n',
        {},
        ["..", "..a", "...a", "....", "a.b"],
        ["a-"],
    ),
    "a dangling else shifts": (
        'start: s\ns: "i" s | "i" s "e" s | "x"\n',
        {},
        ["ix", "ixex", "iixex", "iixexex"],
        ["ixexex", "ie"],
    ),
    "what Lark cut off by shifting is dead": (
        'start: x "a" | "b"\nx: "a" x | "a"\n',
        {},
        ["b"],
        ["aa", "a", "aaa"],
    ),
    "terminals that cannot be lexed apart are dead": (
        "start: NAME NAME | NAME\nNAME: /[ab]+/\n",
        {},
        ["a", "ab"],
        ["a b"],
    ),
    "a look-behind sees the lexeme before": (
        "start: (A | B | C)+\nA: /a/\nB: /(?<=a)b/\nC: /c/\n",
        {},
        ["ab", "cab"],
        ["b", "cb", "abb"],
    ),
    "the end of the text settles an anchor": (
        "start: (A | B)+\nA: /a$/\nB: /b/\n",
        {},
        ["a", "ba"],
        ["ab", "aa"],
    ),
    "a possessive quantifier gives nothing back": (
        "start: (A | B)+\nA: /[ab]++c/\nB: /[ab]++b|b/\n",
        {},
        ["b", "abc", "bb"],
        ["ab", "a"],
    ),
    "an atomic group keeps its first match": (
        'start: (A | "b")+\nA: /(?>a|ab)c|abb/\n',
        {},
        ["ac", "abb", "bac", "acb"],
        ["abc", "a", "ab"],
    ),
    "a conditional asks for a named group": (
        "start: Q+\nQ: /(?P<open>[(])?x+(?(open)[)]|;)/\n",
        {},
        ["x;", "(x)", "(xx)x;"],
        ["(x;", "x)", "(x"],
    ),
    "a named group is a group": (
        "start: (A | B)+\nA: /(?P<one>a)(?P<two>b)?/\nB: /(?P<three>b)/\n",
        {},
        ["ab", "bb", "abb"],
        ["c"],
    ),
    "flags hold for the part they enclose": (
        "start: (A | B | C | D)+\nA: /<(?s:.)>/\nB: /(?x: b  b # two\\n )/\nC: /(?a:\\w)=/\n"
        "D: /(?-i:d)e/i\n",
        {},
        ["<\n>", "<é>bb", "a=", "dE"],
        ["< >>", "b b", "é=", "De"],
    ),
    "a look-around may stand in a look-behind": (
        "start: (A | B | C)+\nA: /a/\nB: /(?<=(?<!b)a)b/\nC: /(?<=a(?=cc))c|c/\n",
        {},
        ["ab", "acc", "cab"],
        ["b", "abb"],
    ),
    "flags can hold for all terminals": (
        '// maskc: flags=i\nstart: "a" B\nB: /b+/\n',
        {},
        ["ab", "ABb"],
        ["a"],
    ),
    "priorities can be turned round": (
        "// maskc: priority=invert\nstart: (A | B) [C]\nA.1: /a+/\nB.2: /ab/\nC: /c/\n",
        {},
        ["a", "aac"],
        ["ab", "abc"],
    ),
    "start symbols that share a table share its contexts": (
        '// maskc: start=b,a\na: x "y"\nb: x /[yz]/\nx: "x"\n',
        {},
        ["xz"],
        ["xy"],
    ),
    "an ignored terminal shadows one of equal text": (
        "start: A B\nA: /a/\nB: /[ab]/\nI.1: /a/\n%ignore I\n",
        {},
        [],
        ["ab", "aab"],
    ),
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_text_is_accepted_iff_lark_parses_it(name):
    text, settings, accepted, refused = GRAMMARS[name]
    lark = build_lark(load_source(text, **settings))
    if not accepted:
        with pytest.raises(Exception, match="no text at all"):
            compile_text(text, **settings)
        assert not any(lark_accepts(lark, sample) for sample in refused)
        return
    artifact = compile_text(text, **settings)
    assert [s for s in accepted if not lark_accepts(lark, s)] == []
    assert [s for s in refused if lark_accepts(lark, s)] == []
    assert [s for s in accepted if not accepts(artifact, s)] == []
    assert [s for s in refused if accepts(artifact, s)] == []


def test_what_can_never_end_is_not_begun():
    artifact = compile_text('start: x "a" | "b"\nx: "a" x | "a"\n')
    assert legal_tokens(artifact) == {b"b"}


def test_a_name_that_would_swallow_its_follower_is_not_extended_into_it():
    artifact = compile_text('start: A "b"\nA: /ab?/\n')
    assert legal_tokens(artifact, "a") == {b"b"}
    assert legal_tokens(artifact, "ab") == {b"b"}


PYTHON_TEXTS = [
    "",
    "x\n",
    "  x\n",
    "def f():\n  return 1\n",
    "if x:\n  a\n  b\nc\n",
    "if x:\n\ta\n        b\n",
    "if x:\n    if y:\n        a\n    b\n",
    "x = 1e5\n",
    "x = 1if y else z\n",
    "x = '''a\n'b''' + \"c\"\n",
    'x = """a"""\n',
    "x = (1,\n  2)\ny\n",
    "x = [\n# c\n]\n",
    "_ = 1\n",
    "match x:\n    case _:\n        pass\n",
    "match = case\n",
    "x.real\n",
    "x = 1 .real\n",
    "if x:\n    pass\n\n\n# c\n  # d\ny\n",
    "x = \\\n  1\n",
    "é = 'ü'\n",
    "from .. import a\n",
    "from ...a import b\n",
    "f(a)(b)[c]\n",
    "#\n",
    "if x:\n  y\n  #c\n",
]
PYTHON_NON_TEXTS = [
    "x",
    "def f(:\n",
    "if x:\n    a\n  b\n",
    "if x:\na\n",
    "x = 1e\n",
    "x = 'a\n",
    "x = 1 # c",
    "x = )\n",
    "x = 01\n",
    "x = 1..real.\n",
    "x = a b\n",
    "(\n",
    "# c",
    "from .. a import\n",
]


@pytest.mark.parametrize("text", PYTHON_TEXTS)
def test_python_that_lark_parses_is_accepted(python, lark_python, text):
    assert lark_accepts(lark_python, text)
    assert accepts(python, text)


@pytest.mark.parametrize("text", PYTHON_NON_TEXTS)
def test_python_that_lark_refuses_is_refused(python, lark_python, text):
    assert not lark_accepts(lark_python, text)
    assert not accepts(python, text)


def test_a_dedent_goes_to_a_column_of_the_stack_only(python):
    legal = legal_tokens(python, "if x:\n    if y:\n        a\n  ")
    assert b" " in legal
    assert b"a" not in legal
    assert b"a" in legal_tokens(python, "if x:\n    if y:\n        a\n    ")


def test_a_block_must_be_indented(python):
    assert b"a" not in legal_tokens(python, "if x:\n")
    assert b"a" in legal_tokens(python, "if x:\n ")


def test_a_tab_is_worth_eight_columns(python):
    assert b"b" in legal_tokens(python, "if x:\n\ta\n        ")


def test_newlines_between_brackets_do_not_indent(python):
    assert b"2" in legal_tokens(python, "x = (1,\n         ")


def test_a_soft_keyword_is_a_name_where_no_pattern_stands(python):
    assert b"=" in legal_tokens(python, "_ ")


def test_the_end_is_not_legal_in_a_comment_that_ends_no_line(python):
    """Lark's Indenter looks for the line break of the newline lexeme and finds none."""
    assert None not in legal_tokens(python, "# c")
    assert None in legal_tokens(python, "# c\n")


def test_def_is_followed_by_names_only(python):
    assert legal_tokens(python, "def ") <= {
        bytes([b]) for b in range(256) if chr(b).isidentifier() or b >= 0x80 or b in b" \t\f\\"
    }
