"""Patterns and Lark grammars of the dense laws, with words for their terminals and without."""

from typing import Any

from tests.laws.dense.making import INDENTS, follows, grammars, holes, patterns

BLOCKS = r"""
start: (_NL | stmt)*
stmt: simple _NL | "a" ":" block
simple: "a" | LP "a"* RP
block: _NL _INDENT stmt+ _DEDENT
LP: "("
RP: ")"
_NL: /(\n[\t ]*)+/
%ignore " "
%declare _INDENT _DEDENT
"""
NAMED_BLOCKS = BLOCKS.replace('"a"', "W") + "W: /a+/\n"
OPEN_BLOCKS = r"""
start: (W _NL _INDENT?)+ _DEDENT*
W: "a"
_NL: /\n */
%declare _INDENT _DEDENT
"""
CLOSED_BLOCKS = r"""
start: stmt+
stmt: "a" _NL | "a" ":" _NL _INDENT line _DEDENT "b" _NL
line: "a" _NL
_NL: /(\n *)+/
%declare _INDENT _DEDENT
"""
TWO_BLOCKS = r"""
start: stmt "b" _NL
stmt: "a" _NL | "a" ":" _NL _INDENT inner _DEDENT
inner: "a" _NL | "a" ":" _NL _INDENT "a" _NL _DEDENT
_NL: /(\n *)+/
%declare _INDENT _DEDENT
"""
DANGLING = """
start: s
s: "i" s | "i" s "e" s | "x"
"""
NAMES = """
start: (decl | use)*
decl: "+" NEW ";"
use: NAME ";"
NEW: /[ab]+/
NAME: /[ab]+/
"""


def declared(before: Any) -> dict[str, Any]:
    """Return what may be used: what was declared."""
    return {"NAME": [text for name, text in before if name == "NEW"] or ["b"]}


PATTERNS = [
    *patterns("a counted loop inside another", "ab", "(?:a{1,3}b){2,3}"),
    *patterns("a count that words reach beyond", "ab", "a{3,9}b?", longest=10),
    *patterns(
        "counts that are not written out",
        ("a", "aaaaaaaa", "b"),
        "(?:a{17,19}b)?a{17,19}",
        longest=7,
    ),
    *patterns("alternatives that begin alike", "ab-", "ab|aab|a-|(?:b-)+"),
    *patterns("characters of two bytes", "aé", "(?:é|aé|aaé)+a?"),
    *patterns("a class with all but one", "ab-", '[^a"]{2}(?:a[^-"])*'),
]

LALR = [
    *grammars(
        "nested brackets",
        "()a,",
        'start: item ("," item)*\nitem: "(" start ")" | NAME\nNAME: /a+/\n',
        more=["((a,aa)),a"],
        symbols=("item", "NAME"),
        is_linked=True,
    ),
    *grammars(
        "a keyword that begins names",
        "ab; ",
        'start: (KW NAME? ";" | NAME ";")*\nKW: "ab"\nNAME: /[ab]+/\n%ignore " "\n',
        more=["ab a;aba;ab;", "abab ; b;"],
        symbols=("KW", "NAME"),
        is_linked=True,
    ),
    *grammars(
        "a keyword, with the basic lexer",
        "ab; ",
        'start: (KW NAME? ";" | NAME ";")*\nKW: "ab"\nNAME: /[ab]+/\n%ignore " "\n',
        lexer="basic",
    ),
    *grammars(
        "a lexeme that is dropped or not, with the basic lexer",
        "abc",
        'start: A (C A)*\nA: /b+a/\nC: "c"\n%ignore /b+/\n',
        lexer="basic",
    ),
    *grammars(
        "lexemes that end by what follows",
        "ab-",
        "start: (A | B | M)+\nA: /a(?=b|$)/\nB: /b\\b/\nM: /-+?/\n",
        n=6,
    ),
    *grammars(
        "the first alternative wins",
        "abc",
        'start: (AB | AC)+ "c"?\nAB: /a(b)*/\nAC: /a(c)*/\n',
        n=6,
    ),
    *grammars("a conflict that Lark shifts", "iex", DANGLING, n=7),
    *grammars(
        "reductions that depend on the stack below",
        "abcd",
        'start: "a" x "c" | "b" x "d" | "a" y "d" | "b" y "c"\nx: "a" x | "a"\ny: "a" y | "b"\n',
        n=5,
    ),
    *grammars(
        "comments that are ignored", "a#\n", 'start: "a"+\n%ignore /#[^\\n]*/\n%ignore "\\n"\n', n=6
    ),
    *grammars(
        "a character of two bytes in a name",
        "aé.",
        'start: NAME ("." NAME)*\nNAME: /[aé]*é/\n',
        n=6,
        is_linked=True,
    ),
    *grammars(
        "blocks",
        "a:\n ",
        BLOCKS,
        more=["a:\n a:\n  a\n a\n", "a:\n a\n "],
        postlex=INDENTS,
        symbols=("stmt", "simple"),
    ),
    *grammars("brackets among blocks", "a\n()", BLOCKS, more=["(a\na)\na\n"], postlex=INDENTS),
    *grammars(
        "a word after a block of one statement",
        "a:\n b",
        CLOSED_BLOCKS,
        n=4,
        more=["a:\n a\nb\n"],
        longest=3,
        postlex=INDENTS,
    ),
    *grammars(
        "a word after two blocks that end at once",
        "a:\n b",
        TWO_BLOCKS,
        n=4,
        more=["a:\n a:\n  a\nb\n", "a:\n a\nb\n"],
        longest=3,
        postlex=INDENTS,
    ),
    *grammars(
        "blocks of one statement",
        "a:\n ",
        BLOCKS.replace("stmt+ _DEDENT", "stmt _DEDENT"),
        more=["a:\n a:\n  a\na\n"],
        postlex=INDENTS,
    ),
    *grammars("blocks that no rule closes", "a\n ", OPEN_BLOCKS, n=7, postlex=INDENTS),
]

GENERAL = [
    *grammars(
        "palindromes",
        "ab",
        'start: "a" start "a" | "b" start "b" | "a" | "b" |\n',
        n=6,
        guess=lambda text: text[::-1],
        longest=3,
        parser="earley",
        lexer="dynamic",
        is_linked=True,
    ),
    *grammars(
        "sums",
        "a+()",
        'start: start "+" start | "(" start ")" | "a"\n',
        n=5,
        longest=3,
        parser="earley",
        lexer="dynamic_complete",
        is_linked=True,
    ),
    *grammars(
        "a lexeme ends anywhere",
        "ab",
        'start: A A B?\nA: /a+b?/\nB: "b"\n',
        n=6,
        longest=3,
        parser="earley",
        lexer="dynamic_complete",
    ),
    *grammars(
        "a name is not cut",
        "ab ",
        'start: A+ "b"\nA: /a+/\n%ignore " "\n',
        n=6,
        longest=3,
        parser="earley",
        lexer="dynamic",
    ),
    *grammars(
        "a look-ahead over the next lexeme",
        "ab",
        'start: A ("a" | "b")+\nA: /a(?=b*a)/\n',
        n=6,
        longest=3,
        parser="earley",
        lexer="dynamic",
    ),
    *grammars(
        "hidden left recursion",
        "abc",
        'start: x start "b" | "a"\nx: "c"?\n',
        n=5,
        longest=3,
        parser="earley",
        lexer="basic",
        is_linked=True,
    ),
    *grammars(
        "a lexeme that is read in two ways",
        "abc)]",
        'start: x ")" | y "]"\nx: A c\ny: B c\nc: "c" c | "c"\nA: "a"\nB: /[ab]/\n',
        n=3,
        more=["accc)", "acc]"],
        longest=3,
        parser="earley",
        lexer="dynamic_complete",
    ),
    *grammars(
        "a sequence that is cut in many ways",
        "abc)]",
        'start: s\ns: s s | "a" | "a" s ")" | "b" s "]" | s "c"\n',
        n=3,
        more=["aba])", "baac]c"],
        longest=2,
        parser="earley",
        lexer="dynamic_complete",
    ),
]

HOLES = [
    *holes(
        "one hole", "ab;", 'start: (NAME ";")+\nNAME: /[ab]+/\n', {"NAME": ["ab", "abab", "b"]}, n=6
    ),
    *holes(
        "a hole beside a keyword",
        "ab; ",
        'start: (KW NAME ";" | NAME ";")*\nKW: "ab"\nNAME: /[ab]+/\n%ignore " "\n',
        {"NAME": ["a", "aba"]},
    ),
    *holes(
        "two holes",
        "ab=",
        'start: X ("=" Y)?\nX: /a[ab]*/\nY: /b[ab]*/ | /[ab]?/\n'.replace(" | /[ab]?/", ""),
        {"X": ["ab", "a"], "Y": ["ba", "bb"]},
        n=6,
    ),
    *holes(
        "a hole between indents", "a:\n ", NAMED_BLOCKS, {"W": ["a", "aaa"]}, n=5, postlex=INDENTS
    ),
    *holes(
        "a hole between brackets among indents",
        "a\n()",
        NAMED_BLOCKS,
        {"W": ["a", "aaa"]},
        more=["(a)\n(aaa a)\n".replace(" ", "\n")],
        postlex=INDENTS,
    ),
]

FOLLOWS = [
    *follows(
        "names are declared before they are used",
        "ab+;",
        NAMES,
        ("NEW",),
        declared,
        more=["+ab;ab;+a;a;"],
    )
]
