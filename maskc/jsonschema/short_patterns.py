r"""Patterns of ECMA-262 as a regular language: for keys, and beside other patterns and lengths.

The format ``regex`` is read by a reader (:mod:`maskc.formats.ecma`), which an automaton of keys
cannot be joined with. Where the format stands for keys, or beside a pattern or a length, this
smaller language takes its place. Each of its strings is a pattern:

- groups and look-arounds up to two levels deep, without names, and no back-references;
- in a class, a range begins with a letter or a digit and ends with one of the same kind, or is of
  printable ASCII, ``!-~``, or of blanks and all of it, `` -~``;
- no ``\p{…}``, ``\u{…}``, ``\c`` and ``\0``; counts ``{n}`` and ``{n,}``, and ``{m,n}`` with one
  digit and a greater number.

Example: ``^x-[a-z]+(\.[a-z]{2,10})?$`` is one; ``(((a)))`` is none here.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase, digits

from maskc.jsonschema.patterns import build_whole
from maskc.runtime.schema.strings.characters import CharDfa

_DEPTH = 2
_SIGNS = r"\^$\\.*+?()[\]{}|/"
_HEX = "[0-9a-fA-F]"
_ESCAPED = rf"x{_HEX}{{2}}|u{_HEX}{{4}}|[dDsSwWfnrtv{_SIGNS}]"
_RANGES = " -~|!-~|" + "|".join(
    f"{first}-[{first}-{kind[-1]}]"
    for kind in (digits, ascii_lowercase, ascii_uppercase)
    for first in kind
)
_ITEM = rf"[^\\\]\-^]|\\(?:{_ESCAPED}|[b\-])|{_RANGES}"
_CLASS = rf"\[\^?-?(?:{_ITEM})?(?:{_ITEM}|\^)*-?\]"
_ATOM = rf"[^{_SIGNS}]|/|\.|\\(?:{_ESCAPED})|{_CLASS}"
_GREATER = "|".join([*(f"{low},[{low}-9]" for low in range(10)), "[0-9],[1-9][0-9]+"])
_QUANTIFIER = rf"(?:[*+?]|\{{(?:[0-9]+,?|{_GREATER})\}})\??"


def _pattern(depth: int) -> str:
    """Return the pattern of those with so many groups inside each other."""
    atom, assertion = _ATOM, r"[$^]|\\[bB]"
    if depth:
        inner = _pattern(depth - 1)
        atom += rf"|\((?:\?:)?{inner}\)"
        assertion += rf"|\(\?<?[=!]{inner}\)"
    return f"(?:{assertion}|\\||(?:{atom})(?:{_QUANTIFIER})?)*"


@lru_cache(maxsize=1)
def build_patterns() -> CharDfa:
    return build_whole(_pattern(_DEPTH))
