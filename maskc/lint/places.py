r"""On which line does a grammar's text define a terminal or a rule, and what does it define?

Lark names what it makes of a rule after the rule: ``__list_star_0`` is the first starred part of
``list``, and ``_sep{value,COMMA}`` an instance of the template ``_sep``. The place of both is the
rule's. A string that stands in a rule has the place of its first occurrence.

Only the text itself is searched, not what it imports; definitions are found by their look, a name
and a colon at the start of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DEFINITION = re.compile(
    r"^(?:%(?:override|extend)\s+)?[?!]*(_?_?[a-zA-Z][a-zA-Z0-9_]*)"
    r"(?P<parameters>\{[^}]*\})?(?:\.-?\d+)?[ \t]*:",
    re.MULTILINE,
)
_TRANSLATED = re.compile(r"^[ \t]*([A-Za-z_][\w.-]*)[ \t]*::=", re.MULTILINE)
_SKIPPED = re.compile(
    r"""//[^\n]*|\#[^\n]*|"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/""", re.VERBOSE
)
_WORD = re.compile(r"_?_?[a-zA-Z][a-zA-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that the text defines.

    Attributes:
        name: a rule's or a terminal's.
        line: from 1.
        is_template: it has parameters.
        is_used: the text names it in another definition, or imports or ignores it.
    """

    name: str
    line: int
    is_template: bool
    is_used: bool


def find_definitions(text: str) -> dict[str, Definition]:
    """Return name → definition, in the order of the text."""
    # What is skipped keeps its line breaks, and no word is left in it.
    bare = _SKIPPED.sub(lambda m: " " * len(m[0]), text)
    names: dict[str, tuple[int, bool]] = {}
    own: dict[str, set[int]] = {}
    bounds: list[tuple[int, str]] = []
    for match in _DEFINITION.finditer(bare):
        line = bare.count("\n", 0, match.start()) + 1
        names.setdefault(match[1], (line, match["parameters"] is not None))
        own.setdefault(match[1], set()).add(match.start(1))
        bounds.append((match.start(), match[1]))
    used: set[str] = set()
    inside, position = "", 0
    for word in _WORD.finditer(bare):
        while position < len(bounds) and bounds[position][0] <= word.start():
            inside = bounds[position][1]
            position += 1
        start_of_line = bare.rfind("\n", 0, word.start()) + 1
        is_own = word.start() in own.get(word[0], ())
        is_named_by_statement = bare[start_of_line : start_of_line + 1] == "%" and not is_own
        if is_named_by_statement or word[0] != inside:
            used.add(word[0])
    return {
        name: Definition(name, line, is_template, name in used)
        for name, (line, is_template) in names.items()
    }


def find_translated_definitions(text: str) -> dict[str, Definition]:
    """Return name → definition of a text in GBNF or EBNF, in which rules are all there is."""
    found: dict[str, Definition] = {}
    for match in _TRANSLATED.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        found.setdefault(match[1], Definition(match[1], line, is_template=False, is_used=True))
    return found


def find_line(text: str, name: str, definitions: dict[str, Definition]) -> int | None:
    """Return the line of a definition, or of the first occurrence of a string in quotes."""
    if name in definitions:
        return definitions[name].line
    if name.startswith('"') and (index := text.find(name)) >= 0:
        return text.count("\n", 0, index) + 1
    return None
