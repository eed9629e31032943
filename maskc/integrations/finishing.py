"""Is a request's text to end within its ``max_tokens``?

An engine cuts a text off when it has so many tokens. With ``MASKC_MAX_TOKENS=finish`` masks of a
request have only tokens after which the text can still be finished in those that are left; with
``asked`` those of requests that say so, by ``"maskc_finish": "true"`` among the fields that the
engine keeps for extensions. Nothing else changes: ``cut`` is the default.

Example: with 20 tokens left JSON may open a string, and with 2 left after ``[[1`` it may only be
closed by ``]]``.

Source: :mod:`maskc.runtime.budget`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from maskc.errors import ArtifactError

VARIABLE = "MASKC_MAX_TOKENS"
FIELD = "maskc_finish"

_SETTINGS = ("cut", "asked", "finish")


@dataclass(frozen=True, slots=True)
class Allowance:
    """The tokens that a request may take in all.

    Attributes:
        max_tokens: how many, the end of sequence included.
        count: returns how many the engine has of the request so far: a text may begin after
            thoughts, which nobody tells a grammar of. It is asked once, with the first mask.
    """

    max_tokens: int
    count: Callable[[], int]


def read_setting() -> str:
    """Return what the operator wants: ``cut``, ``asked`` or ``finish``.

    Raises:
        ArtifactError: ``MASKC_MAX_TOKENS`` is something else.
    """
    given = os.environ.get(VARIABLE, _SETTINGS[0])
    if given not in _SETTINGS:
        raise ArtifactError(
            VARIABLE, f"{given!r} is unknown", f"choose one of {', '.join(_SETTINGS)}"
        )
    return given


def finishes(fields: Mapping[str, object] | None) -> bool:
    """Return whether a request's text is to end within its tokens.

    Raises:
        ArtifactError: the operator's setting is wrong.
    """
    setting = read_setting()
    if setting == "asked":
        asked = (fields or {}).get(FIELD)
        return asked is True or asked == 1 or asked == "true"
    return setting == "finish"
