"""How many tokens finish a text that is linked of pieces at least?

Where an automaton reads what is open, tokens are followed through it and through all that must
follow (:mod:`maskc.runtime.ending.link.pushing`); what finishes a JSON text is known
(:mod:`maskc.runtime.ending.json.least`). Where a piece is a grammar or has counted loops, nothing
more is said.

Example: after ``{"name": "offer", "parameters": {}`` in a call of a tool llama3 needs two tokens,
``}`` and the end of sequence.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from maskc.runtime.ending.json.any_json import JsonPrices
from maskc.runtime.ending.link.frontiers import Frontier, begin
from maskc.runtime.ending.link.pushing import Pushing
from maskc.runtime.ending.link.relations import as_start
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.link.joining.atoms import StopPiece, TokenPiece
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.joints import Joints
from maskc.runtime.link.joining.pieces import AutomatonPiece, Link, SchemaPiece
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.machine import Hypotheses
from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.tries.trie import ROOT

_ENTRY_BYTES = 300
_MOST_REMEMBERED = 20_000


class LinkLeast:
    """The least numbers of tokens of a link's texts.

    Args:
        paths: the tokens.
        joints: of the texts.
        prices: of JSON texts.
    """

    def __init__(self, paths: TokenPaths, joints: Joints, prices: JsonPrices) -> None:
        self._pushing = Pushing(paths, joints, prices)
        self._known: dict[Hashable, int] = {}

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self._pushing.n_bytes + _ENTRY_BYTES * len(self._known)

    def tokens(self, hypotheses: Hypotheses) -> int:
        """Return a number of tokens, the end of sequence included, that fewer do not suffice."""
        return 1 + min(map(self._count, hypotheses))

    def _count(self, link: Link) -> int:
        """Return how many tokens begin at least until the text may end."""
        opened = open_json(link)
        if opened is not None:
            return self._pushing.open_json(*opened, link.rest)
        piece, inner, rest = link
        if isinstance(piece, LimitedPiece):
            inner = as_start(piece.automaton, inner.state)
        elif isinstance(piece, AutomatonPiece):
            inner = as_start(piece.automaton, inner)
        elif not isinstance(piece, TokenPiece | StopPiece):
            return 0
        key = (piece, inner, rest)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            known = self._known[key] = self._find(piece, inner, rest)
        return known

    def _find(self, piece: Any, inner: int, rest: Rest) -> int:
        if isinstance(piece, AutomatonPiece | LimitedPiece):
            frontier = self._pushing.leave(piece, inner, rest)
        else:
            # It is between two tokens, and perhaps one must come.
            frontier = begin([ROOT])
            if not piece.has_ended(inner):
                frontier = Frontier(frontier.rows, frontier.nodes, np.ones(1, dtype=np.int32))
        return int(self._pushing.finish(frontier, rest, 1)[0])


def open_json(link: Link) -> tuple[SchemaPiece, Configuration] | None:
    """Return the JSON text that a hypothesis has open."""
    piece, inner, _ = link
    if isinstance(piece, BarredSchemaPiece):
        return piece.piece, inner.schema
    return (piece, inner) if isinstance(piece, SchemaPiece) else None
