"""What is known of the text at a place of a schema or a link, before anything is searched for?

What finishes it is written down (:mod:`maskc.runtime.ending.json.short_values`,
:mod:`maskc.runtime.ending.link.texts`), and how many tokens that takes is bounded from below
(:mod:`maskc.runtime.ending.json.least`, :mod:`maskc.runtime.ending.link.least`). Of a JSON text it
is bounded from above as well, whatever token comes first
(:mod:`maskc.runtime.ending.json.enough`).

Example: inside ``<tool_call>{"name": `` the JSON text that is open is the call's, and what finishes
it is followed by ``</tool_call>``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskc.runtime.ending.json.any_json import JsonPrices
from maskc.runtime.ending.json.enough import Enough
from maskc.runtime.ending.json.least import JsonLeast
from maskc.runtime.ending.json.short_values import ShortValues
from maskc.runtime.ending.link.least import LinkLeast, open_json
from maskc.runtime.ending.link.texts import LinkTexts, Written, shortest, size_of
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.link.joining.pieces import Link
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import DEPTH, Configuration
from maskc.runtime.schema.plan.plan import Plan

_GREED = 3  # how much more what is left counts than what was read
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


class TextBounds:
    """Bounds of the texts of one machine.

    Args:
        machine: of a schema, or of a link; of others nothing is known.
        paths: the tokens.
    """

    def __init__(self, machine: Machine[Any], paths: TokenPaths) -> None:
        self._machine, self._paths = machine, paths
        self._short: dict[Plan, ShortValues] = {}
        self._enough: dict[Plan, Enough] = {}
        self._prices = JsonPrices(paths)
        self._json: JsonLeast | None = None
        self._link: LinkLeast | None = None
        self._texts = LinkTexts(self._values_of)
        if isinstance(machine, LinkMachine):
            self._link = LinkLeast(paths, machine.joints, self._prices)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered of what texts cost."""
        known = self._prices.n_bytes + self._texts.n_bytes
        known += self._link.n_bytes if self._link else 0
        return known + (self._json.n_bytes if self._json else 0)

    def least(self, hypotheses: Hypotheses) -> int:
        """Return how many tokens finish a text at least, as far as that is known."""
        if self._link is not None:
            return self._link.tokens(hypotheses)
        if not isinstance(self._machine, SchemaMachine):
            return 0
        if self._json is None:
            plan = self._machine.plan
            usual = self._prices.usual(plan.blanks, frozenset())
            finish = np.zeros(len(usual.joints.after), dtype=np.int32)
            self._json = JsonLeast(plan, usual, lambda _: finish)
        return self._json.tokens(hypotheses[0])

    def text(self, hypotheses: Hypotheses) -> Written | None:
        """Return a short text that finishes another one, as far as one is known."""
        if isinstance(self._machine, LinkMachine):
            return shortest(map(self._texts.finish, hypotheses))
        opened = self._find(hypotheses)
        return opened and (self._values_of(opened.plan).rest(opened.here),)

    def length(self, hypotheses: Hypotheses) -> int | None:
        """Return about how many bytes finish a text; ``None``: nothing is known."""
        opened = self._find(hypotheses)
        n_json = 0 if opened is None else self._values_of(opened.plan).length(opened.here)
        if not isinstance(self._machine, LinkMachine):
            return None if opened is None else _GREED * n_json
        first: Any = hypotheses[0]
        written = self._texts.finish(first) if opened is None else self._texts.rest(first.rest)
        return None if written is None else _GREED * n_json + size_of(written)

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
        return None if opened is None else opened.here.nodes[0][DEPTH]

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
        opened = open_json(first) if isinstance(first, Link) else None
        if opened is None:
            return None
        piece, inner = opened
        return _Opened(
            piece.machine.plan, inner, is_barred=isinstance(first.piece, BarredSchemaPiece)
        )
