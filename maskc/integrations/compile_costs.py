r"""Is a request so cheap that it is compiled where it is asked for?

An order to another process costs about 1.5 ms when the machine is idle and some more when it is
not, and may wait for others. A schema of a few hundred characters is compiled in 2 ms, a short
pattern in 2, any grammar in 40 or more (llama3, minima of 40 on two shared cores; the other
process: 3.7, 3.4 and 59 ms, with what it costs to look what a pattern's states are). So the first
two are compiled where they are asked for, if nothing in them can make so short a text dear.

Example: ``{"type": "object", "properties": {"a": {"type": "integer"}}}`` is cheap; with a
``"pattern"`` in it, it is not, and neither is ``(a{1,500}){1,500}``.
"""

from __future__ import annotations

import re

_MOST_SCHEMA, _MOST_PATTERN = 1_000, 64  # characters

# What takes more than a look at each of its parts, or brings a pattern or another document.
_DEAR_KEYWORDS = frozenset(
    (
        *("$ref", "$dynamicRef", "$recursiveRef", "$schema", "allOf", "anyOf", "oneOf", "not"),
        *("if", "then", "else", "pattern", "patternProperties", "propertyNames", "format"),
        *("multipleOf", "divisibleBy", "uniqueItems", "contains", "minContains", "maxContains"),
        *("dependencies", "dependentSchemas", "dependentRequired", "extends", "disallow"),
        *("unevaluatedProperties", "unevaluatedItems"),
    )
)
_QUOTED = re.compile(r'"([^"]*)"')
_LARGE_NUMBER = re.compile(r"[0-9]{7}|[0-9][eE]")
_ONE_COUNT = re.compile(r"[^{]*(\{[0-9]{1,2}(,[0-9]{0,2})?\}[^{]*)?")


def is_cheap_schema(text: str) -> bool:
    """Return whether a schema is short and has nothing in it that could make it dear."""
    if len(text) > _MOST_SCHEMA or "\\" in text or _LARGE_NUMBER.search(text):
        return False
    return _DEAR_KEYWORDS.isdisjoint(_QUOTED.findall(text))


def is_cheap_pattern(text: str) -> bool:
    """Return whether a pattern is short, looks at nothing around it and counts once at most."""
    is_plain = len(text) <= _MOST_PATTERN and "(?" not in text
    return is_plain and bool(_ONE_COUNT.fullmatch(text))
