"""The choices of how a JSON text may be written, as callers make them.

Example: ``choose_layout("any", "compact", "any", "usual")`` writes no blanks.
"""

from __future__ import annotations

from typing import Any

from maskc.arguments import as_one_of, as_text
from maskc.errors import WrongValueError
from maskc.runtime.schema.plan.blanks import BLANKS, Blanks
from maskc.runtime.schema.plan.plan import ESCAPES, KEY_ORDERS, Layout

# Others are for the arguments of tools only.
_NUMBERS = ("usual", "plain")


def choose_layout(
    key_order: Any = "any", blanks: Any = "bounded", escapes: Any = "any", numbers: Any = "usual"
) -> Layout:
    """Return a layout; see :func:`maskc.compile_json_schema`.

    Raises:
        WrongTypeError: a choice is no text.
        WrongValueError: it is none that there is.
    """
    chosen = as_text("blanks", blanks)
    try:
        Blanks(chosen)
    except ValueError:
        named = ", ".join(BLANKS)
        fact = f"blanks is {chosen[:40]!r}; give {named}, or at most N"
        raise WrongValueError(fact) from None
    return Layout(
        as_one_of("key_order", key_order, KEY_ORDERS),
        chosen,
        as_one_of("escapes", escapes, ESCAPES),
        as_one_of("numbers", numbers, _NUMBERS),
    )


def takes_formats(formats: Any) -> bool:
    """Return whether ``format`` is asserted; raises as :func:`choose_layout`."""
    return as_one_of("formats", formats, ("assert", "annotate")) == "assert"
