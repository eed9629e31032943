"""GBNF means what llama.cpp says and EBNF what the XML specification does; Lark reads both."""

from functools import partial
from pathlib import Path

import pytest
from lark import Lark

from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters import lower_grammar
from maskc.frontends.notations import read_rules
from maskc.frontends.source import load_source
from tests.frontends.random_rules import accepts

GRAMMARS = Path(__file__).parent / "grammars"
READERS = {name: partial(read_rules, name) for name in ("gbnf", "ebnf")}


def build(dialect, grammar, start=None):
    read = READERS[dialect]
    text = lower_grammar(read(f"g.{dialect}", grammar, start=start)).format_lark()
    setting = text.split("\n")[0].split("start=")[1].split()[0]
    return Lark(text, parser="earley", lexer="dynamic_complete", start=setting)


def by_dialect(**tables):
    return [(dialect, *row) for dialect, table in tables.items() for row in table]


def check(lark, inside, outside):
    assert [text for text in inside if not accepts(lark, text)] == []
    assert [text for text in outside if accepts(lark, text)] == []


GBNF = [
    ('root ::= "ab"', ["ab"], ["", "a", "abb"]),
    ('root ::= ""', [""], ["a"]),
    (r'root ::= "\n\r\t\\\"\[\]"', ['\n\r\t\\"[]'], ["nrt"]),
    (r'root ::= "\x41\u00e9\U0001F600"', ["Aé😀"], ["A"]),
    ('root ::= "é😀"', ["é😀"], ["é"]),
    ("root ::= [a-c]", ["a", "c"], ["d", "", "ab"]),
    ("root ::= [^a-c]", ["d", "é", "\n"], ["a", "c", ""]),
    ("root ::= [a-]", ["a", "-"], ["b"]),
    ("root ::= [-a]", ["a", "-"], ["b"]),
    (r"root ::= [a\-c]", ["a", "-", "c"], ["b"]),
    (r"root ::= [\]\[^]", ["]", "[", "^"], ["\\"]),
    (r"root ::= [\x30-\x39\u00e9]", ["0", "9", "é"], ["x"]),
    ('root ::= ["/]+', ['"', "/", '//"'], ["\\"]),
    ('root ::= "\\\\\\""', ['\\"'], ['"', "\\"]),
    ("root ::= .", ["a", "\n", "é"], ["", "ab"]),
    ('root ::= "a" "b" | "c"', ["ab", "c"], ["a", "ac"]),
    ('root ::= "a" ("b" | "c") "d"', ["abd", "acd"], ["ad"]),
    ('root ::= "ab"*', ["", "ab", "abab"], ["a", "abb"]),
    ('root ::= "a"+', ["a", "aaa"], [""]),
    ('root ::= "a"?', ["", "a"], ["aa"]),
    ('root ::= "a"{2}', ["aa"], ["a", "aaa"]),
    ('root ::= "a"{2,}', ["aa", "aaaa"], ["a"]),
    ('root ::= "a"{,2}', ["", "aa"], ["aaa"]),
    ('root ::= "a"{ 1 , 2 }', ["a", "aa"], ["", "aaa"]),
    ('root ::= "a"{0}', [""], ["a"]),
    ('root ::= ("a"+ "b"?)*', ["", "a", "abaab"], ["b"]),
    ('root ::= "a"?{2}+', ["", "a", "aa", "aaaa"], ["b"]),
    ('root ::= | "a"', ["", "a"], ["aa"]),
    ('root ::= "a" |\n  "b"', ["a", "b"], ["ab"]),
    ('root ::=\n  "a"', ["a"], [""]),
    ('root ::= (\n "a" # one\n\n | # two\n "b"\n)\n', ["a", "b"], [""]),
    ('# head\n\nroot ::= x # tail\r\nx ::= "a"\r\n', ["a"], ["b"]),
    ('root ::= data-Type_2 2nd\ndata-Type_2 ::= "a"\n2nd ::= "b"', ["ab"], ["a"]),
    ('root ::= a-b a_b A-B\na-b ::= "1"\na_b ::= "2"\nA-B ::= "3"', ["123"], ["111"]),
    ('root ::= "#" [#] # "x"', ["##"], ["#", "#x"]),
    ('root ::= root "a" | "b"', ["b", "baa"], ["a"]),
    ('root ::= "a" root "b" |', ["", "ab", "aabb"], ["a", "aab"]),
    ('root ::= ("a" root "b"){,2} "c"', ["c", "acbc", "acbacbc"], ["acbacbacbc"]),
    ('root ::= ("(" root ")"){2,3} | "x"', ["x", "(x)(x)", "(x)(x)(x)"], ["(x)", "(x)" * 4]),
    ('root ::= ("(" root ")")+ | "x"', ["x", "(x)", "((x)(x))"], ["", "()"]),
]
# What xgrammar's notation shares with both.
BOTH = [
    (r'root ::= "\0\a\b\e\f\v\/\?\x7f"', ["\0\a\b\x1b\f\v/?\x7f"], ["0"]),
    (r"root ::= [\0-\x1f\.\^]", ["\0", "\x1f", ".", "^"], [" ", "\\"]),
    ('root ::= "a"{2,-1}', ["aa", "aaaaa"], ["a"]),
    ('root ::= a "c"\na ::= (("b")) (=("d"))', ["bc"], ["b", "bdc"]),
    ('root ::= a\n  "b" # one\n\n| "c"\na ::= "x"\n', ["xb", "c"], ["x", "xbc"]),
    ('root ::= "a" # b ::= c\n"b"', ["ab"], ["a"]),
]
EBNF = [
    ("A ::= 'a\"b'", ['a"b'], ["a"]),
    ('A ::= "a\'b"', ["a'b"], ["a"]),
    ("A ::= '\\' [\\n]", ["\\n", "\\\\"], ["\n"]),
    ("A ::= #x41 #xe9 #x01F600", ["Aé😀"], ["A"]),
    ("A ::= [a-c#x30-#x39_]", ["b", "0", "9", "_"], ["d", "x"]),
    ("A ::= [^a#x62-c]", ["d", "-"], ["a", "b", "c"]),
    ("A ::= [a-]", ["a", "-"], ["b"]),
    ("A ::= 'a' 'b'? | 'c'* 'd'+", ["a", "ab", "d", "ccdd"], ["b", "c", ""]),
    ("A ::= ('a' | 'b') 'c'", ["ac", "bc"], ["a"]),
    ("A ::= 'a'{2,3}", ["aa", "aaa"], ["a"]),
    ("A ::= 'a'\n    | B\n\nB ::= 'b'", ["a", "b"], ["ab"]),
    ("[1] A ::= B [a]\n[2a] B ::= 'b'\n", ["ba"], ["b", "b1"]),
    ("[1] A ::= [1]\n[2] B ::= 'b'", ["1"], ["1b", "2"]),
    ("/* a\n comment */ A ::= 'a' /* 'b' */ 'c'", ["ac"], ["abc"]),
    ("A ::= 'a' [ wfc: Some Note ] 'b' [VC: Other]", ["ab"], ["a"]),
    ("A ::= B - 'b'\nB ::= [a-c]", ["a", "c"], ["b"]),
    ("A ::= [a-c]+ - ('ab' | 'c'+)", ["a", "abc", "cb"], ["ab", "c", "cc"]),
    ("A ::= ([^x]* - ([^x]* 'yy' [^x]*)) 'x'", ["x", "yaayx"], ["yyx", "ayya"]),
    ("A ::= 'a' - 'a' | 'b'", ["b"], ["a", ""]),
    ("A ::= ([ab]* - 'ab') 'c'?", ["", "aba", "c"], ["ab", "abc"]),
    ("A-B ::= 'x' A-B | 'y'", ["y", "xxy"], ["x"]),
    ("A ::= A 'x' | 'y'", ["y", "yxx"], ["x"]),
    ("A ::= 'x'\nroot ::= A '\\'' \"\\n\" . # 'z'", ["x'\n?"], ["x"]),
    ('root ::= [^"\\\\\\]] "\\x41"', ["aA"], ['"A', "\\A", "]A"]),
    (r'root ::= "\x41b\x1F600"', ["\u041b\U0001f600"], ["Ab\x1f600"]),
    ("root ::= [^] [#x41]", ["\n#", "a4"], ["#A", "A"]),
    ('root ::= a.b "y"\na.b ::= "x"', ["xy"], ["axby"]),
    ('root ::= ( ) | "a"', ["", "a"], ["b"]),
]


@pytest.mark.parametrize(
    ("dialect", "grammar", "inside", "outside"),
    by_dialect(gbnf=[*GBNF, *BOTH], ebnf=[*EBNF, *BOTH]),
)
def test_each_construct_is_read(dialect, grammar, inside, outside):
    check(build(dialect, grammar), inside, outside)


@pytest.mark.parametrize(
    ("dialect", "grammar", "start", "text"),
    [
        ("gbnf", 'root ::= "a"\nother ::= "b"', "other", "b"),
        ("ebnf", "A ::= 'a'\nB ::= 'b'", None, "a"),
        ("ebnf", "A ::= 'a'\nB ::= 'b'", "B", "b"),
    ],
)
def test_a_grammar_starts_at_the_given_rule(dialect, grammar, start, text):
    assert accepts(build(dialect, grammar, start), text)


GBNF_REFUSED = [
    ('\n\nroot ::= "\\q"', r"g.gbnf:3: \\q is not an escape; there are \\n \\r"),
    ('root ::= "\\x4"', r"g.gbnf:1: \\x needs 2 hexadecimal digits"),
    ('root ::= "\\uD83D"', "half of a surrogate pair"),
    ('root ::= "\\U00110000"', r"U\+110000 is not a character"),
    ("root ::= []", "a class without characters matches nothing"),
    ("root ::= [^\\x00-\\U0010FFFF]", "this class matches no character at all"),
    ("root ::= [z-a]", r"the range U\+007A to U\+0061 is empty"),
    ('root ::= "a', ':1: the " is not closed; write " after it'),
    ("root ::= [a", "the \\[ is not closed; write ] after it"),
    ('root ::= ("a"', r"the \( is not closed; write \) after it"),
    ('root ::= "a")', r"this \) closes nothing"),
    ('root ::= "a"\n= "b"', "g.gbnf:2: expected the end of rule root, and found '= "),
    ('root ::= ("a" (="b"))', r"a look-ahead \(=…\) stands at the end of a rule"),
    ('root ::= "a" (="b") "b"', "g.gbnf:1: expected the end of rule root"),
    ("root ::= Token(5)", r"Token\(…\) is a macro of xgrammar"),
    ('root "a"', "expected ::= after root"),
    ("root ::= *", r"\* has nothing before it to repeat"),
    ('root ::= "a"{}', "expected counts as in"),
    ('root ::= "a"{,}', "expected counts as in"),
    ('root ::= "a"{3,1}', "counts in the wrong order; exchange them"),
    ('root ::= "a"\nroot ::= "b"', "g.gbnf:2: rule root is defined in line 1 already"),
    ('root ::= "a" |\n wrod\nword ::= "b"', "g.gbnf:2: there is no rule wrod; is it word?"),
    ('x ::= "a"', "the start symbol root is not a rule; it has x"),
    ('root ::= "a" root', "no text at all matches root"),
    ("root ::= <[1000]>", r"<\[1000\]> is a token of one vocabulary"),
    ("root ::= <think> .*", "<think> is a token of one vocabulary"),
    ("root ::= !</think>*", "!</think> is a token of one vocabulary"),
    ("root ::= $", r"expected the end of rule root, and found '\$'"),
    ("", "the start symbol root is not a rule; it has none at all"),
]
EBNF_REFUSED = [
    ("A ::= 'a", "the ' is not closed; write ' after it"),
    ("A ::= [a", "the \\[ is not closed; write ] after it"),
    ("A ::= []", "a class without characters"),
    ("A ::= #x110000", r"U\+110000 is not a character"),
    ("A ::= #x" + "F" * 9999, "is not a character"),
    ("A ::= #xD800", "half of a surrogate pair"),
    ("A ::= 'a'\nA ::= 'b'", "g.ebnf:2: rule A is defined in line 1 already"),
    ("A ::= 'a'\n\n  Bb", "g.ebnf:3: there is no rule Bb"),
    ("A ::= A-B\nB ::= 'b'", "g.ebnf:1: there is no rule A-B"),
    ("A ::= 'a' /* b", "g.ebnf:1: this comment has no end"),
    ("A ::= ('a'", r"the \( is not closed; write \) after it"),
    ("A ::= 'a' )", r"expected a part of a rule, and found '\)'"),
    ("A ::= 'a' - ", "expected what to leave out after -"),
    ("A ::= 'a'\n - | 'b'", "g.ebnf:2: expected what to leave out after -"),
    ("A ::= B - 'x'\nB ::= '(' B ')' | 'x'", "g.ebnf:1: both sides of an exception"),
    ("A ::= 'a' | 'x'\nB = 'c'", "expected a part of a rule, and found \"= 'c'\""),
    ("A ::= 'a' (= 'b')", r"a look-ahead \(=…\) stands at the end of a rule of xgrammar's"),
    ('root ::= ("a" (="b"))', r"a look-ahead \(=…\) stands at the end"),
    ('root ::= "a" (="b") "b"', "expected a rule"),
    ("root ::= TagDispatch(('a', b))", r"TagDispatch\(…\) is a macro of xgrammar"),
    ("'a'", "expected a rule, as in Name ::= …"),
]


@pytest.mark.parametrize(
    ("dialect", "grammar", "message"), by_dialect(gbnf=GBNF_REFUSED, ebnf=EBNF_REFUSED)
)
def test_what_is_no_grammar_is_refused_with_the_line_and_a_way_out(dialect, grammar, message):
    with pytest.raises(GrammarError, match=message):
        build(dialect, grammar)


@pytest.mark.parametrize(
    ("dialect", "grammar", "message"),
    by_dialect(
        gbnf=[
            ('root ::= "a"{1,100000000}', "more than 2,000 repetitions at g.gbnf:1"),
            ('root ::= "a"{' + "9" * 5000 + "}", "more than 2,000 repetitions"),
            ('root ::= (("a"{100}){100}){100}', "characters and names in one expression"),
            ("root ::= " + "(" * 5000, "more than 100 open brackets at g.gbnf:1"),
        ],
        ebnf=[
            ("A ::= 'a'{3000}", "more than 2,000 repetitions at g.ebnf:1"),
            ("A ::= [ab]* - ([ab]* 'a' [ab]{12})", "states in the automaton of the exception"),
            ("A ::= " + "(" * 5000, "more than 100 open brackets"),
        ],
    ),
)
def test_what_would_be_written_out_is_bounded(dialect, grammar, message):
    with pytest.raises(LimitError, match=message):
        build(dialect, grammar)


def test_rules_that_double_at_each_step_are_not_written_out():
    rules = [f"r{i} ::= r{i + 1} r{i + 1}" for i in range(40)]
    grammar = "\n".join(["root ::= r0", *rules, 'r40 ::= "a"?'])
    assert len(lower_grammar(read_rules("gbnf", "g", grammar)).format_lark()) < 20_000


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("json.gbnf", ['{"a": [1, -2.5e3, "\\u00e9", null]}\n', " 0 "], ["01", "{a: 1}", '"\n"']),
        ("arithmetic.gbnf", ["1+2*(x-3.5)\n", "a-b-c\n"], ["1+\n", "1", "1..2\n"]),
        (
            "chess.gbnf",
            ["1. e4 e5\n2. Nf3 Nc6\n3. O-O a6+\n"],
            ["1. e4 e5\n", "1. e9 e5\n2. a3 a6\n"],
        ),
        ("list.gbnf", ["- a\n- ßé\n"], ["- \n", "", "- a"]),
        ("nested.gbnf", ["(a b c)", "[{(it's)}()]"], ["(a b c d)", "(]", ""]),
        ("arithmetic.ebnf", ["1+2*(3-4)"], ["1+", "a"]),
        ("list.ebnf", ['["a", 12,[3]]', "[]\n"], ["[1,]", '["123456789"]']),
        (
            "names.ebnf",
            ["<a/>", "<a b='1'>x]]y<c/><!-- d - e --></a> ", "<a/><?xm l?>"],
            ["<a>]]></a>", "<a/><!-- -- -->", "<a/><?xml ?>", "<a/><?XmL?>"],
        ),
    ],
)
def test_a_sample_reads_its_texts(name, inside, outside):
    source = load_source(GRAMMARS / name)
    lark = Lark(source.text, parser="earley", lexer="dynamic_complete", start=source.start)
    check(lark, inside, outside)
