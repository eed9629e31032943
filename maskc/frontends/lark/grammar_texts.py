r"""The texts that Lark reads: which are imported, and what keeps Lark from reading them.

``%import .words (X)`` reads ``words.lark`` in the grammar's own folder or below it, and nothing
that a link leads to outside; ``%import common.X`` reads Lark's library, and not the current folder,
where Lark would look next. All texts count together.

Two of Lark's patterns for a grammar try ever more ways where they fail. ``"(\\"|\\\\|[^"\n])*?"``
reads two backslashes as one part or as two, so that a string with n of them that nothing closes is
tried in about 1.6\ :sup:`n` ways; so are patterns between slashes. A run of n line breaks that no
``|`` follows is tried in n² ways. All of it is one call of C code, which nothing interrupts. So we
look first, with patterns that do not go back. Texts that Lark reads are read as before, save those
with tens of thousands of blank lines in a row.

Of a text that it cannot read Lark says the line, the column and which of its own tokens it had
expected. The table of remedies looks at what stands before the column and after it; first come
brackets that are open there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from lark.load_grammar import FromPackageLoader, stdlib_loader

from maskc.budget import check_text
from maskc.errors import GrammarError, LimitError, UnreadableFileError
from maskc.files import find_inside
from maskc.frontends.source import GrammarSource
from maskc.frontends.texts import read_text

MOST_BLANKS = 20_000  # in a row: some seconds of C code
MOST_BACKSLASHES = 24  # in what nothing closes: 75,000 ways

# Possessive: what was read once is read as it was.
_PART = re.compile(
    r"(?P<blanks>\s+)"
    r"|(?P<comment>//[^\n]*|\#[^\n]*)"
    r'|(?P<string>"(?:\\["\\]|[^"\n])*+)'
    r"|(?P<pattern>/(?:\\[/\\]|[^/])*+)"
    r'|[^\s/\#"]++',
    re.VERBOSE,
)
_CLOSING = {"string": ('"', "a string", "a quotation mark"), "pattern": ("/", "a pattern", "/")}

_AT = re.compile(r"at line (?P<line>\d+),? column (?P<column>\d+)")
_IS_ABOUT_SYNTAX = re.compile(
    r"Unexpected (?:input|token|colon)|Expecting |Incorrect type of value|Unclosed parenthesis"
    r"|Unmatched closing|Illegal name|Misplaced operator|Alias expects|Terminal names cannot"
    r"|%(?:import|ignore) expects"
)
# What stands in quotes, between slashes or after // opens no bracket.
_PARTS = re.compile(
    r'"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\])+/|//[^\n]*|(?P<opens>[(\[{])|(?P<closes>[)\]}])'
)
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_LONGEST = 200  # characters of a line before a position and after it that are looked at
_SHOWN = 20  # characters of what stands at the position


def check_literals(text: str, name: str) -> None:
    """Check that nothing in a grammar's text keeps Lark's lexer from coming to an end.

    Raises:
        GrammarError: a string or pattern is not closed.
        LimitError: too many blank characters in a row.
    """
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            at += 1
            continue
        kind, at = found.lastgroup, found.end()
        if kind == "blanks" and len(found[0]) > MOST_BLANKS:
            raise LimitError(
                "blank characters in a row",
                MOST_BLANKS,
                "delete most of them",
                _locate(text, found.start(), name),
            )
        if kind in _CLOSING:
            sign, what, wanted = _CLOSING[kind]
            if text.startswith(sign, at):
                at += 1
                continue
            # As Lark does when nothing else is left: an escaped sign closes after all.
            last = found[0].rfind(sign, 1)
            if last > 0:
                at = found.start() + last + 1
            elif found[0].count("\\") > MOST_BACKSLASHES:
                raise GrammarError(
                    _locate(text, found.start(), name),
                    f"{what} is not closed; end it with {wanted}",
                )
            else:
                at = found.start() + 1


def _locate(text: str, at: int, name: str) -> str:
    return f"{name}:{text.count(chr(10), 0, at) + 1}"


def make_loader(source: GrammarSource, imports: dict[str, str]) -> FromPackageLoader:
    """Return what Lark asks for each import of a grammar; it writes the texts into ``imports``."""

    def read_import(base: Any, path: str) -> tuple[Any, str]:
        if not isinstance(base, str):  # `%import name`, not `%import .name`: Lark's own library
            return _read_library(source.name, base, path)
        key = os.path.normpath(os.path.join(base, path)).replace(os.sep, "/")
        text = source.imports.get(key)
        if text is None:
            text = _read_relative(source, key)
        imports[key] = text
        n_characters = sum(map(len, imports.values())) + len(source.text)
        check_grammar_text(key, n_characters, text)
        return key, text

    # Lark calls an entry that is callable; its annotation names only its own loader.
    return cast(FromPackageLoader, read_import)


def check_grammar_text(name: str, n_characters: int, text: str) -> None:
    """Check that a text, with all that was read before, is one that Lark can read.

    Raises:
        LimitError: it is too large.
        GrammarError: a string or pattern is not closed.
    """
    check_text(n_characters, name)
    check_literals(text, name)


def _read_library(name: str, base: Any, path: str) -> tuple[Any, str]:
    try:
        return stdlib_loader(base, path)
    except OSError:
        raise GrammarError(
            name,
            f"it imports {path.removesuffix('.lark')}, which Lark's library does not have; "
            "write a point before the name of a grammar that is beside this one",
        ) from None


def _read_relative(source: GrammarSource, key: str) -> str:
    """Return the text of an imported grammar, which lies in the folder of the one that imports."""

    def refuse(fact: str) -> GrammarError:
        return GrammarError(source.name, f"it imports {key}, {fact}")

    if source.folder is None:
        raise refuse(
            "and a grammar that is given as a text has no folder to look in; give the path of its "
            "file"
        )
    path = find_inside(source.folder, source.folder / key)
    if path is None:
        raise refuse("which leads out of its folder; put a copy into the folder")
    try:
        return read_text(path, key)
    except UnicodeDecodeError as error:
        raise refuse(f"whose byte {error.start} is not UTF-8; save it as UTF-8") from None
    except UnreadableFileError as error:
        if os.path.lexists(path):
            raise refuse(f"which {error.reason}; replace it") from None
        raise refuse("which is not there; check the path") from None


class _Remedy(NamedTuple):
    """A sentence for what stands at a position, and patterns that must all be found."""

    # template with the groups of before and rest, and with `{here}` and `{sign}`: what stands
    # there, and its first character, in quotes
    sentence: str
    before: str = ""  # pattern of all that stands before the position in its line
    rest: str = ""  # pattern of the beginning of what follows
    message: str = ""  # pattern of Lark's message


_NO_EQUALS = (
    "a definition is written name: …, without =; in a file with the suffix .gbnf or .ebnf it is "
    "read as such"
)
_NO_COLON = (
    " begins a definition, and no colon follows it; write name: …, or begin a line that goes on "
    "with |"
)
_NO_VALUE = (
    "a name, a string or a pattern has to stand here, and not {here}; write one, in quotes for the "
    "text"
)
_REMEDIES = (
    _Remedy(
        'the string that begins here is not closed; write " at its end, and \\" for " in it',
        rest='"',
        message="^Unexpected input",
    ),
    _Remedy(
        "the pattern that begins here is not closed; write / at its end, and \\/ for / in it",
        rest="/",
        message="^Unexpected input",
    ),
    _Remedy("a string stands between double quotes; write \", not '", rest="'"),
    _Remedy(_NO_EQUALS, rest=":?="),
    _Remedy(
        "& is llguidance's, and Lark has no intersection of terminals; write one pattern with a "
        'look-ahead, as kit.regex("(?=(?:A)$)B") for A & B',
        rest="&",
    ),
    _Remedy(
        "~ before a terminal is llguidance's, and Lark has no complement; write a pattern with a "
        'look-ahead, as kit.regex("(?!(?:A)$)B") for ~A & B',
        rest=r"~\s*[A-Z_(\"/]",
    ),
    _Remedy("a rule ends with its line; leave the ; out", rest=";"),
    _Remedy("the text begins with a byte order mark; save it without one", rest="\ufeff"),
    _Remedy(
        "the {closing} closes nothing that is open; leave it out, or open it before",
        rest=r"(?P<closing>[)\]}])",
    ),
    _Remedy(
        "{name} is no directive; there are %ignore, %import, %declare, %override and %extend",
        rest=r"(?P<name>%(?!(?:ignore|import|declare|override|extend)\b)\w+)",
    ),
    _Remedy(
        "Lark keeps names that begin with two underscores for itself; write one",
        before=r"\s*",
        rest=r"__\w",
    ),
    _Remedy(
        "the name {head}{tail} has letters of both cases; write it in lower case for a rule, or in "
        "upper case for a terminal",
        before=r"[?!]*(?P<head>[A-Z_]+[A-Z0-9_]*|[a-z_]+[a-z0-9_]*)",
        rest=r"(?P<tail>[A-Za-z]\w*)",
    ),
    _Remedy(
        "a priority is a whole number, as in name.2: …; write one",
        before=r"[?!]*\w+\.-?\d*(?:\.\d*)?",
    ),
    _Remedy(
        "Lark has templates of rules alone; write the name in lower case",
        before=r"[?!]*[A-Z_][A-Z0-9_]*",
        rest=r"\{",
    ),
    _Remedy("{head}" + _NO_COLON, before=r"\s*[?!]*(?P<head>\w+)\s*", message="_COLON"),
    _Remedy("{head}" + _NO_COLON, before=r"\s*(?P<head>\S(?:.*\S)?)\s*", message="missing colon"),
    _Remedy("{here}" + _NO_COLON, message="missing colon"),
    _Remedy("after -> stands a name in lower case; write one", message="Alias expects"),
    _Remedy(
        "{sign} stands after nothing that it could be about; write it after a name, a string, a "
        "pattern or a bracket, or in quotes for the text",
        message="Misplaced operator",
    ),
    _Remedy("an import is written %import common.NAME; write it so", message="%import expects"),
    _Remedy(
        "one line has one colon; write each definition in a line of its own, names without dots, "
        "and texts in quotes",
        message="Unexpected colon",
    ),
    _Remedy("a priority is a whole number, as in NAME.2: …", message="Terminal names cannot"),
    _Remedy('a number is missing, as in "a"~3 or name.2: …; write it', message=r"\* NUMBER"),
    _Remedy(_NO_VALUE, message="Expecting a value|Incorrect type of value"),
    _Remedy("{here} cannot stand here; leave it out, or write it in quotes for the text"),
)


def explain_syntax(message: str, text: str, imports: Mapping[str, str]) -> str | None:
    """Return the sentence for a text that Lark cannot read; ``None`` if it says something else.

    ``imports`` is path → text of what was imported before, the last one last: a grammar is read
    before what it imports.
    """
    found = _AT.search(message)
    if found is None or not _IS_ABOUT_SYNTAX.match(message):
        return None
    of = ""
    if imports:
        path, text = list(imports.items())[-1]
        of = f" of {path}"
    number, column = int(found["line"]), int(found["column"]) - 1
    lines = text.split("\n")
    line = lines[number - 1] if number <= len(lines) else ""
    before, rest = line[max(0, column - _LONGEST) : column], line[column : column + _LONGEST]
    opened = _find_open(text, sum(len(other) + 1 for other in lines[: number - 1]) + column)
    if opened is not None and (not rest.strip() or ":" in before + rest and not before.strip()):
        bracket, at = opened
        return (
            f"line {text.count(chr(10), 0, at) + 1}{of}: its {bracket} is not closed; write "
            f"{_CLOSES[bracket]} at its end, and begin each further line inside of it with |"
        )
    said = _find_remedy(before, rest, message)
    return f"line {number}, column {column + 1}{of}: {said}"


def _find_open(text: str, end: int) -> tuple[str, int] | None:
    opened: list[tuple[str, int]] = []
    for found in _PARTS.finditer(text):
        if found.start() >= end:
            break
        if found["opens"]:
            opened.append((found["opens"], found.start()))
        elif found["closes"] and opened and _CLOSES[opened[-1][0]] == found["closes"]:
            opened.pop()
    return opened[-1] if opened else None


def _find_remedy(before: str, rest: str, message: str) -> str:
    for remedy in _REMEDIES:
        earlier = re.fullmatch(remedy.before or r"[\s\S]*", before)
        later = re.match(remedy.rest, rest)
        if earlier and later and re.search(remedy.message, message):
            words = {**earlier.groupdict(), **later.groupdict()}
            return remedy.sentence.format_map(
                {**words, "here": _quote(rest), "sign": _quote(rest[:1])}
            )
    raise AssertionError("the last row is for all")


def _quote(rest: str) -> str:
    shown = rest.strip()[:_SHOWN]
    return repr(shown) if shown else "the line's end"
