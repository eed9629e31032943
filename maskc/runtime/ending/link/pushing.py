"""How many tokens do the parts of a linked text take, one after the other?

A frontier (:mod:`maskc.runtime.ending.link.frontiers`) is pushed through each part: automata are
walked (:mod:`maskc.runtime.ending.link.relations`), a JSON text is a matrix of what it costs
(:mod:`maskc.runtime.ending.json.least`), and parameters are put in order
(:mod:`maskc.runtime.ending.link.parameters`).

Of a text with a limit of tokens or characters it is not asked how long it is. Nothing is said of
what follows where a piece is a grammar or has counted loops, and where a text turns to one of many
others, or to what contains itself.

Example: of a call in ``glm_4_7`` after the name of its tool, a frontier is pushed through the
parameters that must come, blanks, and ``</tool_call>``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from maskc.runtime.ending.json.any_json import AnyJson, JsonPrices
from maskc.runtime.ending.json.joints import NEVER, Prices, times
from maskc.runtime.ending.json.least import JsonLeast
from maskc.runtime.ending.link.frontiers import (
    ANYWHERE,
    NOTHING,
    First,
    Frontier,
    GoingOn,
    begin,
    count_rows,
    forget,
    least_of,
    list_new,
    unite,
)
from maskc.runtime.ending.link.parameters import ParameterCosts
from maskc.runtime.ending.link.relations import Left, Relations
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.joining.atoms import StopPiece, TokenPiece
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    Leaf,
    Nothing,
    Repetition,
    Rest,
)
from maskc.runtime.link.joining.joints import Joints
from maskc.runtime.link.joining.pieces import AutomatonPiece, Piece, SchemaPiece
from maskc.runtime.link.joining.switching import SwitchPiece
from maskc.runtime.link.plan.members import Members, Parameters
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.schema.machine.nodes import BEGINNINGS, Configuration, Node
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.tries.trie import ROOT

_FEW_NODES = 16  # from each of which it is remembered where an expression leads
_MOST_TARGETS = 24  # that a text may turn to, each of which is looked at
_ENTRY_BYTES = 400  # of what is remembered of a node
_MOST_PASSES = 20  # of a repetition, each of which is looked at


class Pushing:
    """Pushes frontiers through the parts of texts.

    Args:
        paths: the tokens, in letters that tell all bytes apart.
        joints: of the texts.
        prices: of JSON texts.
    """

    def __init__(self, paths: TokenPaths, joints: Joints, prices: JsonPrices) -> None:
        self._joints = joints
        self._firsts: dict[Expression, First] = {}
        self._open: set[Expression] = set()  # that texts have turned to
        self._pushed: dict[tuple[Expression, First], dict[int, tuple[Ints, Ints]]] = {}
        self._n_pushed = 0
        self._prices = prices
        self._going_on = GoingOn(paths)
        self._relations = Relations(paths, self._going_on)
        self._json: dict[tuple[Plan, AnyJson], JsonLeast] = {}
        self._begun: dict[tuple[AnyJson, int], tuple[Ints, Ints, int]] = {}
        self._finishing: dict[tuple[Rest, AnyJson], Prices] = {}
        self._parameters: dict[tuple[Parameters, First], ParameterCosts] = {}

    def finish(self, frontier: Frontier, rest: Rest, n_rows: int) -> Prices:
        """Return int32[n_rows], how many tokens have begun at least when the text ends.

        Args:
            frontier: where tokens are; kept before the rest already.
            rest: what follows.
            n_rows: of the frontier.
        """
        here = rest
        while here.expression is not None and here.after is not None:
            first = _first_of(here.after)
            frontier = self.push(here.expression, frontier, first)
            here = here.after
        is_over = frontier.nodes <= ROOT
        return least_of(Frontier(*(column[is_over] for column in frontier)), n_rows)

    def leave(self, piece: AutomatonPiece | LimitedPiece, state: int, rest: Rest) -> Frontier:
        """Return where tokens are after an open piece that an automaton reads.

        It is one row, kept before the rest.
        """
        return self._pass_automaton(piece, state, begin([ROOT]), _first_of(rest))

    def push(self, expression: Expression, frontier: Frontier, first: First) -> Frontier:
        """Return where tokens are after an expression.

        Args:
            expression: the expression.
            frontier: where tokens are before it.
            first: bytes with which what follows may begin; ``None``: with any.
        """
        is_known = frontier.nodes != ANYWHERE
        lost = Frontier(*(column[~is_known] for column in frontier))
        frontier = Frontier(*(column[is_known] for column in frontier))
        nodes = np.unique(frontier.nodes).tolist()
        if not nodes:
            return lost
        if len(nodes) > _FEW_NODES:
            parts = [lost, self._push(expression, frontier, first)]
            if expression.may_be_empty:
                parts.append(frontier)
            return self._going_on.keep(parts, first)
        known = self._pushed.setdefault((expression, first), {})
        new = [node for node in nodes if node not in known]
        if new:
            parts = [self._push(expression, begin(new), first)]
            if expression.may_be_empty:
                parts.append(begin(new))
            found = self._going_on.keep(parts, first)
            for row, node in enumerate(new):
                known[node] = found.row(row)
                self._n_pushed += len(known[node][0])
        return unite([lost, frontier.then(known)])

    def _push(self, expression: Expression, frontier: Frontier, first: First) -> Frontier:
        if isinstance(expression, Leaf):
            return self._pass_piece(expression.piece, frontier, first)
        if isinstance(expression, Concatenation):
            return self._push_all(expression.parts, frontier, first)
        if isinstance(expression, Choice):
            return unite([self.push(part, frontier, first) for part in expression.parts])
        if isinstance(expression, Repetition):
            return self._repeat(expression, frontier, first)
        if isinstance(expression, Members):
            return self._pass_members(expression, frontier, first)
        if isinstance(expression, Nothing):
            return frontier
        return forget(frontier, count_rows(frontier))

    def _push_all(
        self, parts: tuple[Expression, ...], frontier: Frontier, first: First
    ) -> Frontier:
        firsts: list[First] = [first]
        for part in reversed(parts[1:]):
            firsts.append(self._first_of(part, firsts[-1]))
        for part, following in zip(parts, reversed(firsts), strict=True):
            frontier = self.push(part, frontier, following)
        return frontier

    def _repeat(self, expression: Repetition, frontier: Frontier, first: First) -> Frontier:
        body = expression.body
        own = _either(self._first_of(body, first), first)
        for _ in range(min(expression.low, _MOST_PASSES)):
            frontier = self.push(body, frontier, own)
        if expression.high == expression.low <= _MOST_PASSES:
            return frontier
        # As often as it leads to where fewer tokens had not led.
        found = new = frontier
        for _ in range(_MOST_PASSES):
            found, before = unite([found, self.push(body, new, own)]), found
            new = list_new(found, before)
            if not len(new.rows):
                return found
        return forget(found, count_rows(frontier))

    def _pass_members(self, members: Members, frontier: Frontier, first: First) -> Frontier:
        key = (members.parameters, first)
        found = self._parameters.get(key)
        if found is None:
            own = first
            for expression in members.parameters.list_all():
                own = self._first_of(expression, own)
            found = self._parameters[key] = ParameterCosts(members.parameters, own, self.push)
        return found.pass_all(members, frontier)

    def _pass_piece(self, piece: Piece, frontier: Frontier, first: First) -> Frontier:
        if isinstance(piece, AutomatonPiece | LimitedPiece):
            return self._pass_automaton(piece, START, frontier, first)
        if isinstance(piece, BarredSchemaPiece):
            piece = piece.piece
        if isinstance(piece, SchemaPiece):
            return self._pass_json(piece, frontier, first)
        if isinstance(piece, TokenPiece):
            at_root = frontier.nodes == ROOT
            rows, nodes, costs = (column[at_root] for column in frontier)
            return Frontier(rows, nodes, costs + 1)
        if isinstance(piece, StopPiece):
            return frontier
        return forget(frontier, count_rows(frontier))

    def _pass_automaton(
        self, piece: AutomatonPiece | LimitedPiece, state: int, frontier: Frontier, first: First
    ) -> Frontier:
        left = self._relations.leave(piece.automaton, state, frontier, first)
        parts = [*left.ended]
        if left.turned and isinstance(piece, SwitchPiece):
            parts += self._turn(piece, left, first)
        return self._going_on.keep(parts, first)

    def _turn(self, piece: SwitchPiece, left: Left, first: First) -> Iterable[Frontier]:
        """Yield where tokens are after what a text turns to."""
        for label, parts in sorted(left.turned.items()):
            turned = unite(parts)
            if piece.loops or len(left.turned) > _MOST_TARGETS:
                yield forget(turned, count_rows(turned))
                continue
            target = piece.target(label)
            if target in self._open:
                # It contains itself.
                yield forget(turned, count_rows(turned))
                continue
            self._open.add(target)
            kept = self._going_on.keep([turned], self._first_of(target, first))
            yield self.push(target, kept, first)
            self._open.remove(target)

    def _first_of(self, expression: Expression, first: First) -> First:
        """Return bytes with which an expression may begin, or what follows if that may be empty."""
        if expression not in self._firsts:
            self._firsts[expression] = self._joints.rest(expression, self._joints.end).first_bytes
        own = self._firsts[expression]
        return _either(own, first) if expression.may_be_empty else own

    def _pass_json(self, piece: SchemaPiece, frontier: Frontier, first: First) -> Frontier:
        """Return where tokens are after a JSON text, by what any such text costs."""
        least, usual = self.json_of(piece, first)
        plan = piece.machine.plan
        value = least.value(plan.root)
        n_rows, after = count_rows(frontier), usual.joints.after
        begun = np.full((n_rows, len(usual.joints.begin)), NEVER, dtype=np.int32)
        lost = [NOTHING]
        for row, node, cost in zip(*(column.tolist() for column in frontier), strict=True):
            numbers, costs, n_lost = self._begin_json(usual, node)
            begun[row, numbers] = np.minimum(begun[row, numbers], costs + cost)
            if n_lost < NEVER:
                lost.append(_one(row, ANYWHERE, cost + n_lost))
        ended = times(begun, value)
        rows, places = np.nonzero(ended < NEVER)
        nodes = np.array(after.nodes, dtype=np.int32)[places]
        found = unite([*lost, Frontier(rows.astype(np.int32), nodes, ended[rows, places])])
        return self._pass_blanks(usual, found, is_inside=plan.blanks.is_inside)

    def _begin_json(self, usual: AnyJson, node: int) -> tuple[Ints, Ints, int]:
        """Return where a JSON text may begin after a node, and how many tokens begin before it.

        Returns:
            The numbers of these nodes, what each costs, and what nodes cost that are not told
            apart.
        """
        known = self._begun.get((usual, node))
        if known is None:
            goes_on = self._going_on.find(BEGINNINGS)
            least_of_number: dict[int, int] = {}
            for place, n_tokens in usual.joints.pass_blanks(node).items():
                number = usual.joints.begin.find(place)
                if number is None or number == 0 and place != ROOT:
                    if not goes_on[place]:
                        continue
                    number = ANYWHERE
                least_of_number[number] = min(least_of_number.get(number, n_tokens), n_tokens)
            lost = least_of_number.pop(ANYWHERE, NEVER)
            numbers = np.array(list(least_of_number), dtype=np.int32)
            costs = np.array(list(least_of_number.values()), dtype=np.int32)
            known = self._begun[usual, node] = (numbers, costs, lost)
        return known

    def _pass_blanks(self, usual: AnyJson, frontier: Frontier, *, is_inside: bool) -> Frontier:
        """Return where tokens are after the blanks that may follow a JSON text."""
        if is_inside:
            return frontier
        found = [frontier]
        for row, node, cost in zip(*(column.tolist() for column in frontier), strict=True):
            passed = usual.joints.pass_blanks(node) if node != ANYWHERE else {}
            found += [_one(row, place, cost + n) for place, n in passed.items()]
        return unite(found)

    def json_of(self, piece: SchemaPiece, first: First) -> tuple[JsonLeast, AnyJson]:
        """Return what the texts of a schema cost before some bytes, and any JSON texts."""
        machine, plan = piece.machine, piece.machine.plan
        usual = self._prices.usual(plan.blanks, first)
        least = self._json.get((plan, usual))
        if least is None:

            def finish(bottom: Node) -> Prices:
                rest = machine.following_of(bottom)
                assert isinstance(rest, Rest)  # noqa: S101  # as the piece has it
                return self._finish_json(rest, usual, is_inside=plan.blanks.is_inside)

            least = self._json[plan, usual] = JsonLeast(plan, usual, finish)
        return least, usual

    def open_json(self, piece: SchemaPiece, here: Configuration, rest: Rest) -> int:
        """Return how many tokens finish a text at least that has a JSON text open."""
        return self.json_of(piece, _first_of(rest.capped))[0].tokens(here) - 1

    def _finish_json(self, rest: Rest, usual: AnyJson, *, is_inside: bool) -> Prices:
        """Return int32[n_after], what finishes a text after a JSON text."""
        known = self._finishing.get((rest, usual))
        if known is None:
            nodes = usual.joints.after.nodes
            passed = self._pass_blanks(usual, begin(nodes), is_inside=is_inside)
            kept = self._going_on.keep([passed], _first_of(rest))
            known = self._finishing[rest, usual] = self.finish(kept, rest, len(nodes))
        return known

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        n_bytes = sum(row.nbytes for row in self._finishing.values())
        n_bytes += self._going_on.n_bytes + self._relations.n_bytes + 8 * self._n_pushed
        n_bytes += _ENTRY_BYTES * sum(map(len, self._pushed.values()))
        return n_bytes + sum(least.n_bytes for least in self._json.values())


def _first_of(rest: Rest) -> First:
    return frozenset() if rest.expression is None else rest.first_bytes


def _either(own: First, first: First) -> First:
    return None if own is None or first is None else own | first


def _one(row: int, node: int, cost: int) -> Frontier:
    return Frontier(*(np.array([number], dtype=np.int32) for number in (row, node, cost)))
