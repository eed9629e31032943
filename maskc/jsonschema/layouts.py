"""The choices of how a JSON text may be written, as callers make them.

Example: ``choose_layout("any", blanks="compact")`` writes no blanks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from maskc.arguments import as_one_of, as_text
from maskc.errors import WrongValueError
from maskc.runtime.arguments import as_count
from maskc.runtime.schema.numbers.spellings import SPELLINGS
from maskc.runtime.schema.plan import KEY_ORDERS, MOST_DIGITS, JsonLayout
from maskc.runtime.schema.plan.blanks import BLANKS, Blanks
from maskc.runtime.schema.strings import ESCAPES

# The choices by style: what is legal in JSON, and what models write and strict parsers read.
STYLES = {
    "any": JsonLayout(),
    "plain": JsonLayout("schema", "compact", "minimal", "short", digits=17),
}


def choose_layout(
    style: Any = "any",
    *,
    key_order: Any = None,
    blanks: Any = None,
    escapes: Any = None,
    numbers: Any = None,
    digits: Any = None,
) -> JsonLayout:
    """Return a layout; see :func:`maskc.compile_json_schema`. ``None`` is as the style has it.

    Raises:
        WrongTypeError: a choice is not a text.
        WrongValueError: it is none that there is.
    """
    usual = STYLES[as_one_of("style", style, tuple(STYLES))]
    if key_order is blanks is escapes is numbers is digits is None:
        return usual
    chosen = usual.blanks if blanks is None else as_text("blanks", blanks)
    try:
        Blanks(chosen)
    except ValueError:
        named = ", ".join(BLANKS)
        fact = f"blanks is {chosen[:40]!r}; give {named}, or at most N"
        raise WrongValueError(fact) from None
    chosen_numbers = usual.numbers if numbers is None else as_one_of("numbers", numbers, SPELLINGS)
    layout = JsonLayout(
        usual.key_order if key_order is None else as_one_of("key_order", key_order, KEY_ORDERS),
        chosen,
        usual.escapes if escapes is None else as_one_of("escapes", escapes, ESCAPES),
        chosen_numbers,
    )
    if digits is None:
        return layout if layout.has_exponents else replace(layout, digits=usual.digits)
    n_digits = as_count("digits", digits)
    if not 0 < n_digits <= MOST_DIGITS:
        raise WrongValueError(f"digits is {n_digits}; give 1 to {MOST_DIGITS:,}")
    return replace(layout, digits=n_digits)
