"""Remedies for grammar texts that Lark cannot read.

Lark says the line, the column and which of its own tokens it had expected. The table here looks at
what stands before the column and after it; first come brackets that are open there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

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
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LONGEST = 200  # characters of a line before a position and after it that are looked at
_SHOWN = 20  # characters of what stands at the position


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
            f"{_CLOSING[bracket]} at its end, and begin each further line inside of it with |"
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
        elif found["closes"] and opened and _CLOSING[opened[-1][0]] == found["closes"]:
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
