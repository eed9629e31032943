"""What Lark cannot read or choose between is refused with its line, and a way out."""

import pytest

import maskc
from maskc.errors import GrammarError, MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source


def refusal(grammar):
    with pytest.raises(GrammarError) as caught:
        maskc.compile_grammar(grammar, tokenizer="bytes")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "words", "mended"),
    [
        (
            'start item\nitem: "a"\n',
            "line 1, column 7: start begins a definition, and no colon follows it; write name: …",
            'start: item\nitem: "a"\n',
        ),
        (
            'start: "x" a\n    b\na: "a"\nb: "b"\n',
            "and no colon follows it; write name: …, or begin a line that goes on with |",
            'start: "x" a\n    | b\na: "a"\nb: "b"\n',
        ),
        (
            'start: ("a" | "b"\nitem: "c"\n',
            "line 1: its ( is not closed; write ) at its end, and begin each further line inside",
            'start: ("a"\n  | "b")\nitem: "c"\n',
        ),
        (
            'start: ("a"\n  "b")\n',
            "line 1: its ( is not closed; write ) at its end",
            'start: ("a" "b")\n',
        ),
        (
            'start: "abc\n',
            'line 1, column 8: the string that begins here is not closed; write " at its end',
            'start: "a\\"bc"\n',
        ),
        (
            "start: /abc\n",
            "line 1, column 8: the pattern that begins here is not closed; write / at its end",
            "start: /a\\/bc/\n",
        ),
        (
            'start: "a"\n  | "b")\n',
            "line 2, column 8: the ) closes nothing that is open",
            'start: "a"\n  | ("b")\n',
        ),
        ("start: 'a'\n", "a string stands between double quotes; write \", not '", 'start: "a"\n'),
        (
            'start ::= "a"\n',
            "a definition is written name: …, without =; in a file with the suffix .gbnf",
            'start: "a"\n',
        ),
        ('start = "a"\n', "a definition is written name: …, without =", 'start: "a"\n'),
        ('start: "a";\n', "a rule ends with its line; leave the ; out", 'start: "a"\n'),
        (
            '\ufeffstart: "a"\n',
            "the text begins with a byte order mark; save it without one",
            'start: "a"\n',
        ),
        (
            '%include "x.lark"\nstart: "a"\n',
            "%include is no directive; there are %ignore, %import, %declare, %override and",
            'start: "a"\n',
        ),
        ('%ign " "\nstart: "a"\n', "%ign is no directive; there are %ignore", 'start: "a"\n'),
        (
            '__a: "x"\nstart: __a\n',
            "Lark keeps names that begin with two underscores for itself; write one",
            '_a: "x"\nstart: _a\n',
        ),
        (
            'start: Item\nItem: "a"\n',
            "the name Item has letters of both cases; write it in lower case for a rule",
            'start: item\nitem: "a"\n',
        ),
        ('start.1.5: "a"\n', "a priority is a whole number, as in name.2: …", 'start.2: "a"\n'),
        (
            'A{x}: x\nstart: A{"a"}\n',
            "Lark has templates of rules alone; write the name in lower case",
            'a{x}: x\nstart: a{"a"}\n',
        ),
        (
            'start: "a" -> B\n',
            "after -> stands a name in lower case; write one",
            'start: "a" -> b\n',
        ),
        ('start: +"a"\n', "'+' stands after nothing that it could be about", 'start: "+" "a"+\n'),
        (
            '%import "a"\nstart: "a"\n',
            "an import is written %import common.NAME",
            "%import common.WS\nstart: WS\n",
        ),
        ('start: "a"~\n', 'a number is missing, as in "a"~3', 'start: "a"~3\n'),
        (
            'start: a, b\na: "a"\nb: "b"\n',
            "a name, a string or a pattern has to stand here, and not ', b'",
            'start: a "," b\na: "a"\nb: "b"\n',
        ),
        (
            'start: "a" ^ "b"\n',
            "line 1, column 12: '^ \"b\"' cannot stand here; leave it out, or write it in quotes",
            'start: "a" "^" "b"\n',
        ),
        (
            "start: A\nA: /[a-c]/ & /[b-z]/\n",
            "line 2, column 12: & is llguidance's, and Lark has no intersection of terminals",
            "start: A\nA: /(?=[a-c])[b-z]/\n",
        ),
        (
            'start: A\nA: ~"b" & /[ab]/\n',
            "line 2, column 4: ~ before a terminal is llguidance's, and Lark has no complement",
            "start: A\nA: /(?!b)[ab]/\n",
        ),
        (
            'start: a 3\na: "x"\n',
            "one line has one colon; write each definition in a line of its own, names without",
            'start: a "3"\na: "x"\n',
        ),
    ],
)
def test_a_text_that_lark_cannot_read_is_refused_with_a_way_out_that_works(text, words, mended):
    assert words in refusal(text)
    assert maskc.compile_grammar(mended, tokenizer="bytes")


def test_a_text_that_lark_fails_to_compare_with_its_examples_is_refused():
    """It logs the state of its parser as a number, which it is not."""
    assert "line 2, column 9: a name, a string or a pattern has to" in refusal('T: ""\nT: ("a"c:\n')


@pytest.mark.parametrize(
    ("imported", "words"),
    [
        ('a: "x"\nb: ("y"\nc: "z"\n', "line 2 of words.lark: its ( is not closed"),
        ("a: B\n\nB: /(b+)\\1/\n", "terminal B (line 3 of words.lark): it refers back"),
        ("a: B\nB: /b*/\n", "terminal B (line 2 of words.lark): its pattern b* matches nothing"),
        ("a: b\nb: LETTER\n", "LETTER (line 2 of words.lark) is used and nothing defines it"),
        (
            'a: "x" y | "x" _z\ny: "k"\n_z: "k"\n',
            'rule _z (line 3 of words.lark) as `"k"` and rule y (line 2 of words.lark) as `"k"`',
        ),
    ],
)
def test_what_is_imported_is_named_with_its_file_and_line(tmp_path, imported, words):
    (tmp_path / "words.lark").write_text(imported)
    (tmp_path / "main.lark").write_text("start: a\n%import .words (a)\n")
    with pytest.raises(MaskcError) as caught:
        maskc.compile_grammar(tmp_path / "main.lark", tokenizer="bytes")
    assert words in str(caught.value)


def test_what_stands_in_quotes_or_comments_opens_no_bracket():
    text = 'start: "(" /[(]/ // (\n  | (a\n\na: "x"\n'
    assert "line 2: its ( is not closed" in refusal(text)


def conflict_of(text):
    with pytest.raises(GrammarError) as caught:
        build_lark(load_source(f"{text}\n"))
    return str(caught.value)


def test_two_rules_that_end_alike_are_named_with_a_text():
    said = conflict_of('start: a | b\na: "x" y\nb: "x" z\ny: "k"\nz: "k"')
    assert said == (
        '<text>: after "x" "k", at the end of the text, rule y (line 4) as `"k"` and rule z '
        '(line 5) as `"k"` may have ended, and Lark\'s LALR parser cannot choose between them '
        "(a reduce/reduce conflict); "
        "write one rule for both, or use --parser earley, which reads any grammar"
    )


def test_the_next_terminal_is_named():
    said = conflict_of('start: y ";" | z ";" "!"\ny: NAME\nz: NAME\nNAME: /[a-z]+/')
    assert (
        'after NAME, before ";", rule y (line 2) as `NAME` and rule z (line 3) as `NAME` may'
        in said
    )


def test_repetitions_have_no_name_of_larks():
    said = conflict_of('start: "a"+ "!" | x+ "!"\nx: "a"')
    assert 'a repetition in rule start (line 1) as `"a"` and rule x (line 2) as `"a"`' in said
    assert "__" not in said


def test_the_first_of_several_is_told_and_how_many_more_there_are():
    said = conflict_of('start: (a | b) "1" | (a | b) "2"\na: "k"\nb: "k"')
    assert 'before "1", rule a (line 2) as' in said
    assert "(and 1 more such conflict)" in said


def test_what_lark_refuses_otherwise_is_said_in_its_words():
    assert "nothing defines it" in conflict_of("start: x")


def test_a_text_with_a_line_break_is_shown_on_one_line():
    text = 'start: a | b\na: "\\n" y\nb: "\\n" z\ny: "\\t"\nz: "\\t"\n'
    with pytest.raises(GrammarError) as refused:
        load_grammar(load_source(text))
    assert "\n" not in str(refused.value)
    assert r'after "\n" "\t"' in str(refused.value)
