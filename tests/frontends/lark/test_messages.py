"""A refusal names the terminal as its author wrote it, its line, and a way out."""

import pytest

import maskc
from maskc.errors import GrammarError, LimitError, MaskcError, UnsupportedTerminalError


def refusal(text, error=MaskcError):
    with pytest.raises(error) as caught:
        maskc.compile_grammar(text, tokenizer="bytes")
    return str(caught.value)


def test_a_pattern_of_regex_is_said_to_be_one():
    assert refusal('start: A "b"\nA: /\\p{L}+/\n', GrammarError) == (
        "<text>: terminal A (line 2): re cannot read its pattern \\p{L}+ (bad escape \\p at "
        "position 0); the module regex can: if the project has Lark(…, regex=True), write "
        "// maskc: regex=true at the top"
    )


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("/(/", "terminal /(/: re cannot read it"),
        (r"/(a)\1/", r"terminal /(a)\1/ (line 1): it refers back to group 1 by its"),
    ],
)
def test_a_terminal_without_a_name_is_called_by_its_pattern(pattern, words):
    message = refusal(f'start: "b" {pattern}\n')
    assert message.startswith(f"<text>: {words}")
    assert "__ANON" not in message


@pytest.mark.parametrize(
    ("pattern", "features"),
    [
        (r"a(?!b)", "the look-ahead (?!…)"),
        (r"a(?=b)", "the look-ahead (?=…)"),
        (r"a+$", "the anchor $"),
        (r"a\b", "the word boundary \\b"),
        (r"a++b?\b", "a possessive quantifier and the word boundary \\b"),
    ],
)
def test_dynamic_complete_names_what_it_cannot_read(pattern, features):
    head = "// maskc: parser=earley lexer=dynamic_complete\n"
    message = refusal(f'{head}start: A "b"\nA: /{pattern}/\n', UnsupportedTerminalError)
    assert f"dynamic_complete the result of {features} depends" in message
    assert message.endswith("write the terminal without it, or use lexer=dynamic")


def test_what_can_never_be_lexed_side_by_side_is_named():
    text = "// maskc: parser=earley\nstart: A B\nA: /a+/\nB: /a/\n"
    assert refusal(text, GrammarError) == (
        "<text>: no text at all can be parsed: terminal B (line 4) can never be lexed right after "
        "terminal A (line 3), as in b'aa'; put something between them"
    )


INDENTER = (
    "// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=8\n"
)
LINES = "%declare _INDENT _DEDENT\n_NL: /(\\r?\\n[\\t ]*)+/\n"
BLOCK = f'{INDENTER}start: "a" _NL _INDENT "b" _NL'
EARLEY = "// maskc: parser=earley lexer=dynamic_complete\n"


@pytest.mark.parametrize(
    ("text", "words", "mended"),
    [
        (
            'start: "x" A\nA: /a*/\n',
            "terminal A (line 2): its pattern a* matches nothing, too",
            'start: "x" A?\nA: /a+/\n',
        ),
        (
            '// maskc: parser=earley\nstart: "x" A\nA: /a*/\n',
            "terminal A (line 3): its pattern a* matches nothing, too",
            '// maskc: parser=earley\nstart: "x" A?\nA: /a+/\n',
        ),
        (
            'start: a\na: "x"\na: "y"\n',
            "rule a (line 2) is defined, and again in line 3; join the definitions with |, or "
            "write %extend",
            'start: a\na: "x"\n%extend a: "y"\n',
        ),
        (
            'start: A\nA: B\nB: A "x"\n',
            "terminal A (line 2) is made of itself",
            'start: a\na: b\nb: a "x" | "y"\n',
        ),
        (
            'start: A\nA: "a" foo\nfoo: "x"\n',
            "terminal A (line 2) is made of rule foo (line 3)",
            'start: A\nA: "a" FOO\nFOO: "x"\n',
        ),
        (
            'start: "b"\n%ignore a\na: "x"\n',
            "%ignore (line 2) names rule a (line 3)",
            'start: "b"\n%ignore A\nA: "x"\n',
        ),
        (
            'start: t{"a", "b"}\nt{x}: x\n',
            "rule start (line 1) uses template t (line 2) with 2 arguments; give it 1",
            'start: t{"a"}\nt{x}: x\n',
        ),
        (
            'start: "a"\n%override foo: "x"\n',
            "%override foo (line 2): nothing defines foo before",
            'start: "a"\nfoo: "x"\n',
        ),
        (
            'start: A "b"\nA: /(?s)a./\n',
            "terminal A (line 2): Lark joins its pattern to others, and re then refuses its flags",
            'start: A "b"\nA: /a./s\n',
        ),
        (
            '// maskc: flags=x\nstart: A "b"\nA: /a#/\n',
            "at position 0); write \\# for the sign, which begins a comment with flags=x",
            '// maskc: flags=x\nstart: A "b"\nA: /a\\#/\n',
        ),
        (
            "start: A | B\nA: /(?P<B>a)/\nB: /b/\n",
            "terminal B (line 3): its group B has the name of another group, or of a terminal",
            "start: A | B\nA: /(?P<q>a)/\nB: /b/\n",
        ),
        (
            "start: A | B\nA: /(?P<q>a|b)c(?P=q)/\nB: /(?P<q>d|e)(?P=q)/\n",
            "terminal B (line 3): its group q has the name of another group, or of a terminal",
            "start: A | B\nA: /(?P<q>a|b)c(?P=q)/\nB: /(?P<w>d|e)(?P=w)/\n",
        ),
        (
            "// maskc: parser=earley\nstart: A\nA: /a(/\n",
            "terminal A (line 3): re cannot read its pattern a( (missing )",
            "// maskc: parser=earley\nstart: A\nA: /a\\(/\n",
        ),
        (
            "// maskc: parser=earley regex=true\nstart: A\nA: /\\p{L}(/\n",
            "terminal A (line 3): the module regex cannot read its pattern \\p{L}( (missing )",
            "// maskc: parser=earley regex=true\nstart: A\nA: /\\p{Lu}\\(/\n",
        ),
        (
            "// maskc: use_bytes=true\nstart: /\\u0101/\n",
            "is no byte; write its bytes, as \\xc4\\x81",
            "// maskc: use_bytes=true\nstart: /\\xc4\\x81/\n",
        ),
        (
            "start: A\nA: /(?<=a+)b/\n",
            "the module regex can, but no automaton here follows it",
            'start: "a" A\nA: "b"\n',
        ),
        (
            "start: A\nA: /a{2}{3}/\n",
            "(multiple repeat at position 4); correct the pattern",
            "start: A\nA: /a{6}/\n",
        ),
        (
            'start: A\n// LETTER\nA: "LETTER" LETTER+\n',
            "terminal LETTER (line 3) is used and nothing defines it; write %import common.LETTER, "
            "or define it",
            'start: A\n%import common.LETTER\nA: "LETTER" LETTER+\n',
        ),
        (
            "start: /OWN/ OWN\n",
            "terminal OWN (line 1) is used and nothing defines it; define it, or correct its name",
            'start: /OWN/ OWN\nOWN: "x"\n',
        ),
        (
            'start: "x"\n  | value\n',
            "rule value (line 2) is used and nothing defines it; define it, or correct its name",
            'start: "x"\n  | value\nvalue: "y"\n',
        ),
        (
            "// maskc: parser=earley\nstart: A\n%declare A\n",
            "terminal A (line 3) is declared and has no pattern",
            '// maskc: parser=earley\nstart: A\nA: "a"\n',
        ),
        (
            '// maskc: parser=earley\nstart: A "a"\n\nA: /a+/\n',
            'terminal "a" (line 2) can never be lexed right after terminal A (line 4)',
            '// maskc: parser=earley\nstart: A "b"\n\nA: /a+/\n',
        ),
        (
            "start: A B\nA: /a+/\nB: /a/\n",
            "terminal B (line 3) can never be lexed right after terminal A (line 2); put something",
            'start: A "," B\nA: /a+/\nB: /a/\n',
        ),
        (
            'start: t{"a"}\nt{x}: x t{x}\n',
            "rule t (line 2) never ends",
            'start: t{"a"}\nt{x}: x t{x} | x\n',
        ),
        (
            f"{BLOCK}\n{LINES}",
            "postlex of rule start (line 2): its INDENT and DEDENT do not come in pairs; let each "
            "rule close what it opens, or end the start rule with _DEDENT*",
            f"{BLOCK} _DEDENT*\n{LINES}",
        ),
        (
            f'{INDENTER}start: ("a" _NL _INDENT)*\n{LINES}',
            'postlex of rule start (line 2), in its ("a" _NL _INDENT)*: it leaves different',
            f'{INDENTER}start: ("a" _NL _INDENT)* _DEDENT*\n{LINES}',
        ),
        (
            "// maskc: lexer=dynamic\nstart: /a/\n",
            "choose one of contextual, basic, or parser earley, which has it",
            "// maskc: parser=earley lexer=dynamic\nstart: /a/\n",
        ),
        (
            '// maskc: postlex=rules\nstart: "a"\n',
            "rule is missing; write rule=drop:A or",
            '// maskc: postlex=rules rule=drop:NL always_accept=NL\nstart: "a"\nNL: "\\n"\n',
        ),
        (
            '// maskc: postlex=rules rule=drop:NL\nstart: "a"\nNL: "\\n"\n',
            "names NL, which no rule of the grammar uses; check its name, take it out, or add it "
            "to always_accept=",
            '// maskc: postlex=rules rule=drop:NL always_accept=NL\nstart: "a"\nNL: "\\n"\n',
        ),
        (
            'start: a | b\na: "x" y\nb: "x" z\ny: "k"\nz: "k"\n',
            'after "x" "k", at the end of the text, rule y (line 4) as `"k"` and rule z (line 5)',
            '// maskc: parser=earley\nstart: a | b\na: "x" y\nb: "x" z\ny: "k"\nz: "k"\n',
        ),
        (
            f'{EARLEY}start: A "b"\nA: /a(?!b)/\n',
            "the result of the look-ahead (?!…) depends",
            '// maskc: parser=earley lexer=dynamic\nstart: A "b" | A\nA: /a(?!b)/\n',
        ),
        (
            "start: A\nA: /\\p{L}+/\n",
            "write // maskc: regex=true",
            "// maskc: regex=true\nstart: A\nA: /\\p{L}+/\n",
        ),
        (
            'start: "a"\n%ignore WS\n',
            "%ignore (line 2) names terminal WS, which nothing defines; write %import common.WS",
            'start: "a"\n%import common.WS\n%ignore WS\n',
        ),
        (
            'start: a "b"\na: "x" | ""\n',
            'the string "" (line 2) matches nothing, and Lark takes no such terminal; leave it out',
            'start: a "b"\na: "x" |\n',
        ),
        (
            'start: A "b"\nA:\n',
            "terminal A (line 2) is nothing, and Lark takes no such terminal; leave it out, or",
            'start: A "b"\nA: "x"\n',
        ),
        (
            'start: "a"\n%ignore\n',
            "%ignore (line 2) names nothing; write what is ignored after it",
            'start: "a"\n%ignore " "\n',
        ),
        (
            'start: sep{"a"}\n',
            "rule start (line 1) uses template sep, which nothing defines; define it, as sep{x}: x",
            'start: sep{"a"}\nsep{x}: x\n',
        ),
        (
            'start: A\nA: s{"a"}\ns{x}: x\n',
            "template s (line 3) is used in a terminal (line 2), and Lark has templates of rules",
            'start: a\na: s{"a"}\ns{x}: x\n',
        ),
        ('start: "a"~3..1\n', "~3..1 (line 1) counts from more to less", 'start: "a"~1..3\n'),
        (
            'start: A\nA: "aa".."zz"\n',
            "a range (line 2) has an end that is not one character",
            'start: A\nA: "a".."z"\n',
        ),
        (
            'start: A\nA: "a" -> b\n',
            "a terminal (line 2) has an ->, which names an alternative of a rule",
            'start: a\na: "a" -> b\n',
        ),
        (
            'start: ("a" -> b) "c"\n',
            "-> b (line 1) stands inside of brackets, where it names no alternative",
            'start: "a" "c" -> b\n',
        ),
        (
            'start: _a\n?_a: "x"\n',
            "rule _a (line 2) begins with ? and with _",
            'start: _a\n_a: "x"\n',
        ),
        (
            'start: _a\n_a: "x" -> b\n',
            "rule _a (line 2) begins with _, so that it has no node that -> b could name",
            'start: a\na: "x" -> b\n',
        ),
        (
            'start: "\\x4"\n',
            "the text \\x4 (line 1) has an escape that Python does not read",
            'start: "\\x41"\n',
        ),
        (
            "%import common.INT -> num\nstart: num\n",
            "%import (line 1) gives a terminal the name num",
            "%import common.INT -> NUM\nstart: NUM\n",
        ),
        (
            '%import common.INT\nINT: "3"\nstart: INT\n',
            "terminal INT (line 2) is imported (line 1), too; write %override in front",
            '%import common.INT\n%override INT: "3"\nstart: INT\n',
        ),
        (
            '%import common\nstart: "a"\n',
            "%import common (line 1) names no symbol of it; write %import common.NAME",
            '%import common.INT\nstart: "a"\n',
        ),
        (
            'start: s{"a"}\ns{start}: start\n',
            "template s (line 2) has the parameter start, and a rule has that name",
            'start: s{"a"}\ns{x}: x\n',
        ),
        (
            'start: s{"a", "b"}\ns{x, x}: x\n',
            "template s (line 2) has the parameter x, twice",
            'start: s{"a", "b"}\ns{x, y}: x y\n',
        ),
        (
            "start: A\nA: /a/q\n",
            "terminal A (line 2): q is no flag of a pattern; there are i, m, s, l, u and x",
            "start: A\nA: /a/i\n",
        ),
        (
            "%declare foo\nstart: foo\n",
            "rule foo (line 1) is declared, and Lark declares terminals alone",
            'foo: "x"\nstart: foo\n',
        ),
    ],
)
def test_the_way_out_that_a_refusal_names_compiles(text, words, mended):
    assert words in refusal(text)
    assert maskc.compile_grammar(mended, tokenizer="bytes")


@pytest.mark.costly
def test_a_limit_names_the_terminal_that_drives_it_where_nothing_competes():
    text = '// maskc: parser=earley\nstart: A "x"\nA: /(a|b)*a(a|b){40}/\n'
    with pytest.raises(LimitError) as caught:
        maskc.compile_grammar(text, tokenizer="bytes", limits=maskc.Limits(seconds=2))
    assert "at last in terminal A (line 3)" in str(caught.value)
