r"""Which blanks did the author mean to ignore, and did not?

A terminal of blanks that no rule holds and that no ``%ignore`` names is left out by Lark, and no
text may have a blank then. Mostly the line ``%ignore WS`` is missing.

Example: ``%import common.WS`` and nothing more.

Only the text itself is looked at: its definitions by a pattern or a string, and what it imports
from Lark's own ``common``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import GrammarSubject

CODE = "ML011"
_IMPORT = re.compile(
    r"^%import[ \t]+common\.(?P<one>\w+)(?:[ \t]*->[ \t]*(?P<as>\w+))?"
    r"|^%import[ \t]+common[ \t]*\((?P<many>[^)]*)\)",
    re.MULTILINE,
)
_COMMON = frozenset(("WS", "WS_INLINE", "NEWLINE", "CR", "LF"))
_DEFINITION = re.compile(
    r"^(?P<name>_?_?[A-Z]\w*)(?:\.-?\d+)?[ \t]*:[ \t]*"
    r"(?P<value>/(?:\\.|[^/\n])+/|\"(?:\\.|[^\"\n])+\")",
    re.MULTILINE,
)
_BLANK = re.compile(r"(?:[ ]|\\[tnrfvs]|[][+*?(){}|:,\d])+")


def find_never_ignored(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each terminal of blanks that is neither used nor ignored."""
    text = subject.text
    if subject.source.translation is not None:
        return
    for name, line in sorted(_list_blanks(text), key=lambda found: found[1]):
        if name in subject.grammar.bnf.terminals or _is_named_elsewhere(text, name):
            continue
        yield Finding(
            CODE,
            Severity.WARNING,
            Place("terminal", name, line),
            f"{name} is made of blanks, and nothing uses or ignores it: where no rule has them, no "
            "blanks may stand",
            None,
            f"write %ignore {name}, or remove it",
        )


def _list_blanks(text: str) -> Iterator[tuple[str, int]]:
    """Yield the terminals of blanks that a text defines or imports, with their lines."""
    for match in _IMPORT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["one"] in _COMMON:
            yield match["as"] or match["one"], line
        for name in re.findall(r"\w+", match["many"] or ""):
            if name in _COMMON:
                yield name, line
    for match in _DEFINITION.finditer(text):
        value = match["value"][1:-1]
        if _BLANK.fullmatch(value) and re.search(r" |\\[tnrfvs]", value):
            yield match["name"], text.count("\n", 0, match.start()) + 1


def _is_named_elsewhere(text: str, name: str) -> bool:
    bare = re.sub(r"//[^\n]*", "", text)
    return len(re.findall(rf"\b{re.escape(name)}\b", bare)) > 1
