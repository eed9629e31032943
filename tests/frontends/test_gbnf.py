"""GBNF means what llama.cpp says, for the texts; Lark's Earley reads the translation."""

from pathlib import Path

import pytest
from lark import Lark

from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters.lowering import lower_grammar
from maskc.frontends.gbnf import read_gbnf
from maskc.frontends.source import load_source
from tests.frontends.random_rules import accepts

GRAMMARS = Path(__file__).parent / "grammars"


def reads(grammar, text, start=None):
    return accepts(build(grammar, start), text)


def build(grammar, start=None):
    text = lower_grammar(read_gbnf("g.gbnf", grammar, start=start)).format_lark()
    setting = text.split("\n")[0].split("start=")[1].split()[0]
    return Lark(text, parser="earley", lexer="dynamic_complete", start=setting)


@pytest.mark.parametrize(
    ("grammar", "inside", "outside"),
    [
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
        (r'root ::= "\0\a\b\e\f\v\/\?\x7f"', ["\0\a\b\x1b\f\v/?\x7f"], ["0"]),
        (r"root ::= [\0-\x1f\.\^]", ["\0", "\x1f", ".", "^"], [" ", "\\"]),
        ('root ::= "a"{2,-1}', ["aa", "aaaaa"], ["a"]),
        ('root ::= a "c"\na ::= (("b")) (=("d"))', ["bc"], ["b", "bdc"]),
        ('root ::= a\n  "b" # one\n\n| "c"\na ::= "x"\n', ["xb", "c"], ["x", "xbc"]),
        ('root ::= "a" # b ::= c\n"b"', ["ab"], ["a"]),
    ],
)
def test_gbnf_reads_each_construct(grammar, inside, outside):
    lark = build(grammar)
    assert [text for text in inside if not accepts(lark, text)] == []
    assert [text for text in outside if accepts(lark, text)] == []


def test_gbnf_starts_at_the_given_rule():
    assert reads('root ::= "a"\nother ::= "b"', "b", start="other")


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
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
        ('root ::= "a" root', "no text at all can be written with root"),
        ("root ::= <[1000]>", r"<\[1000\]> is a token of one vocabulary"),
        ("root ::= <think> .*", "<think> is a token of one vocabulary"),
        ("root ::= !</think>*", "!</think> is a token of one vocabulary"),
        ("root ::= $", r"expected the end of rule root, and found '\$'"),
        ("", "the start symbol root is not a rule; it has none at all"),
    ],
)
def test_gbnf_refuses_with_the_line_and_a_way_out(grammar, message):
    with pytest.raises(GrammarError, match=message):
        build(grammar)


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        ('root ::= "a"{1,100000000}', "more than 2,000 repetitions at g.gbnf:1"),
        ('root ::= "a"{' + "9" * 5000 + "}", "more than 2,000 repetitions"),
        ('root ::= (("a"{100}){100}){100}', "characters and names in one expression"),
        ("root ::= " + "(" * 5000, "more than 100 open brackets at g.gbnf:1"),
    ],
)
def test_gbnf_bounds_what_would_be_written_out(grammar, message):
    with pytest.raises(LimitError, match=message):
        build(grammar)


def test_rules_that_double_at_each_step_are_not_written_out():
    rules = [f"r{i} ::= r{i + 1} r{i + 1}" for i in range(40)]
    text = lower_grammar(
        read_gbnf("g", "\n".join(["root ::= r0", *rules, 'r40 ::= "a"?']))
    ).format_lark()
    assert len(text) < 20_000


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("json", ['{"a": [1, -2.5e3, "\\u00e9", null]}\n', " 0 "], ["01", "{a: 1}", '"\n"']),
        ("arithmetic", ["1+2*(x-3.5)\n", "a-b-c\n"], ["1+\n", "1", "1..2\n"]),
        ("chess", ["1. e4 e5\n2. Nf3 Nc6\n3. O-O a6+\n"], ["1. e4 e5\n", "1. e9 e5\n2. a3 a6\n"]),
        ("list", ["- a\n- ßé\n"], ["- \n", "", "- a"]),
        ("nested", ["(a b c)", "[{(it's)}()]"], ["(a b c d)", "(]", ""]),
    ],
)
def test_a_sample_reads_its_texts(name, inside, outside):
    source = load_source(GRAMMARS / f"{name}.gbnf")
    lark = Lark(source.text, parser="earley", lexer="dynamic_complete", start=source.start)
    assert [text for text in inside if not accepts(lark, text)] == []
    assert [text for text in outside if accepts(lark, text)] == []
