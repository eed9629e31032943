"""Grammars on which the code was once wrong, or that are awkward to read."""

from collections.abc import Iterable

from tests.general_grammars import general_grammar
from tests.laws.dense.making import INDENTS, Case, grammars

# Name → (grammar, alphabet, lexer).
FOUND = {
    "nothing can follow the start, so a token that leaves no chance is illegal": (
        'T0.2: "aab"\nstart:\nx: T0? x+ | T0\n',
        "abé",
        "basic",
    ),
    "a terminal that the lexer never gives stands for none": (
        "T1: /éb/\nT2: /é(?:b)*?/\nstart: T1 | T2\n",
        "bé",
        "basic",
    ),
    "a terminal that is ignored stands for none": (
        'T0: "bb"\nT1.1: "aaa"\nstart: T1 | T0\n%ignore T0\n',
        "ab",
        "basic",
    ),
    "tokens of one class that begin alike": (
        'start: a+ "#"\na: I | N | F | G\nI: /1+/\nN: /[T.]+/\nF: /1+\\.1*/\nG: /-?1+\\.1*/\n',
        "1.T#",
        "contextual",
    ),
    "a cut character that may become another one than the alphabet has": (
        'T0: "éb"\nT1.1: /(?:a)*?(?:[a])*?/\nT2.1: "bé"\nT3.1: /[^b][^é]a/\nstart: T3 T2?\n'
        "x: T1 T0 |\ny: T2 T1 | T2 | T2 T2\n%ignore T2\n",
        "abé",
        "basic",
    ),
    "an empty pass of a loop leaves it": (
        'T0.1: /[ba](?:(?:b)??)*/\nT1.1: "ab"i\nstart: T1+ | T0\n%ignore " "\n',
        "ab ",
        "basic",
    ),
}

BRACKETS = """
LP: "("
RP: ")"
NAME: /a+/
_NL: /\\n[ ]*/
%declare _INDENT _DEDENT
"""
# Between brackets, where a newline is dropped.
FOUND_BETWEEN_BRACKETS = {
    "a comment ends with a newline that is dropped": (
        "start: LP NAME? RP _NL\n%ignore /#[^\\n]*/" + BRACKETS,
        "a#\n()",
    ),
    "only a newline that is dropped keeps two words apart": (
        "start: LP NAME NAME RP _NL" + BRACKETS,
        "a\n() ",
    ),
    "outside of brackets nothing keeps them apart": (
        "start: LP NAME NAME RP _NL | NAME NAME _NL | LP RP _NL" + BRACKETS,
        "a\n()",
    ),
    "a newline that a rule may have is dropped": (
        "start: list _NL*\nlist: LP [v (NAME v)*] RP\nv: NAME | list _NL?" + BRACKETS,
        "a\n()",
    ),
    "a rule with a newline that is dropped has no text": (
        "start: LP NAME? x? RP _NL?\nx: _NL NAME | y RP _NL\ny: LP NAME" + BRACKETS,
        "a\n()",
    ),
    "a newline after a bracket that another rule closes": (
        "start: LP NAME close\nclose: RP _NL?" + BRACKETS,
        "a\n()",
    ),
    "a newline after one of two brackets": (
        "start: LP LP NAME close _NL? close _NL\nclose: RP _NL?" + BRACKETS,
        "a\n()",
    ),
}
# Blocks that no rule closes: the end of the text does.
OPEN_BLOCKS = (
    "start: (W _NL _INDENT?)+ _DEDENT*",
    "start: (W _NL _INDENT? | B _NL _INDENT (W _NL)+ _DEDENT)+ _DEDENT*",
    "start: head block* _DEDENT*\nhead: W _NL _INDENT? (W _NL)*\n"
    "block: B _NL _INDENT (W _NL)+ (_INDENT (W _NL)+ _DEDENT)? _DEDENT",
    "start: x y? _DEDENT*\nx: W _NL _INDENT | W _NL\ny: x B _NL _INDENT x _DEDENT",
)

_ENDS = '\nW: "a"\nB: "b"\n_NL: /\\n *| *\\n/\n%declare _INDENT _DEDENT\n'
# Of general grammars: every match counts.
EVERY_MATCH = {
    "an ignored lexeme is as long as it can be": ('start: "a" B\nB: / b/\n%ignore / +/\n', "ab "),
    "a second kind of ignored lexeme may follow": (
        'start: "a" "b"\n%ignore / +/\n%ignore /c+/\n',
        "abc ",
    ),
    "a lexeme may end wherever a piece of it matches": ("start: A A A\nA: /a+/\n", "ab"),
    "the first alternative hides the second": ('start: A "c"\nA: /a|ab/\n', "abc"),
    "a lazy quantifier still takes more where it must": ("start: A+\nA: /a+?b/\n", "ab"),
    "a look-behind that stays inside": ('start: A+ "b"\nA: /a.*?(?<!b)a/\n', "ab"),
    "only blanks, where nothing is a text": ("start: |\n%ignore / +/\n", " a"),
    "blanks after the end": ('start: "a" start | "a"\n%ignore " "\n', "a "),
    "an ignored terminal that is used as well": (
        "start: A B A\nA: /a/\nB: / +/\n%ignore B\n",
        "a ",
    ),
    "an ignored lexeme that is forbidden long after it ended": (
        'start: "a" B C\nB: "b"\nC: /b+c?/\n%ignore / (b+c)?/\n',
        "abc ",
    ),
}
# What tells `dynamic` from the other lexers.
ONE_MATCH = {
    "a keyword is glued to a name": ('start: "ab" T | T "ab"\nT: /[ab]+/\n%ignore " "\n', "ab "),
    "the longer match fails": ("start: A B?\nA: /a(ba)?/\nB: /b/\n", "ab"),
    "a name is not cut": ('start: A+ "b"\nA: /a+/\n%ignore " "\n', "ab "),
    "a look-ahead reaches beyond the next lexeme": ('start: A ("a" | "b")+\nA: /a(?=b*a)/\n', "ab"),
    "conditions exclude each other": ("start: A B\nA: /a(?=b[ab])/\nB: /b(?!a)/ | /c/\n", "abc"),
    "a word boundary ends it": ('start: A ("b" | " b")\nA: /a\\b/\n', "ab "),
    "an anchor sees the whole text": ("start: A* B\nA: /a/\nB: /^a|b$/m\n", "ab"),
    "a greedy comment reads on": ('start: "a"+\n%ignore /b(a|b)*b/\n', "ab"),
    "something ignored looks ahead": ('start: "a" "b"\n%ignore / (?= |b)/\n', "ab "),
}
NAMED = {
    "ambiguous_lists": "a",
    "expressions": "a1+-()",
    "right_recursion": "[a,]",
    "reduce_reduce": "a,;!",
}


def general(name: str, alphabet: str, text: str, lexer: str) -> list[Case]:
    """Return the case of a general grammar, with fewer letters where there are more of them."""
    n = {1: 9, 2: 6, 6: 3}.get(len(alphabet), 4)
    longest = 4 if len(alphabet) < 3 else 3 if len(alphabet) < 5 else 2
    return grammars(name, alphabet, text, n=n, longest=longest, parser="earley", lexer=lexer)[:1]


def _indented(name: str, alphabet: str, text: str, more: Iterable[str] = ()) -> list[Case]:
    return grammars(name, alphabet, text, more=more, postlex=INDENTS)


# Texts of grammars that have no short ones.
_LONGER = {
    "only a newline that is dropped keeps two words apart": ["(a\na)\n"],
    "a newline after one of two brackets": ["((a))\n\n", "((a)\n)\n\n"],
}

AWKWARD = [
    *(
        case
        for name, (text, alphabet, lexer) in FOUND.items()
        for case in grammars(name, alphabet, text, lexer=lexer)
    ),
    *(
        case
        for name, (text, alphabet) in FOUND_BETWEEN_BRACKETS.items()
        for case in _indented(name, alphabet, text, _LONGER.get(name, ()))
    ),
    *(
        case
        for number, rules in enumerate(OPEN_BLOCKS)
        for case in _indented(f"blocks that stay open, {number}", "ab\n ", f"{rules}{_ENDS}")
    ),
    *(
        case
        for name, (text, alphabet) in EVERY_MATCH.items()
        for case in general(name, alphabet, text, "dynamic_complete")
    ),
    *(
        case
        for name, (text, alphabet) in ONE_MATCH.items()
        for case in general(name, alphabet, text, "dynamic")
    ),
    *(
        case
        for name, alphabet in NAMED.items()
        for lexer in ("dynamic", "basic")
        for case in general(f"{name}, {lexer}", alphabet, general_grammar(name), lexer)
    ),
]
