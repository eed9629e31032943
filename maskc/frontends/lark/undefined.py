"""Which name does a grammar use that nothing defines, where, and what can its author do?

Lark names the terminal or rule alone. Many such terminals are of its library ``common``, and only
the import is missing.

Example: ``NAME: LETTER+`` without an import is "terminal LETTER (line 1) is used and nothing
defines it; write %import common.LETTER, or define it".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from lark.load_grammar import stdlib_loader

_UNDEFINED = re.compile(r"Terminal used but not defined: (\w+)|Rule '(\w+)' used but not defined")
_DEFINED = re.compile(r"^([A-Z_][A-Z0-9_]*)(?:\.-?\d+)?\s*:", re.MULTILINE)
# What stands in quotes, between slashes or after // names nothing.
NO_NAME = re.compile(r'"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/|//[^\n]*')


def explain_undefined(message: str, text: str, imports: Mapping[str, str]) -> str | None:
    """Return the message for a name that is not defined; ``None`` if Lark says something else.

    Args:
        message: Lark's.
        text: the grammar's.
        imports: path → text of what it imports.
    """
    found = _UNDEFINED.search(message)
    if found is None:
        return None
    name = found[1] or found[2]
    line, of = _find_line(name, text), ""
    for path, imported in sorted(imports.items()) if line is None else ():
        # Lark puts the file's name in front.
        stem = path.rpartition("/")[2].removesuffix(".lark")
        own = re.sub(rf"^(_?)(?:\w+__)?{re.escape(stem)}__", r"\1", name)
        line = _find_line(own, imported) if own != name else None
        if line is not None:
            name, of = own, f" of {path}"
            break
    if line is not None and not of and re.search(rf"->\s*{name}\b", text.split("\n")[line - 1]):
        return (
            f"-> {name} (line {line}) stands inside of brackets, where it names no alternative; "
            "write it after a whole alternative of the rule"
        )
    kind = "terminal" if name.isupper() else "rule"  # Lark says "Rule" of both
    place = f"{kind} {name} (line {line}{of})" if line else f"{kind} {name}"
    remedy = "define it, or correct its name"
    if name in list_common():
        remedy = f"write %import common.{name}, or define it"
    return f"{place} is used and nothing defines it; {remedy}"


def _find_line(name: str, text: str) -> int | None:
    """Return the first line that uses a name; ``None`` if it is in no text but an imported one."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", NO_NAME.sub(" ", line)):
            return number
    return None


@cache
def list_common() -> frozenset[str]:
    """Return the terminals of Lark's library ``common``."""
    _, text = stdlib_loader(None, "common.lark")
    return frozenset(_DEFINED.findall(text))
