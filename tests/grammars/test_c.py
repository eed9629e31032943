"""c.lark against gcc: what the grammar accepts is syntax to it.

gcc has to be told which names are types. The tree says which occurrences were read as types: these
are renamed to the one type that there is, the others each to a variable of their own, and gcc reads
that. Of its errors only those of syntax count.
"""

import functools
import re
import shutil
import subprocess

import pytest
from lark import Lark, Token, Tree
from lark.lexer import PatternStr

from tests.grammars.derive import accepts
from tests.grammars.laws import GrammarLaws
from tests.grammars.walks import read_grammar

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is the judge")
SYNTAX = re.compile(
    r"expected |stray|missing terminating|unterminated|invalid suffix|two or more data types"
    r"|both .* in declaration specifiers|multiple storage|empty character|without a previous"
    r"|exponent has no digits|too many decimal|out of range|can only be part"
)
LEXEMES = {
    "NAME": ["a"],
    "INTEGER": ["1", "0x1F", "017", "0", "2UL", "0xEu"],
    "FLOATING": ["1.5", ".5e-3f", "0x1p3", "1e5L"],
    "CHARACTER": ["'a'", "L'\\n'", "'\\''"],
    "STRING": ['"s"', 'L"\\x41"', '"\\377"'],
    "SLASH": ["/"],
    "AMPERSAND": ["&"],
}
# What glibc's headers say beyond C99.
EXTENSIONS = [
    *("-D__attribute__(x)=", "-D__asm__(x)=", "-D__extension__=", "-D__restrict=restrict"),
    *("-D__inline=inline", "-D__builtin_va_list=int", "-D_Float32=float", "-D_Float64=double"),
    *("-D_Float128=double", "-D_Float32x=double", "-D_Float64x=double"),
]
HEADERS = "stdio stdlib string math time ctype signal wchar complex stdint inttypes setjmp fenv"


@functools.cache
def tree_parser() -> Lark:
    return Lark(read_grammar("c"), parser="lalr", start="translation_unit")


def type_indices(tree: Tree) -> set[int]:
    """Return where names begin that were read as types."""
    indices = set()

    def add(part):
        indices.add(next(part.scan_values(lambda token: token.type == "NAME")).start_pos)

    for part in tree.iter_subtrees():
        children = part.children
        first = children[0] if children else None
        if part.data in {"type_word", "name_type"}:
            add(part)
        elif part.data == "local_declaration" and isinstance(first, Token):
            indices.add(first.start_pos)
        elif part.data == "cast":
            for child in children[:-1]:
                if isinstance(child, Tree) and child.data == "bracketed_name":
                    add(child)
        elif part.data == "compound_literal":
            if isinstance(first, Tree) and first.data == "bracketed_name":
                add(first)
            elif isinstance(children[1], Token):
                indices.add(children[1].start_pos)
    return indices


def renamed(texts: list[str]) -> str:
    """Return a file with a text a line, after declarations of all names."""
    lines, number = [], 0
    for text in texts:
        tree = tree_parser().parse(text)
        types = type_indices(tree)
        names = tree.scan_values(lambda v: isinstance(v, Token) and v.type == "NAME")
        line, at = "", 0
        for token in sorted(names, key=lambda token: token.start_pos):
            number += 1
            name = "T" if token.start_pos in types else f"v{number}"
            line += text[at : token.start_pos] + name
            at = token.end_pos
        lines.append((line + text[at:]).replace("\n", " "))
    declared = ", ".join(f"v{n}" for n in range(number + 1))
    return "\n".join([f"typedef int T; int {declared};", *lines]) + "\n"


def syntax_errors(source: str) -> list[str]:
    """Return gcc's errors of syntax, each with its line of the source."""
    command = [GCC, "-std=c99", "-fsyntax-only", "-w", "-x", "c", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    lines = source.splitlines()
    found = []
    for line in done.stderr.splitlines():
        error = re.match(r"<stdin>:(\d+):\d+: (?:fatal )?error: (.*)", line)
        if error and SYNTAX.search(error[2]):
            found.append(f"{error[2]}: {lines[int(error[1]) - 1]}")
    return found


def in_function(statement: str) -> str:
    return f"int f(void) {{ {statement} }}"


ACCEPTED = [
    "int a;",
    "struct s;",
    "a b;",
    "a *b, **c, d[3], e(void), (*f)(a, a b), (*g[2])(void);",
    "typedef unsigned long int size_t, *const pointer;",
    "static inline const a *restrict b(register a c, ...) { return 0; }",
    "long unsigned int long_unsigned_int;",
    "enum e { A, B = 1 << 2, } e;",
    "struct { a b : 3, : 2; struct { int c; } d; } e = { 1, .d = { 2 }, .d.c = 3 };",
    "void (*signal(int, void (*)(int)))(int);",
    "int f(int (*)(int), int [], int *[3], a (*)[2]);",
    "int a = 0xe +1, b = 0x1p-3, c = 1.e5L, d = .5f, e = 'a', f = L'\\377';",
    'char s[] = "a" L"b" "\\x41\\"" /* c */ "é";',
    # A name read as a type after a sign, and before one.
    in_function("a *b = c, *d = { e }; a *f[] = { g }; a const *h; a *const i = j; a k[2], *l;"),
    in_function("a * b; a * b[c]; a & b; a(b); (a)(b); (a) - b; (a)(b)[c].d++;"),
    in_function("(a) b; (a) 1; (a) !b; (a)(int) b; (a)(b *) c; (a)(b) c; (a **) *b;"),
    in_function("(a){ b }; (a[]){ b, c }; (a)(b){ c }; (struct s){ .d = 1 }.d; &(a){ b };"),
    in_function("sizeof a; sizeof (a); sizeof (a *); sizeof(int[3]); sizeof (a)[b] * c;"),
    in_function("(f)(x)(y); (f)(); (f)(x, y); (f)(x)[y](z);"),
    in_function("for (a *b = c; ; ) for (int i = 0, j; ; ++i) for (;;) ;"),
    in_function("l: if (a) if (b) c; else d; else goto l; switch (a) case 1: default: break;"),
    in_function("a---b; a+++b; a-->b; a<b>>c; a&&b&c; a?b:c?d:e; a=b+=c; a/ *b; -+-a; - -a;"),
    in_function("//\n/**/// /* \n a; /* // */"),
]
REFUSED = [
    *("", ";", "int", "int;", "int int a;", "short long a;", "unsigned double a;"),
    *("static extern int a;", "int while;", "a b c;", "a;", "main() {}", "int a {}"),
    *("int (*a)(void) {}", "int a[1, 2];", "int a = {};", "int a = { , };", "struct {};"),
    *("struct s { };", "enum e { };", "enum { A,, B };", "int a() ();", "int a()[];"),
    *("int a(..., int);", "int f(static int a);", "int f(int a = 1);", "int a = 09;"),
    *("int a = 0x;", "int a = 0xe+1;", "int a = 1x;", "int a = 1.5.2;", "int a = 1e;"),
    *("int a = 1ull1;", "int a = 0b1;", "int a = '';", "int a = 'ab';", "int a = '\\q';"),
    *('char *a = "\\x";', 'char *a = "\\xfff";', 'char *a = "\\400";', 'char *a = "b\nc";'),
    *('char *a = "b', 'char *a = "??/";', "int a = b @ c;", "int a = $;", "int é;"),
    *("int a; /* open", "int a; /* closed */ */", "int a; #define b", in_function("int")),
    *(in_function("a b c;"), in_function("&&a;"), in_function("a = &&b;")),
    *(in_function("a/*b;"), in_function("a//b;"), in_function("(unsigned longint) a;")),
    *(in_function("(a + b *) c;"), in_function("(1 *) a;"), in_function("(a b) c;")),
    *(in_function("(a + b) c;"), in_function("(int) = 1;"), in_function("a + b = c;")),
    *(in_function("a * 1 = c;"), in_function("a * b[c, d] = e;"), in_function("a * b += c;")),
    *(in_function("sizeof int;"), in_function("sizeof (int) a;"), in_function("(int a) b;")),
    *(in_function("f(int);"), in_function("f(a,);"), in_function("a[];"), in_function("a.1;")),
    *(in_function("a ? b;"), in_function("a < > b;"), in_function("else a;")),
    *(in_function("if a b;"), in_function("if (a) int b;"), in_function("if (a) b *c = d;")),
    *(in_function("do a; while (b)"), in_function("for (a; b) c;")),
    *(in_function("for (;;;) c;"), in_function("switch a { }"), in_function("case: a;")),
    *(in_function("l: }"), in_function("l: int a;"), in_function("goto 1;")),
    *(in_function("return int;"), in_function("int f(void) { }"), in_function("{ a; ")),
]
LEFT_OUT = [
    *("int f(a) int a; { }", "int (*f(void))(int) { }", "int static a;"),
    *("unsigned const char a;", "int f(int a[static 3]);", "int f(int (int));"),
    *("int a = '\\u00e9';", "int a<:3:>;", in_function("a (*b)(int);")),
    *(in_function("(a) ++b;"), in_function("sizeof (a[]);")),
]


class TestC(GrammarLaws):
    name = "c"
    start = "translation_unit"
    drawn_from = ("function_definition", "function_definition", "declaration")
    choices = ("Shift/Reduce conflict for terminal ELSE: (resolving as shift)",)
    accepted, refused, left_out = ACCEPTED, REFUSED, LEFT_OUT
    lengths = (5, 15, 30)
    n_derived, n_changed = 60, 400
    generated = (3, 20)

    def is_text(self, text):
        """Of refused texts nobody knows which of their names are types."""
        del text

    def list_faults(self, texts):
        if GCC is None:
            return []
        # Of a text in one line, a comment to the end of its line would take the rest.
        without = [re.sub("//[^\n]*\n", " ", text) for text in texts]
        return syntax_errors(renamed([text for text in without if accepts(tree_parser(), text)]))

    def list_lexemes(self, parser):
        keywords = {
            t.name: ["_Bool" if t.name == "BOOL" else t.name.lower()]
            for t in parser.terminals
            if not isinstance(t.pattern, PatternStr)
        }
        return {**keywords, "COMPLEX": ["_Complex"], **LEXEMES}

    @pytest.mark.costly
    def test_the_choices_that_lark_makes_are_known(self):
        super().test_the_choices_that_lark_makes_are_known()

    @pytest.mark.costly
    def test_generated_texts_are_accepted_by_both(self, parser, artifact):
        super().test_generated_texts_are_accepted_by_both(parser, artifact)

    @needs_gcc
    @pytest.mark.parametrize("header", HEADERS.split())
    def test_the_headers_of_this_machine_are_accepted(self, parser, header):
        command = [GCC, "-std=c99", "-E", "-P", *EXTENSIONS, "-"]
        source = f"#include <{header}.h>\nint end;\n"
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip("no such header here")
        assert accepts(parser, done.stdout)

    @needs_gcc
    def test_the_corpus_is_c99_to_gcc(self, corpus):
        command = [GCC, "-std=c99", "-pedantic-errors", "-w", "-fsyntax-only", "-x", "c", "-"]
        done = subprocess.run(command, input=corpus, capture_output=True, text=True, check=False)
        assert done.stderr == ""
