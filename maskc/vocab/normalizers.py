"""Tells whether a ``tokenizer.json`` changes texts before it encodes them.

A *normalizer* does: NFKC makes ``ﬁ`` two letters, ``Lowercase`` loses capitals. It does not touch
what tokens write, so masks are exact whatever it is; but the model has never written some texts,
and a prompt is not what was typed. So a user is told.

Example: of ``{"normalizer": {"type": "NFKC"}}`` it is said that ``NFKC`` changes texts. Steps that
only put a blank in front, or write blanks as ``▁``, change nothing that can be seen.
"""

from __future__ import annotations

from typing import Any

from maskc.vocab.files import TokenizerFile
from maskc.vocab.piece_decoder import LOWER_BAR

_MOST_NAMED = 5


def describe_normalizer(file: TokenizerFile) -> tuple[str, ...]:
    """Return the sentence that names the steps which change texts; none if none does."""
    names: list[str] = []
    pending = [file.contents.get("normalizer")]
    while pending:
        match pending.pop():
            case {"type": "Sequence", "normalizers": list(steps)}:
                pending += reversed(steps)
            case {"type": "Replace", "pattern": {"String": " "}, "content": str(new)} if (
                new == LOWER_BAR
            ):
                pass
            case {"type": "Prepend"}:
                pass
            case dict() as step:
                names.append(_name(step))
    if not names:
        return ()
    named = ", ".join(dict.fromkeys(names[:_MOST_NAMED])) + ", …" * (len(names) > _MOST_NAMED)
    return (
        f"its normalizer ({named}) changes texts before they are encoded; "
        "masks are of what tokens write, which it leaves alone",
    )


def _name(step: dict[Any, Any]) -> str:
    return str(step.get("type"))[:20]
