"""Checks whether a text is one of an artifact's, and finds the first byte that is not.

The masks' machine reads it, which takes a microsecond a byte; only what is refused is explained.

Example: ``[1,]`` of json has a problem at line 1, column 4: the parser takes a value there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskc.explain.model import Explanation
from maskc.kinds import kind_of
from maskc.runtime.artifact import Artifact


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
    kind = kind_of(artifact.header)
    for whole in (text, *[text[:-1]] * text.endswith(b"\n")):
        matcher = artifact.matcher()
        if kind.accepts(artifact, matcher, whole) and matcher.is_accepting:
            return None
    explanation = kind.explain(artifact, text, None, resources)
    offset = len(text) if explanation.death is None else explanation.death.offset
    line, column = line_and_column_of(text, offset)
    return Problem(offset, line, column, explanation)


def line_and_column_of(text: bytes, offset: int) -> tuple[int, int]:
    r"""Return the line and the column of a byte, from 1 on; columns are characters.

    >>> line_and_column_of("a\nöb".encode(), 4)
    (2, 2)
    """
    before = text[:offset]
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode(errors="replace")) + 1
