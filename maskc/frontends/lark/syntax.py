"""What is wrong in a grammar's text that Lark cannot read, where, and what can its author do?

Lark says the line, the column and which of its own tokens it had expected. Here what stands there
is looked at, and the brackets that are open before it.

Example: for ``start: ("a" | "b"`` Lark expects one of ``* _RPAR`` at line 1, column 18, and this
says "line 1: its ( is not closed; write ) after it, and begin each further line inside with |".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

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
_LONGEST = 200  # characters of a line before a place and after it that are looked at
_SHOWN = 20  # characters of what stands at the place
_DIRECTIVES = "%ignore, %import, %declare, %override and %extend"
_NOTATIONS = "in a file with the suffix .gbnf or .ebnf it is read as such"


def explain_syntax(message: str, text: str, imports: Mapping[str, str]) -> str | None:
    """Return the message for a text that Lark cannot read; ``None`` if it says something else.

    Args:
        message: Lark's.
        text: the grammar's.
        imports: path → text of what was imported before, the last one last: a grammar is read
            before what it imports.
    """
    found = _AT.search(message)
    if found is None or not _IS_ABOUT_SYNTAX.match(message):
        return None
    of = ""
    if imports:
        path, text = list(imports.items())[-1]
        of = f" of {path}"
    number = int(found["line"])
    lines = text.split("\n")
    line = lines[number - 1] if number <= len(lines) else ""
    column = int(found["column"]) - 1
    before, rest = line[max(0, column - _LONGEST) : column], line[column : column + _LONGEST]
    opened = _find_open(text, sum(len(other) + 1 for other in lines[: number - 1]) + column)
    if opened is not None and (not rest.strip() or ":" in before + rest and not before.strip()):
        bracket, at = opened
        return (
            f"line {text.count(chr(10), 0, at) + 1}{of}: its {bracket} is not closed; write "
            f"{_CLOSING[bracket]} at its end, and begin each further line inside of it with |"
        )
    for explain in (_explain_character, _explain_definition, _explain_phrase):
        said = explain(before, rest, message)
        if said is not None:
            return f"line {number}, column {column + 1}{of}: {said}"
    return (
        f"line {number}, column {column + 1}{of}: {_quote(rest)} cannot stand here; leave it out, "
        "or write it in quotes for the text"
    )


def _find_open(text: str, end: int) -> tuple[str, int] | None:
    """Return the last bracket that is open at a place, and where it is."""
    opened: list[tuple[str, int]] = []
    for found in _PARTS.finditer(text):
        if found.start() >= end:
            break
        if found["opens"]:
            opened.append((found["opens"], found.start()))
        elif found["closes"] and opened and _CLOSING[opened[-1][0]] == found["closes"]:
            opened.pop()
    return opened[-1] if opened else None


def _explain_character(before: str, rest: str, message: str) -> str | None:
    """Explain a character with which no token of Lark's begins, or that closes nothing."""
    if re.match(r"""["/]""", rest) and not message.startswith("Unexpected input"):
        return None  # it is closed
    known: tuple[tuple[str, str], ...] = (
        ('"', 'the string that begins here is not closed; write " at its end, and \\" for " in it'),
        (
            "/",
            "the pattern that begins here is not closed; write / at its end, and \\/ for / in it",
        ),
        ("'", "a string stands between double quotes; write \", not '"),
        (":=", f"a definition is written name: …, without =; {_NOTATIONS}"),
        ("=", f"a definition is written name: …, without =; {_NOTATIONS}"),
        (";", "a rule ends with its line; leave the ; out"),
        ("\ufeff", "the text begins with a byte order mark; save it without one"),
    )
    for character, said in known:
        if rest.startswith(character):
            return said
    if rest[:1] in {")", "]", "}"}:
        return f"the {rest[0]} closes nothing that is open; leave it out, or open it before"
    directive = re.match(r"%\w*", rest)
    if directive and directive[0] not in _DIRECTIVES:
        return f"{directive[0]} is no directive; there are {_DIRECTIVES}"
    if re.match(r"__\w", rest) and not before.strip():
        return "Lark keeps names that begin with two underscores for itself; write one"
    return None


def _explain_definition(before: str, rest: str, _: str) -> str | None:
    """Explain what is wrong in the head of a definition."""
    if re.fullmatch(r"[?!]*[A-Z_]+[A-Z0-9_]*|[?!]*[a-z_]+[a-z0-9_]*", before) and re.match(
        r"[A-Za-z]", rest
    ):
        name = before.lstrip("?!") + str(re.match(r"\w+", rest)[0])  # type: ignore[index]
        return (
            f"the name {name} has letters of both cases; write it in lower case for a rule, or in "
            "upper case for a terminal"
        )
    if re.fullmatch(r"[?!]*\w+\.-?\d*(?:\.\d*)?", before) or re.fullmatch(r"\w+\.", before):
        return "a priority is a whole number, as in name.2: …; write one"
    if re.fullmatch(r"[?!]*[A-Z_][A-Z0-9_]*", before) and rest.startswith("{"):
        return "Lark has templates of rules alone; write the name in lower case"
    return None


def _explain_phrase(before: str, rest: str, message: str) -> str | None:
    """Explain what Lark says in a phrase of its own, or by what it had expected."""
    head = re.match(r"\s*[?!]*(\w+)\s*$", before)
    known: tuple[tuple[str, Callable[[], str]], ...] = (
        (
            "missing colon",
            lambda: (
                f"{before.strip() or _quote(rest)} begins a definition, and no colon follows "
                "it; write name: …, or begin a line that goes on with |"
            ),
        ),
        ("Alias expects", lambda: "after -> stands a name in lower case; write one"),
        (
            "Misplaced operator",
            lambda: (
                f"{_quote(rest[:1])} stands after nothing that it could be about; write it "
                "after a name, a string, a pattern or a bracket, or in quotes for the text"
            ),
        ),
        ("%import expects", lambda: "an import is written %import common.NAME; write it so"),
        (
            "Unexpected colon",
            lambda: (
                "one line has one colon; write each definition in a line of its own, names "
                "without dots, and texts in quotes"
            ),
        ),
        ("Terminal names cannot", lambda: "a priority is a whole number, as in NAME.2: …"),
        (
            "* NUMBER",
            lambda: 'a number is missing, as in "a"~3 or name.2: …; write it',
        ),
        (
            "Expecting a value",
            lambda: (
                f"a name, a string or a pattern has to stand here, and not {_quote(rest)}; "
                "write one, in quotes for the text"
            ),
        ),
        (
            "Incorrect type of value",
            lambda: (
                f"a name, a string or a pattern has to stand here, and not {_quote(rest)}; "
                "write one, in quotes for the text"
            ),
        ),
    )
    if head and "_COLON" in message:
        return (
            f"{head[1]} begins a definition, and no colon follows it; write name: …, or begin a "
            "line that goes on with |"
        )
    for phrase, explain in known:
        if phrase in message:
            return explain()
    return None


def _quote(rest: str) -> str:
    shown = rest.strip()[:_SHOWN]
    return repr(shown) if shown else "the line's end"
