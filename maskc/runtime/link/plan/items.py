"""What stands one after the other in a text: constants, expressions, and what is made later.

Example: a call is the constant ``{"name": "f", "arguments": ``, a schema that is compiled when the
name has been written, and the constant ``}``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.text.markers import Word


@dataclass(frozen=True, slots=True)
class Constant:
    """One of some words of symbols, none empty."""

    words: tuple[Word, ...]


class Late:
    """An expression that is made when it is needed."""

    def __init__(self, make: Callable[[], Expression]) -> None:
        self.make = make


Item = Expression | Constant | Late
