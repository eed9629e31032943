"""What is known of the JSON text that is open at a place, before anything is searched for.

A place of a schema's machine, or of a link inside one of its schemas, has a JSON text open. What
finishes it is written down (:mod:`maskc.runtime.ending.short_values`), and bounded from above
whatever token comes first (:mod:`maskc.runtime.ending.enough`).

Example: inside ``<tool_call>{"name": `` the text that is open is the call's, and what follows
``</tool_call>`` is left to the search for a way out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from maskc.runtime.ending.enough import Enough
from maskc.runtime.ending.paths import TokenPaths
from maskc.runtime.ending.short_values import ShortValues
from maskc.runtime.link.joining.pieces import Link, SchemaPiece
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.plan.plan import Plan

_MOST_ESCAPED = 6  # bytes of a character, in the place of one


class _Opened(NamedTuple):
    """What is open of a JSON text.

    Attributes:
        plan: of its schema.
        here: where it is.
        is_barred: whether some words do not stand in it as they are.
    """

    plan: Plan
    here: Configuration
    is_barred: bool


class JsonBounds:
    """Bounds of the JSON texts of one machine.

    Args:
        machine: of a schema, or of a link; others have no such texts.
        paths: the tokens.
    """

    def __init__(self, machine: Machine[Any], paths: TokenPaths) -> None:
        self._machine, self._paths = machine, paths
        self._short: dict[Plan, ShortValues] = {}
        self._enough: dict[Plan, Enough] = {}

    def values(self, hypotheses: Hypotheses) -> tuple[ShortValues, Configuration] | None:
        """Return the short texts of the schema of what is open, and where that is."""
        opened = self._find(hypotheses)
        return None if opened is None else (self._values_of(opened.plan), opened.here)

    def enough(self, hypotheses: Hypotheses, n_openings: int | None) -> int | None:
        """Return how many tokens finish the JSON text after any token; ``None``: unknown.

        Args:
            hypotheses: before the token.
            n_openings: brackets that it opens at most; ``None``: any number.
        """
        opened = self._find(hypotheses)
        if opened is None or len(hypotheses) > 1:
            return None
        enough = self._enough.get(opened.plan)
        if enough is None:
            enough = Enough(opened.plan, self._values_of(opened.plan), self._paths)
            self._enough[opened.plan] = enough
        most = enough.n_openings if n_openings is None else n_openings
        found = enough.tokens(opened.here, most)
        return found if found is None or not opened.is_barred else _MOST_ESCAPED * found

    def depth(self, hypotheses: Hypotheses) -> int | None:
        """Return how many brackets of the JSON text are open; ``None``: there is none."""
        opened = self._find(hypotheses)
        return None if opened is None else opened.here.nodes[0].depth

    def _values_of(self, plan: Plan) -> ShortValues:
        values = self._short.get(plan)
        if values is None:
            values = self._short[plan] = ShortValues(plan, self._paths.filler)
        return values

    def _find(self, hypotheses: Hypotheses) -> _Opened | None:
        """Return what is open of a JSON text."""
        first: Any = hypotheses[0]
        if isinstance(self._machine, SchemaMachine):
            return _Opened(self._machine.plan, first, is_barred=False)
        if not isinstance(first, Link):
            return None
        piece, inner, _ = first
        if isinstance(piece, BarredSchemaPiece):
            return _Opened(piece.piece.machine.plan, inner.schema, is_barred=True)
        if isinstance(piece, SchemaPiece):
            return _Opened(piece.machine.plan, inner, is_barred=False)
        return None
