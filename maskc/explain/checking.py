"""Is a text one of an artifact's, and if not, from where on?

The masks' machine reads it, which takes a microsecond a byte; only what is refused is explained.

Example: ``[1,]`` of json has a problem at line 1, column 4: the parser takes a value there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskc.artifact.sections import is_link
from maskc.explain.dispatch import explain_any
from maskc.explain.model import Explanation
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.plan.replies import accept_reply, names_of
from maskc.runtime.matcher import Matcher


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a text stops being one that the artifact allows.

    Attributes:
        offset: how many bytes are fine: all of them, if the text ends too early.
        line, column: the same in lines and characters, from 1 on.
        explanation: what is wrong; without a death, the text ends too early.
    """

    offset: int
    line: int
    column: int
    explanation: Explanation[Any]


def find_problem(
    artifact: Artifact, text: bytes, resources: Mapping[str, Any] | None = None
) -> Problem | None:
    """Return where a text is wrong, ``None`` if it is right from start to end.

    A line break at the end, which editors write, may be there or not.

    Raises:
        GrammarError, PostlexError: the grammar of the artifact cannot be built again.
        SchemaError: the schema refers to a document that is not given.
    """
    matcher = artifact.matcher()
    if _read(artifact, matcher, text) and matcher.is_accepting:
        return None
    if text.endswith(b"\n"):
        shorter = artifact.matcher()
        if _read(artifact, shorter, text[:-1]) and shorter.is_accepting:
            return None
    explanation = explain_any(artifact, text, None, resources)
    offset = len(text) if explanation.death is None else explanation.death.offset
    line, column = place_of(text, offset)
    return Problem(offset, line, column, explanation)


def place_of(text: bytes, offset: int) -> tuple[int, int]:
    r"""Return the line and the column of a byte, from 1 on; columns are characters.

    >>> place_of("a\nöb".encode(), 4)
    (2, 2)
    """
    before = text[:offset]
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode(errors="replace")) + 1


def _read(artifact: Artifact, matcher: Matcher, text: bytes) -> bool:
    """Return whether a matcher takes a text; names of special tokens in a tag's are tokens."""
    if not is_link(artifact.header):
        return matcher.accept_bytes(text)
    reply = text.decode(errors="surrogateescape")
    return accept_reply(matcher, reply, names_of(artifact.header)) == len(reply)
