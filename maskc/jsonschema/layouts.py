"""The choices of how a JSON text may be written, as callers make them.

Example: ``choose_layout("any", blanks="compact")`` writes no blanks.
"""

from __future__ import annotations

from typing import Any

from maskc.arguments import as_one_of, as_text
from maskc.errors import WrongValueError
from maskc.runtime.schema.plan.blanks import BLANKS, Blanks
from maskc.runtime.schema.plan.plan import ESCAPES, KEY_ORDERS, Layout

# Others are for the arguments of tools only.
_NUMBERS = ("usual", "plain")


# The choices by style: what is legal in JSON, and what models write and strict parsers read.
STYLES = {
    "any": Layout(),
    "plain": Layout(key_order="schema", blanks="compact", escapes="minimal", numbers="plain"),
}


def choose_layout(
    style: Any = "any",
    *,
    key_order: Any = None,
    blanks: Any = None,
    escapes: Any = None,
    numbers: Any = None,
) -> Layout:
    """Return a layout; see :func:`maskc.compile_json_schema`. ``None`` is as the style has it.

    Raises:
        WrongTypeError: a choice is no text.
        WrongValueError: it is none that there is.
    """
    usual = STYLES[as_one_of("style", style, tuple(STYLES))]
    chosen = usual.blanks if blanks is None else as_text("blanks", blanks)
    try:
        Blanks(chosen)
    except ValueError:
        named = ", ".join(BLANKS)
        fact = f"blanks is {chosen[:40]!r}; give {named}, or at most N"
        raise WrongValueError(fact) from None
    return Layout(
        usual.key_order if key_order is None else as_one_of("key_order", key_order, KEY_ORDERS),
        chosen,
        usual.escapes if escapes is None else as_one_of("escapes", escapes, ESCAPES),
        usual.numbers if numbers is None else as_one_of("numbers", numbers, _NUMBERS),
    )
