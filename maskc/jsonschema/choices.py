"""What callers choose beside a schema: how a JSON text is written, and which formats are asserted.

Example: ``choose_layout("any", blanks="compact")`` writes no blanks. With ``{"date-time":
"date-time-local", "uri": "annotate"}`` a ``date-time`` has no offset, and a ``uri`` is any string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from maskc.arguments import as_one_of, as_text
from maskc.errors import WrongTypeError, WrongValueError
from maskc.formats import registered
from maskc.jsonschema.formats import NAMES
from maskc.runtime.arguments import as_number
from maskc.runtime.schema.numbers.spellings import SPELLINGS
from maskc.runtime.schema.plan import KEY_ORDERS, MOST_DIGITS, JsonLayout
from maskc.runtime.schema.plan.blanks import BLANKS, Blanks
from maskc.runtime.schema.strings import ESCAPES

# By style: what is legal in JSON, and what models write and strict parsers read.
_LAYOUTS = {
    "any": JsonLayout(),
    "plain": JsonLayout("schema", "compact", "minimal", "short", digits=17),
}
_TREATMENTS = ("assert", "annotate")
# What stands in these is no schema.
_VALUES = frozenset(("const", "enum", "default", "example", "examples"))


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
    usual = _LAYOUTS[as_one_of("style", style, tuple(_LAYOUTS))]
    given = {
        "key_order": (key_order, KEY_ORDERS),
        "escapes": (escapes, ESCAPES),
        "numbers": (numbers, SPELLINGS),
    }
    chosen: dict[str, Any] = {
        name: as_one_of(name, choice, known)
        for name, (choice, known) in given.items()
        if choice is not None
    }
    if blanks is not None:
        chosen["blanks"] = as_text("blanks", blanks)
        try:
            Blanks(chosen["blanks"])
        except ValueError:
            named = ", ".join(BLANKS)
            fact = f"blanks is {chosen['blanks'][:40]!r}; give {named}, or at most N"
            raise WrongValueError(fact) from None
    layout = replace(usual, **chosen)
    n_digits = None if layout.has_exponents else usual.digits
    if digits is not None:
        n_digits = as_number("digits", digits)
        if not 0 < n_digits <= MOST_DIGITS:
            raise WrongValueError(f"digits is {n_digits}; give 1 to {MOST_DIGITS:,}")
    return replace(layout, digits=n_digits)


def choose_formats(given: Any) -> tuple[bool, dict[str, str]]:
    """Return whether formats are asserted, and what single ones are instead.

    Args:
        given: ``assert``, ``annotate``, a mapping from names to these or to other names, or a text
            such as ``date-time=annotate,uri=annotate``.

    Raises:
        WrongTypeError, WrongValueError: it is none of these.
    """
    if isinstance(given, str) and "=" in given:
        pairs = (part.partition("=") for part in given.split(","))
        given = {name.strip(): treatment.strip() for name, _, treatment in pairs}
    if not isinstance(given, Mapping):
        return as_one_of("formats", given, _TREATMENTS) == "assert", {}
    known = {*NAMES, *registered()}
    for name, treatment in given.items():
        if not isinstance(name, str) or not isinstance(treatment, str):
            raise WrongTypeError("formats maps names of formats to texts")
        if name not in known:
            fact = f"formats has {name[:40]!r}, which is not a format that is asserted"
            raise WrongValueError(f"{fact}; give one of {', '.join(sorted(known))}")
        if treatment not in known and treatment not in _TREATMENTS:
            raise WrongValueError(
                f"formats reads {name} as {treatment[:40]!r}; "
                "give assert, annotate or another format"
            )
    return True, {
        name: treatment for name, treatment in given.items() if treatment not in ("assert", name)
    }


def rename_formats(schema: Any, treatments: Mapping[str, str]) -> Any:
    """Return a schema, as parsed JSON, with some formats replaced, or left out.

    >>> rename_formats({"items": {"format": "date"}}, {"date": "annotate"})
    {'items': {}}
    """
    if isinstance(schema, list):
        return [rename_formats(inner, treatments) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        key: inner if key in _VALUES else rename_formats(inner, treatments)
        for key, inner in schema.items()
    }
    treatment = treatments.get(found["format"]) if isinstance(found.get("format"), str) else None
    if treatment == "annotate":
        del found["format"]
    elif treatment is not None:
        found["format"] = treatment
    return found
