"""W3C-style EBNF means what the XML specification says; Lark's Earley reads the translation."""

from pathlib import Path

import pytest
from lark import Lark

from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters.lowering import lower_grammar
from maskc.frontends.ebnf import read_ebnf
from maskc.frontends.source import load_source
from tests.frontends.random_rules import accepts

GRAMMARS = Path(__file__).parent / "grammars"


def build(grammar, start=None):
    text = lower_grammar(read_ebnf("g.ebnf", grammar, start=start)).format_lark()
    setting = text.split("\n")[0].split("start=")[1].split()[0]
    return Lark(text, parser="earley", lexer="dynamic_complete", start=setting)


@pytest.mark.parametrize(
    ("grammar", "inside", "outside"),
    [
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
        (r'root ::= "\0\a\b\e\f\v\/\?\x7f"', ["\0\a\b\x1b\f\v/?\x7f"], ["0"]),
        (r"root ::= [\0-\x1f\.\^]", ["\0", "\x1f", ".", "^"], [" ", "\\"]),
        ('root ::= "a"{2,-1}', ["aa", "aaaaa"], ["a"]),
        ('root ::= a "c"\na ::= (("b")) (=("d"))', ["bc"], ["b", "bdc"]),
        ('root ::= a\n  "b" # one\n\n| "c"\na ::= "x"\n', ["xb", "c"], ["x", "xbc"]),
        ('root ::= "a" # b ::= c\n"b"', ["ab"], ["a"]),
        (r'root ::= "\x41b\x1F600"', ["\u041b\U0001f600"], ["Ab\x1f600"]),
        ("root ::= [^] [#x41]", ["\n#", "a4"], ["#A", "A"]),
        ('root ::= a.b "y"\na.b ::= "x"', ["xy"], ["axby"]),
        ('root ::= ( ) | "a"', ["", "a"], ["b"]),
    ],
)
def test_ebnf_reads_each_construct(grammar, inside, outside):
    lark = build(grammar)
    assert [text for text in inside if not accepts(lark, text)] == []
    assert [text for text in outside if accepts(lark, text)] == []


@pytest.mark.parametrize(
    ("start", "text"), [(None, "a"), ("B", "b")], ids=["the first rule", "the given rule"]
)
def test_ebnf_starts_at(start, text):
    assert accepts(build("A ::= 'a'\nB ::= 'b'", start), text)


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
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
    ],
)
def test_ebnf_refuses_with_the_line_and_a_way_out(grammar, message):
    with pytest.raises(GrammarError, match=message):
        build(grammar)


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        ("A ::= 'a'{3000}", "more than 2,000 repetitions at g.ebnf:1"),
        ("A ::= [ab]* - ([ab]* 'a' [ab]{12})", "states in the automaton of the exception"),
        ("A ::= " + "(" * 5000, "more than 100 open brackets"),
    ],
)
def test_ebnf_bounds_what_would_be_written_out(grammar, message):
    with pytest.raises(LimitError, match=message):
        build(grammar)


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("arithmetic", ["1+2*(3-4)"], ["1+", "a"]),
        ("list", ['["a", 12,[3]]', "[]\n"], ["[1,]", '["123456789"]']),
        (
            "names",
            ["<a/>", "<a b='1'>x]]y<c/><!-- d - e --></a> ", "<a/><?xm l?>"],
            ["<a>]]></a>", "<a/><!-- -- -->", "<a/><?xml ?>", "<a/><?XmL?>"],
        ),
    ],
)
def test_a_sample_reads_its_texts(name, inside, outside):
    source = load_source(GRAMMARS / f"{name}.ebnf")
    lark = Lark(source.text, parser="earley", lexer="dynamic_complete", start=source.start)
    assert [text for text in inside if not accepts(lark, text)] == []
    assert [text for text in outside if accepts(lark, text)] == []
