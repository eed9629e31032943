"""What a check reports: a finding."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Severity(Enum):
    """How bad it is: a part of the grammar is lost; it may surprise; it is good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Place:
    """What a finding is about.

    Attributes:
        kind: ``terminal``, ``rule``, ``grammar`` or ``vocabulary``.
        name: the terminal's or the rule's; empty for the other two.
        line: where the grammar's own text defines it, ``None`` if it does not.
    """

    kind: str
    name: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the author of a grammar should know.

    Attributes:
        code: ``ML`` and three digits, one code a check.
        severity: how bad it is.
        place: what it is about.
        fact: what was found, one sentence without its full stop.
        witness: a text or a lexeme that shows it, ``None`` if there is none.
        remedy: what to write instead, one sentence without its full stop.
    """

    code: str
    severity: Severity
    place: Place
    fact: str
    witness: str | None
    remedy: str

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for ``--json``."""
        return asdict(self) | {"severity": self.severity.value}
