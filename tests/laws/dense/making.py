"""The machines of the dense laws: those that are made for one language.

An entry of the table is a name, an alphabet and a language; every word of one to four letters of
the alphabet is a token. A letter may be a longer text, such as a marker that no four characters
reach. Each entry is made in as many ways as there are machines for it: a pattern as a piece of a
link, a terminal of both parsers, a string of a JSON Schema and a part of a structural tag.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import maskc
from maskc.compiler.pipeline import compile_contents
from maskc.frontends.source import load_source
from maskc.jsonschema.compiling import compile_schema
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab.vocabulary import Vocabulary
from tests.laws.dense.judges import (
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
LAYOUT = JsonLayout(blanks="compact", escapes="minimal")


class Case(NamedTuple):
    """A language and a machine that reads it.

    Attributes:
        name: of the entry.
        machine: which of the entry's machines.
        letters: words of them are tokens.
        longest: letters of a word.
        make: makes what has matchers.
        judge: makes the oracle.
        more: texts whose prefixes are looked at whatever is drawn.
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


def patterns(name: str, alphabet: str | Letters, pattern: str, *, longest: int = 7) -> list[Case]:
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
    is_linked: bool = False,
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
        is_linked: whether it is made as a part of a link, too.
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
    if is_linked:
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
    is_linked: bool = False,
    layout: JsonLayout = LAYOUT,
) -> list[Case]:
    """Return the cases of a JSON Schema.

    Args:
        name, alphabet: of the entry.
        schema: it.
        n: letters of the texts over the alphabet that are tried.
        values: that are tried as well.
        are_all: whether no other text is valid.
        pattern: of all texts that are valid, if there is one.
        more: texts.
        longest: letters of a token.
        is_linked: whether it is made as a part of a link, too.
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

    alone = Case(
        name,
        "schema",
        letters,
        longest,
        lambda v: maskc.Artifact(compile_schema(schema, v, layout=layout)),
        judge,
        more,
    )
    linked = Case(
        name,
        "schema in a link",
        (*letters, "!"),
        min(longest, 3),
        link,
        lambda: FramedJudge(judge(), "", "!"),
    )
    return [alone, linked] if is_linked else [alone]


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
