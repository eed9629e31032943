r"""Which findings does a grammar's text allow, and where?

A comment with ``maskc: allow=ML007`` (several codes with commas) says that the author knows. Among
the first lines, before anything else, it holds for the whole grammar; elsewhere for its own line
and for the one after it.

Example: ``%ignore /[ \t]+/  // maskc: allow=ML007``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from maskc.lint.model import Finding

_ALLOW = re.compile(r"(?://|#|/\*|\(\*).*\bmaskc:.*\ballow=(ML\d{3}(?:,ML\d{3})*)")
_COMMENT = re.compile(r"\s*(?:$|//|#|/\*|\(\*)")


def drop_allowed(findings: Iterable[Finding], text: str) -> list[Finding]:
    """Return the findings that a text does not allow."""
    everywhere: set[str] = set()
    on_line: dict[int, set[str]] = {}
    is_top = True
    for number, line in enumerate(text.splitlines(), 1):
        is_top = is_top and _COMMENT.match(line) is not None
        allowed = _ALLOW.search(line)
        if allowed is None:
            continue
        codes = set(allowed[1].split(","))
        if is_top:
            everywhere |= codes
        else:
            on_line.setdefault(number, set()).update(codes)
            on_line.setdefault(number + 1, set()).update(codes)
    return [
        finding
        for finding in findings
        if finding.code not in everywhere
        and finding.code not in on_line.get(finding.place.line or 0, ())
    ]
