"""Where in the texts are the slowest fills?

A position is ranked by the slower of its two fills, cold and warm; both are shown, since a mask
that is slow once and then remembered is another matter than one that is slow each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from maskc.bench.documents import Document
from maskc.bench.timing import Times
from maskc.runtime.artifact import Artifact

N_SLOWEST = 10
N_AROUND = 40  # bytes of text that are shown on either side


@dataclass(frozen=True, slots=True)
class SlowFill:
    """One fill, and where it happened.

    Attributes:
        file: path of the document.
        line: from 1.
        before: the text's last characters before the position.
        token: the text of the token that follows.
        after: the text after that token.
        cold_us: microseconds in the first pass.
        warm_us: microseconds in the second.
    """

    file: str
    line: int
    before: str
    token: str
    after: str
    cold_us: float
    warm_us: float

    @property
    def slower(self) -> str:
        """The pass, ``cold`` or ``warm``, in which it was slower."""
        return "cold" if self.cold_us >= self.warm_us else "warm"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "slower": self.slower}


def find_slowest(
    artifact: Artifact, documents: Sequence[Document], cold: Times, warm: Times
) -> tuple[SlowFill, ...]:
    """Return the slowest fills, slowest first."""
    slower = np.maximum(cold.fill, warm.fill)
    worst = np.argsort(-slower, kind="stable")[:N_SLOWEST]
    first = np.concatenate([[0], np.cumsum(cold.n_taken)])
    found = []
    for position in worst.tolist():
        number = int(np.searchsorted(first, position, side="right")) - 1
        tokens = documents[number].tokens
        here = position - int(first[number])
        written = _join(artifact, tokens[:here])
        found.append(
            SlowFill(
                file=documents[number].name,
                line=written.count(b"\n") + 1,
                before=_show(written[-N_AROUND:]),
                token=_show(_join(artifact, tokens[here : here + 1])),
                after=_show(_join(artifact, tokens[here + 1 : here + 1 + N_AROUND])[:N_AROUND]),
                cold_us=int(cold.fill[position]) / 1000,
                warm_us=int(warm.fill[position]) / 1000,
            )
        )
    return tuple(found)


def _join(artifact: Artifact, tokens: Sequence[int]) -> bytes:
    return b"".join(artifact.token_bytes(token) or b"" for token in tokens)


def _show(text: bytes) -> str:
    """Return a text that may begin or end inside a character."""
    return text.decode("utf-8", "backslashreplace")
