"""The one table of the dense laws: languages, and the machines that are made for each.

An entry is a name, an alphabet and a language; every word of one to four letters of the alphabet is
a token. A letter may be a longer text, such as a marker that no four characters reach. Each entry
is made in as many ways as there are machines for it: a pattern as a piece of a link, a terminal of
both parsers, a string of a JSON Schema and a part of a structural tag.
"""

import itertools
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import maskc
from maskc.frontends.source import load_source
from maskc.jsonschema.compiling import compile_schema
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.pipeline import compile_contents
from maskc.runtime.schema.plan.plan import Layout
from maskc.vocab.vocabulary import Vocabulary
from tests.laws.judges import (
    FramedJudge,
    Judge,
    PatternJudge,
    TreeJudge,
    judge_grammar,
    judge_schema,
    judge_words,
    write,
    write_words,
)

Letters = tuple[str, ...]
INDENTS = "tests.indenters:TwoColumns"
LAYOUT = Layout(blanks="compact", escapes="minimal")


class Case(NamedTuple):
    """A language and a machine that reads it.

    Attributes:
        name: of the entry.
        machine: which of the entry's machines.
        letters: words of them are tokens.
        longest: letters of a word.
        make: makes what has matchers.
        judge: makes the oracle.
        more: texts whose places are looked at whatever is drawn.
    """

    name: str
    machine: str
    letters: Letters
    longest: int
    make: Callable[[Vocabulary], Any]
    judge: Callable[[], Judge]
    more: tuple[str, ...] = ()


@cache
def vocabulary_of(letters: Letters, longest: int) -> Vocabulary:
    """Return every word, and the bytes of letters that have several; the last id is the end."""
    words = {word.encode() for word in write_words(letters, longest)} - {b""}
    wide = [letter.encode() for letter in letters if len(letter) == 1 and not letter.isascii()]
    for letter in wide:
        cut = {letter[:n] for n in range(1, len(letter))}
        rest = {letter[n:] for n in range(1, len(letter))}
        ends = {word.encode() for word in write_words(letters, 2)}
        words |= {word + one for word in ends for one in cut}
        words |= {one + word for word in ends for one in rest}
        words |= {letter[:1] + b"\x80", letter[:1] + b"\xbf"}  # may be no characters
    tokens = sorted(words)
    return Vocabulary((*tokens, None), (len(tokens),), "dense")


@cache
def kit_of(vocabulary: Vocabulary) -> Kit:
    """Return the kit of a vocabulary: cases of one alphabet share what it remembers."""
    return make_kit(vocabulary)


def compile_text(text: str, vocabulary: Vocabulary, **settings: str) -> maskc.Artifact:
    """Return the artifact of a Lark grammar."""
    return maskc.Artifact(compile_contents(load_source(text, **settings), vocabulary)[0])


def _split(alphabet: str | Letters) -> Letters:
    return tuple(alphabet)


def patterns(name: str, alphabet: str, pattern: str, *, longest: int = 7) -> list[Case]:
    """Return the cases of a pattern that does not match the empty text."""
    letters = _split(alphabet)

    @cache
    def judge() -> Judge:
        return PatternJudge(pattern, letters, longest)

    def quoted() -> Judge:
        return FramedJudge(judge(), '"', '"')

    grammar = f"start: T\nT: /{pattern}/\n"
    schema = {"type": "string", "pattern": f"^(?:{pattern})$"}
    tag = {
        "type": "tag",
        "begin": "<",
        "content": {"type": "regex", "pattern": pattern},
        "end": ">",
    }
    makers: list[tuple[str, Letters, Callable[[Vocabulary], Any], Callable[[], Judge]]] = [
        ("link", letters, lambda v: kit_of(v).regex(pattern), judge),
        ("lalr", letters, lambda v: compile_text(grammar, v), judge),
        (
            "general",
            letters,
            lambda v: compile_text(grammar, v, parser="earley", lexer="dynamic_complete"),
            judge,
        ),
        (
            "schema",
            (*letters, '"'),
            lambda v: maskc.Artifact(compile_schema(schema, v, layout=LAYOUT)),
            quoted,
        ),
        (
            "tag",
            (*letters, "<", ">"),
            lambda v: kit_of(v).structural_tag({"type": "structural_tag", "format": tag}),
            lambda: FramedJudge(judge(), "<", ">"),
        ),
    ]
    return [Case(name, machine, own, 4, make, of) for machine, own, make, of in makers]


def grammars(
    name: str,
    alphabet: str | Letters,
    text: str,
    *,
    n: int = 5,
    more: Iterable[str] = (),
    symbols: tuple[str, ...] = (),
    longest: int = 4,
    guess: Callable[[str], str] | None = None,
    **settings: str,
) -> list[Case]:
    """Return the cases of a Lark grammar: alone, in a link, and with captured symbols.

    Args:
        name, alphabet: of the entry.
        text: of the grammar.
        n: letters of the texts that Lark is asked about.
        more: longer texts.
        symbols: to capture.
        longest: letters of a token.
        guess: returns what may finish a text.
        settings: of the grammar; with ``parser="earley"`` it is a general one.
    """
    letters, more = _split(alphabet), tuple(more)

    @cache
    def judge() -> Judge:
        found = judge_grammar(text, letters, n, more, **settings)
        found.guess = guess
        return found

    machine = "general" if settings.get("parser") == "earley" else "lalr"
    found = [
        Case(
            name,
            machine,
            letters,
            longest,
            lambda v: compile_text(text, v, **settings),
            judge,
            more,
        )
    ]
    if settings.get("postlex") is None:
        found.append(
            Case(
                name,
                f"{machine} in a link",
                (*letters, "!"),
                min(longest, 3),
                lambda v: kit_of(v).sequence(
                    kit_of(v).lark(text, **settings), kit_of(v).choice(["!"])
                ),
                lambda: FramedJudge(judge(), "", "!"),
            )
        )
    if symbols:
        postlex = settings.get("postlex")
        found.append(
            Case(
                name,
                "captures",
                letters,
                longest,
                lambda v: maskc.capture(compile_text(text, v, **settings), *symbols),
                lambda: TreeJudge(text, letters, n, more, names=symbols, postlex=postlex),
                more,
            )
        )
    return found


def holes(
    name: str,
    alphabet: str,
    text: str,
    words: dict[str, list[str]],
    *,
    n: int = 5,
    more: Iterable[str] = (),
    ways: tuple[str, ...] = ("bind", "narrow"),
    **settings: str,
) -> list[Case]:
    """Return the cases of a Lark grammar of which some terminals take certain words alone."""
    letters, more = _split(alphabet), tuple(more)
    makers = {
        "bind": lambda v: compile_text(text, v, **settings).bind(**words),
        "narrow": lambda v: maskc.narrow(compile_text(text, v, **settings), **words),
    }
    return [
        Case(
            name,
            way,
            letters,
            4,
            makers[way],
            lambda: judge_words(text, letters, n, words, more, **settings),
            more,
        )
        for way in ways
    ]


def follows(
    name: str,
    alphabet: str,
    text: str,
    symbols: tuple[str, ...],
    on_complete: Callable[[Any], dict[str, Any]],
    *,
    n: int = 5,
    more: Iterable[str] = (),
    **settings: str,
) -> list[Case]:
    """Return the case of a Lark grammar whose words depend on what was written."""
    letters, postlex = _split(alphabet), settings.get("postlex")
    more = tuple(more)

    def make(vocabulary: Vocabulary) -> Any:
        artifact = compile_text(text, vocabulary, **settings)
        return maskc.follow(artifact, *symbols, on_complete=on_complete)

    @cache
    def judge() -> Judge:
        return TreeJudge(
            text, letters, n, more, names=symbols, on_complete=on_complete, postlex=postlex
        )

    return [Case(name, "follow", letters, 4, make, judge, more)]


def schemas(
    name: str,
    alphabet: str | Letters,
    schema: Any,
    *,
    n: int = 0,
    values: Iterable[Any] = (),
    are_all: bool = False,
    pattern: str | None = None,
    more: Iterable[str] = (),
    longest: int = 4,
    layout: Layout = LAYOUT,
) -> list[Case]:
    """Return the cases of a JSON Schema: alone, and in a link.

    Args:
        name, alphabet: of the entry.
        schema: it.
        n: letters of the texts over the alphabet that are tried.
        values: that are tried as well.
        are_all: whether no other text is valid.
        pattern: of all texts that are valid, if there is one.
        more: texts.
        longest: letters of a token.
        layout: of texts.
    """
    letters, values, more = _split(alphabet), tuple(values), tuple(more)

    @cache
    def judge() -> Judge:
        is_plain = layout == LAYOUT
        texts = [*write_words(letters, n), *more, *map(write, values)]
        return judge_schema(
            schema, letters, texts, are_all=are_all, is_plain=is_plain, pattern=pattern
        )

    def link(vocabulary: Vocabulary) -> Any:
        kit = kit_of(vocabulary)
        part = kit.json_schema(schema, **layout.to_dict())
        return kit.sequence(part, kit.choice(["!"]))

    return [
        Case(
            name,
            "schema",
            letters,
            longest,
            lambda v: maskc.Artifact(compile_schema(schema, v, layout=layout)),
            judge,
            more,
        ),
        Case(
            name,
            "schema in a link",
            (*letters, "!"),
            min(longest, 3),
            link,
            lambda: FramedJudge(judge(), "", "!"),
        ),
    ]


def links(
    name: str,
    alphabet: str | Letters,
    make: Callable[[Kit], Any],
    pattern: str,
    *,
    n: int = 7,
    more: Iterable[str] = (),
    longest: int = 4,
) -> list[Case]:
    """Return the case of what a kit makes, and a pattern of all its texts."""
    letters, more = _split(alphabet), tuple(more)
    return [
        Case(
            name,
            "link",
            letters,
            longest,
            lambda v: make(kit_of(v)),
            lambda: PatternJudge(pattern, letters, n, more),
            more,
        )
    ]


def tag(form: dict[str, Any]) -> Callable[[Kit], Any]:
    """Return what makes the constraint of a structural tag's format."""
    return lambda kit: kit.structural_tag({"type": "structural_tag", "format": form})


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
OPEN_BLOCKS = r"""
start: (W _NL _INDENT?)+ _DEDENT*
W: "a"
_NL: /\n */
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


def objects(keys: Iterable[str], values: Iterable[Any], most: int) -> list[dict[str, Any]]:
    """Return every object of up to so many of the keys, in any order, with each of the values."""
    found: list[dict[str, Any]] = [{}]
    level: list[dict[str, Any]] = [{}]
    some, listed = tuple(keys), tuple(values)
    for _ in range(most):
        level = [{**o, k: v} for o in level for k in some if k not in o for v in listed]
        found += level
    return found


def arrays(values: Iterable[Any], most: int) -> list[list[Any]]:
    """Return every array of up to so many of the values."""
    listed = tuple(values)
    return [list(items) for n in range(most + 1) for items in itertools.product(listed, repeat=n)]


PATTERNS = [
    *patterns("a counted loop inside another", "ab", "(?:a{1,3}b){2,3}"),
    *patterns("a count that words reach beyond", "ab", "a{3,9}b?", longest=10),
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
    ),
    *grammars(
        "a keyword that begins names",
        "ab; ",
        'start: (KW NAME? ";" | NAME ";")*\nKW: "ab"\nNAME: /[ab]+/\n%ignore " "\n',
        more=["ab a;aba;ab;", "abab ; b;"],
        symbols=("KW", "NAME"),
    ),
    *grammars(
        "a keyword, with the basic lexer",
        "ab; ",
        'start: (KW NAME? ";" | NAME ";")*\nKW: "ab"\nNAME: /[ab]+/\n%ignore " "\n',
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
    ),
    *grammars(
        "sums",
        "a+()",
        'start: start "+" start | "(" start ")" | "a"\n',
        n=5,
        longest=3,
        parser="earley",
        lexer="dynamic_complete",
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
    ),
    *grammars(
        "a lexeme that is read in two ways",
        "abc)]",
        'start: x ")" | y "]"\nx: A c\ny: B c\nc: "c"\nA: "a"\nB: /[ab]/\n',
        n=3,
        longest=3,
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
        "a hole between indents",
        "a:\n ",
        BLOCKS.replace('simple: "a"', "simple: W").replace('"a" ":"', 'W ":"').replace('"a"*', "W*")
        + "W: /a+/\n",
        {"W": ["a", "aaa"]},
        n=5,
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
    ),
]


def _gap(depth: int) -> str:
    """Return the pattern of blanks where so many brackets are open, of the layout `bounded`."""
    return f" {{0,8}}(?:\\n {{0,{8 * depth}}})?"


# A key that is not `cc` and does not begin with `e`.
OTHER = r'(?:c|c[^c"\\][^"\\]*|cc[^"\\]+|[^ec"\\][^"\\]*)'

SCHEMAS = [
    *schemas(
        "a key that must come, and another that may",
        '{}"ce:,',
        {
            "type": "object",
            "properties": {"cc": {"const": ""}},
            "required": ["cc"],
            "additionalProperties": {"const": ""},
            "maxProperties": 2,
            "propertyNames": {"pattern": "^[^e]"},
        },
        values=objects(["cc", "c", "ce", "ec", "ccc", ","], ["", "c"], 2),
        pattern=rf'\{{"(?:cc":""(?:,"{OTHER}":"")?|{OTHER}":"","cc":"")\}}',
        longest=3,
    ),
    *schemas(
        "items that differ",
        '[],"a',
        {"type": "array", "items": {"enum": ["", "a", "aa", []]}, "uniqueItems": True},
        values=arrays(["", "a", "aa", []], 4),
        are_all=True,
    ),
    *schemas(
        "numbers in a range",
        "-0.13",
        {"type": "number", "minimum": -1.1, "exclusiveMaximum": 31, "multipleOf": 0.1},
        n=4,
        layout=Layout(numbers="plain"),
    ),
    *schemas("integers", "-013", {"type": "integer", "minimum": -13, "maximum": 101}, n=4),
    *schemas(
        "strings of few characters",
        'aé"',
        {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a|é$"},
        n=6,
    ),
    *schemas(
        "one key or the other",
        '{}"ab:,',
        {
            "type": "object",
            "properties": {"a": {"enum": ["", "a"]}, "b": {"const": "b"}, "ab": {"const": ""}},
            "additionalProperties": False,
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            "dependentRequired": {"ab": ["a"]},
        },
        values=objects(["a", "b", "ab"], ["", "a", "b"], 3),
        are_all=True,
    ),
    *schemas(
        "an item that must be there",
        '[],"a',
        {
            "type": "array",
            "items": {"enum": ["", "a", [], ["a"]]},
            "contains": {"type": "array"},
            "maxContains": 1,
            "maxItems": 3,
        },
        values=arrays(["", "a", [], ["a"]], 3),
        are_all=True,
    ),
    *schemas("integers above a bound", "-0134", {"type": "integer", "exclusiveMinimum": 3}, n=4),
    *schemas(
        "characters of three bytes",
        'aࠀ"',
        {"type": "string", "pattern": '^[^a"]{1,2}a$'},
        n=5,
        pattern=r'"[^a"\\\x00-\x1f]{1,2}a"',
    ),
    *schemas(
        "objects that differ",
        '[]{}"a:,',
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"a": {"enum": ["", "a"]}},
                "additionalProperties": False,
            },
            "uniqueItems": True,
        },
        values=arrays([{}, {"a": ""}, {"a": "a"}], 3),
        are_all=True,
        longest=3,
    ),
    *schemas(
        "objects whose keys run out",
        '[]{}"ab:,',
        {
            "type": "array",
            "items": {
                "type": "object",
                "patternProperties": {"^[ab]$": {"const": ""}},
                "additionalProperties": False,
            },
            "uniqueItems": True,
        },
        values=arrays(objects(["a", "b"], [""], 2), 4),
        are_all=True,
        longest=3,
    ),
    *schemas(
        "blanks by the brackets that are open",
        ("[", "]", " ", "    ", "\n"),
        {"type": "array", "items": {"const": []}, "maxItems": 1},
        values=[[], [[]]],
        pattern=f"{_gap(0)}\\[{_gap(1)}(?:\\[{_gap(2)}\\]{_gap(1)})?\\]{_gap(0)}",
        more=["        [       \n        [  \n               ]    \n       ]\n"],
        layout=Layout(escapes="minimal"),
    ),
    *schemas(
        "a few blanks in each gap",
        "[] \n",
        {"type": "array", "items": {"const": []}, "maxItems": 1},
        n=5,
        pattern=r"[ \n]{0,3}\[[ \n]{0,3}(?:\[[ \n]{0,3}\][ \n]{0,3})?\][ \n]{0,3}",
        more=["  \n[  [   ]\n\n]   "],
        layout=Layout(blanks="at most 3", escapes="minimal"),
    ),
    *schemas(
        "escapes",
        ('"', "\\", "u00", "61", "a", "n"),
        {"type": "string", "pattern": "^(a|\n)a?$"},
        pattern=r'"(?:a|\\u0061|\\n|\\u000[aA])(?:a|\\u0061)?"',
        more=['"\\na"', '"\\u0061a"', '"a\\u0061"'],
        layout=Layout(blanks="compact"),
    ),
    *schemas(
        "keys in the schema's order",
        '{}"ab:,',
        {
            "type": "object",
            "properties": {"b": {"const": ""}, "a": {"const": ""}, "ab": {"const": ""}},
            "required": ["a"],
            "additionalProperties": False,
        },
        pattern=r'\{(?:"b":"",)?"a":""(?:,"ab":"")?\}',
        more=['{"b":"","a":"","ab":""}', '{"a":""}'],
        layout=Layout(key_order="schema", blanks="compact", escapes="minimal"),
    ),
    *schemas(
        "nested objects",
        '{}"a:,',
        {"$ref": "#/$defs/outer"}
        | {
            "$defs": {
                name: {
                    "type": "object",
                    "properties": {"a": inner, "aa": {"const": "a"}},
                    "additionalProperties": False,
                }
                for name, inner in [("outer", {"$ref": "#/$defs/inner"}), ("inner", {"const": {}})]
            },
        },
        values=objects(["a", "aa"], ["a", *objects(["a", "aa"], [{}, "a"], 2)], 2),
        are_all=True,
    ),
]

LINKS = [
    *links(
        "parts that end at two places",
        "abc",
        lambda kit: kit.sequence(
            kit.one_of(kit.choice(["a", "ab"]), kit.regex("b+a?")),
            kit.choice(["c", "bc"]),
            kit.repeat(kit.choice(["a", "ca"]), 0, 2),
        ),
        "(?:ab?|b+a?)b?c(?:a|ca){0,2}",
    ),
    *links(
        "passes that can be cut in two ways",
        "ab",
        lambda kit: kit.repeat(kit.one_of(kit.choice(["ab", "a"]), kit.regex("b{1,2}a?")), 2, 3),
        "(?:ab?|b{1,2}a?){2,3}",
    ),
    *links(
        "free text before a word",
        "abc",
        lambda kit: kit.sequence(kit.text(without=["ab", "ca"]), kit.choice(["ab", "cca"])),
        "(?:(?<!a)b|(?<!c)a|[^ab])*(?:ab|cca)",
        n=5,
    ),
    *links(
        "counted passes of counted texts",
        "ab,",
        lambda kit: kit.sequence(
            kit.regex("(?:a{1,2},){2,3}"),
            kit.repeat(kit.regex("b{2,3}"), 1, 2),
            kit.choice(["a", ""]),
        ),
        "(?:a{1,2},){2,3}(?:b{2,3}){1,2}a?",
        n=6,
    ),
    *links(
        "values of two schemas that differ in a bound",
        '["],a',
        lambda kit: kit.sequence(
            *(
                kit.json_schema(
                    {"type": "array", "items": {"type": "string", "maxLength": n}, "minItems": 1},
                    **LAYOUT.to_dict(),
                )
                for n in (1, 2)
            )
        ),
        r'\["[^"\\]?"(?:,"[^"\\]?")*\]\["[^"\\]{0,2}"(?:,"[^"\\]{0,2}")*\]',
        n=0,
        more=['["a",""]["aa","a"]', '[""]["a","aa"]'],
    ),
    *links(
        "a grammar between values",
        '[],"a',
        lambda kit: kit.sequence(
            kit.json_schema({"enum": [["a"], "a", "aa", []]}, **LAYOUT.to_dict()),
            kit.lark('start: "," A | A "," A?\nA: /a+/\n'),
            kit.json_schema({"enum": ["", ["a", "a"]]}, **LAYOUT.to_dict()),
        ),
        r'(?:\["a"\]|"aa?"|\[\])(?:,a+|a+,a*)(?:""|\["a","a"\])',
        n=4,
        more=['["a"],a["a","a"]', '"aa"aa,aa""', '[]a,["a","a"]'],
    ),
]

_PLAIN = "(?:(?!ab|!a).)*"
_FREE = "(?:(?!<a).)*"
_PARTS = ("<tool", '_call>{"name": "f", "arguments": ', '{"x":"', "a", '"}', "}</tool_call>", "<")
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"x": {"enum": ["a", "aa"]}},
                "required": ["x"],
                "additionalProperties": False,
            },
        },
    }
]
_CALL = r'<tool_call>\{"name": "f", "arguments": \{"x":"aa?"\}\}</tool_call>'
_ANSWER = "(?:(?!<tool_call>).)*"

TAGS = [
    *links(
        "tags in free text",
        "<a>b",
        tag(
            {
                "type": "triggered_tags",
                "triggers": ["<a"],
                "tags": [
                    {
                        "type": "tag",
                        "begin": "<a>",
                        "content": {"type": "regex", "pattern": "b{1,2}"},
                        "end": ["<", "b<>"],
                    },
                    {
                        "type": "tag",
                        "begin": "<ab",
                        "content": {"type": "const_string", "value": "ba"},
                        "end": "",
                    },
                ],
            }
        ),
        f"{_FREE}(?:(?:<a>b{{1,2}}(?:<|b<>)|<abba){_FREE})*",
        n=5,
    ),
    *links(
        "tags that are kept apart",
        "<>,ab",
        tag(
            {
                "type": "tags_with_separator",
                "separator": ",",
                "at_least_one": True,
                "tags": [
                    {
                        "type": "tag",
                        "begin": "<",
                        "content": {"type": "any_text", "excludes": ["aa"]},
                        "end": ">",
                    },
                    {
                        "type": "tag",
                        "begin": "a",
                        "content": {"type": "regex", "pattern": "b?"},
                        "end": "b,",
                    },
                ],
            }
        ),
        "(?:<(?:(?!aa|>).)*>|ab?b,)(?:,(?:<(?:(?!aa|>).)*>|ab?b,))*",
        n=4,
    ),
    *links(
        "one tag at least, and no text after it",
        "<a>b",
        tag(
            {
                "type": "triggered_tags",
                "triggers": ["<a", "b>"],
                "at_least_one": True,
                "stop_after_first": True,
                "tags": [
                    {
                        "type": "tag",
                        "begin": begin,
                        "content": {"type": "const_string", "value": ">"},
                        "end": end,
                    }
                    for begin, end in [("<a", "b"), ("b>a", "<")]
                ],
            }
        ),
        "<a>b|b>a><",
    ),
    *links(
        "patterns after words of free text",
        "ab!",
        tag(
            {
                "type": "dispatch",
                "rules": [
                    ["ab", {"type": "regex", "pattern": "b{1,2}!"}],
                    ["!a", {"type": "const_string", "value": "a!"}],
                ],
                "loop": True,
            }
        ),
        f"{_PLAIN}(?:(?:abb{{1,2}}!|!aa!){_PLAIN})*",
        n=6,
    ),
    *links(
        "free text of few characters",
        "<aé>",
        tag(
            {
                "type": "tag",
                "begin": "<",
                "content": {"type": "any_text", "excludes": ["aa"], "max_chars": 3},
                "end": ["a>", ">é"],
            }
        ),
        "<(?:[^aé>]|(?<!a)a|(?<!>)é|(?<!a)>){0,3}(?:a>|>é)",
        n=5,
    ),
    *links(
        "calls one after the other",
        _PARTS,
        lambda kit: kit.tools(_TOOLS, family="exaone"),
        f"{_ANSWER}(?:{_CALL}{_ANSWER})*",
        n=3,
        longest=2,
        more=["<tool_call>" + _PARTS[1][6:] + '{"x":"a"}}</tool_call>a'],
    ),
    *links(
        "one call at most",
        _PARTS,
        lambda kit: kit.tools(_TOOLS, family="exaone", parallel=False),
        f"{_ANSWER}(?:{_CALL})?",
        n=3,
        longest=2,
        more=["a<tool_call>" + _PARTS[1][6:] + '{"x":"aa"}}</tool_call>'],
    ),
]

CASES = [*PATTERNS, *LALR, *GENERAL, *HOLES, *FOLLOWS, *SCHEMAS, *LINKS, *TAGS]
