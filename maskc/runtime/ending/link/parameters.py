"""What do parameters cost in tokens that come in any order, each once?

A parameter begins and ends where others do: few nodes of the tokens' trie are told apart there. So
it is a small matrix of (min, +), and parameters that must come are put in the order that costs
least, as the members of a JSON object are (:mod:`maskc.runtime.ending.json.orders`). Of those that
need not come, one stands for all: it has the texts that all begin and end with, and anything in
between.

Example: with llama3 ``</parameter>`` and ``<parameter=`` after it have no token in common but for
``>`` and ``<``; each parameter costs the same wherever it comes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from maskc.runtime.ending.json.joints import NEVER, Prices, star, times
from maskc.runtime.ending.json.orders import Orders
from maskc.runtime.ending.link.frontiers import (
    ANYWHERE,
    Frontier,
    begin,
    count_rows,
    forget,
    unite,
)
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.plan.items import Constant
from maskc.runtime.link.plan.members import Members, Parameters
from maskc.runtime.link.text.markers import ATOM
from maskc.runtime.schema.machine.variety import list_bits
from maskc.runtime.schema.tries.trie import ROOT

_MOST_NODES = 40  # at which parameters begin and end
_OTHER = -1

# Pushes a frontier through an expression, before some bytes.
Push = Callable[[Expression, Frontier, frozenset[int] | None], Frontier]


class ParameterCosts:
    """The costs of one tool's parameters, before what may follow them.

    Args:
        parameters: all of them.
        first: bytes with which another one, or what follows them, may begin; ``None``: any.
        push: pushes a frontier through an expression.
    """

    def __init__(self, parameters: Parameters, first: frozenset[int] | None, push: Push) -> None:
        self._parameters, self._first, self._push = parameters, first, push
        self.nodes = [ROOT]
        self._rows: dict[tuple[int, int], dict[int, int]] = {}
        self._ends: dict[tuple[int, int], Prices] = {}
        self._relaxed: Expression | None = None
        self._numbers: list[int | None] = [*list_bits(parameters.counts.possible)]
        self._numbers += [None] if parameters.counts.has_others else []

    def pass_all(self, members: Members, frontier: Frontier) -> Frontier:
        """Return where tokens are after all parameters that must come, and any others.

        Args:
            members: which have come.
            frontier: where tokens are, without what is anywhere.
        """
        counts = self._parameters.counts
        n_rows = count_rows(frontier)
        missing = counts.required & ~members.seen
        needed = counts.low - members.seen.bit_count() - missing.bit_count()
        if counts.is_ordered:
            # Others that must come may be before these, or stand for several.
            needed = 0
        labels = [*list_bits(missing)]
        is_open = counts.has_others or bool(counts.possible & ~counts.required & ~members.seen)
        if is_open:
            labels.append(_OTHER)
        if not self._close(frontier.nodes.tolist(), labels):
            return forget(frontier, n_rows)
        end = self._find_end(labels, max(0, needed), missing)
        number = {node: at for at, node in enumerate(self.nodes)}
        begun = np.full((n_rows, len(self.nodes)), NEVER, dtype=np.int32)
        places = [number[node] for node in frontier.nodes.tolist()]
        begun[frontier.rows, places] = frontier.costs
        found = np.minimum(times(begun, end), NEVER)
        rows, columns = np.nonzero(found < NEVER)
        nodes = np.array(self.nodes, dtype=np.int32)[columns]
        return unite([Frontier(rows.astype(np.int32), nodes, found[rows, columns])])

    def _close(self, nodes: list[int], labels: list[int]) -> bool:
        """Find all nodes that some parameters lead to; return whether they are few."""
        known = set(self.nodes)
        self.nodes += [node for node in dict.fromkeys(nodes) if node not in known]
        done = 0
        while done < len(self.nodes) <= _MOST_NODES:
            new = self.nodes[done:]
            done = len(self.nodes)
            for label in labels:
                lacking = [node for node in new if (label, node) not in self._rows]
                if lacking:
                    self._find_rows(label, lacking)
                known = set(self.nodes)
                reached = {after for node in new for after in self._rows[label, node]}
                self.nodes += sorted(reached - known - {ANYWHERE})
        return len(self.nodes) <= _MOST_NODES

    def _find_rows(self, label: int, nodes: list[int]) -> None:
        """Find where a parameter leads from some nodes."""
        expression = self._any_other() if label == _OTHER else self._parameters.one(label)
        start = begin(nodes)
        if expression is None:
            found = forget(start, len(nodes))
        else:
            found = self._push(expression, start, self._first)
        for node in nodes:
            self._rows[label, node] = {}
        for row, after, cost in zip(*(column.tolist() for column in found), strict=True):
            self._rows[label, nodes[row]][after] = cost

    def _any_other(self) -> Expression | None:
        """Return a parameter that begins and ends as all do; ``None``: they do not."""
        if self._relaxed is None:
            ways = [way for n in self._numbers for way in self._parameters.ways(n)]
            if all(len(way) > 1 for way in ways):
                before = _common([_text_of(way[0]) for way in ways])
                after = _common([_text_of(way[-1])[::-1] for way in ways])[::-1]
                if before and after:
                    self._relaxed = self._parameters.between(before, after)
        return self._relaxed

    def _matrix(self, label: int) -> Prices:
        n, number = len(self.nodes), {node: at for at, node in enumerate(self.nodes)}
        found = np.full((n, n), NEVER, dtype=np.int32)
        for at, node in enumerate(self.nodes):
            for after, cost in self._rows.get((label, node), {}).items():
                if after == ANYWHERE:
                    found[at] = np.minimum(found[at], cost)
                else:
                    found[at, number[after]] = cost
        return found

    def _find_end(self, labels: list[int], needed: int, missing: int) -> Prices:
        """Return int32[n_nodes, n_nodes], the prices of all that must come, and any others."""
        key = (missing, needed)
        known = self._ends.get(key)
        if known is None or len(known) < len(self.nodes):
            n = len(self.nodes)
            end = np.full((n, n), NEVER, dtype=np.int32)
            np.fill_diagonal(end, 0)
            members = {label: self._matrix(label) for label in labels if label != _OTHER}
            other = end
            if _OTHER in labels:
                other = self._matrix(_OTHER)
                more = end = star(other)
                members = {label: times(more, member) for label, member in members.items()}
            is_ordered = self._parameters.counts.is_ordered
            orders = Orders(members, (other, needed), end, is_ordered=is_ordered)
            known = self._ends[key] = orders.end(None)
        return known


def _text_of(item: object) -> bytes:
    """Return the text of a constant; nothing if it is none, or has atoms."""
    if isinstance(item, Constant) and len(item.words) == 1 and max(item.words[0]) < ATOM:
        return bytes(item.words[0])
    return b""


def _common(texts: list[bytes]) -> bytes:
    """Return what some texts begin with alike; nothing if there are none.

    >>> _common([b"abc", b"abd"])
    b'ab'
    """
    low, high = min(texts, default=b""), max(texts, default=b"")
    return next((low[:at] for at, byte in enumerate(low) if byte != high[at]), low)
