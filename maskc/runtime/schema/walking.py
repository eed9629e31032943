"""Which texts of a trie are legal after a node of the machine's stack?

The walk follows signs rather than bytes: white space, strings, numbers and punctuation are looked
up as a whole. It goes on where something that is open ends, with what is below.

What a walk finds above the innermost thing that is open does not depend on what is below. It is
made once for each state, with a *hole* in the place of the stack, and remembered by that state: so
a stack that was never seen costs one look-up a level, as deep as a token closes brackets. An object
is known by the keys that may come and whether it may end. Only inside an array whose items must
differ do we walk with the stack itself, as its values have to be compared.

Example: after ``{"a": [1`` the array gives ``,`` and ``, `` and the exits ``]`` and ``],``; the
object below says what comes after them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from maskc.runtime.schema.characters import DEAD
from maskc.runtime.schema.digits import walk_number
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.nodes import (
    AFTER,
    ARRAY,
    COLON,
    END,
    HOLE,
    LITERAL,
    LITERALS,
    NEXT,
    NUMBER,
    OBJECT,
    STRING,
    VALUE,
    Node,
)
from maskc.runtime.schema.openings import after_quote, read_body
from maskc.runtime.schema.parts import Parts
from maskc.runtime.schema.summary import EndedKeys, Part, bits_of
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import ROOT, Nodes, Trie
from maskc.runtime.schema.values import Value, read_value

_QUOTE, _COMMA, _COLON = 0x22, 0x2C, 0x3A
_CLOSE_BRACE, _CLOSE_BRACKET = 0x7D, 0x5D
_BEGINNINGS = b'"{[ntf'
FRESH: Value = ("fresh",)  # a value that is not known, and none of those that are


def make_parts(index: TokenIndex, machine: SchemaMachine) -> Parts:
    """Return what is remembered of an artifact's walks, nothing so far."""
    return Parts(index, machine, _walk_above)


def _walk_above(parts: Parts, trie: Trie, node: Node, gap: int, nodes: Nodes) -> Part:
    walk = Walk(parts, trie, None)
    walk.follow(node, gap, nodes)
    return walk.part()


class Walk:
    """One walk over a trie, and what it has found.

    Args:
        parts: of the artifact.
        trie: of its vocabulary.
        text: what has been captured before the trie's root; ``None`` where that is not known or
            not needed.
    """

    def __init__(self, parts: Parts, trie: Trie, text: bytes | None) -> None:
        self._parts, self._trie, self._text = parts, trie, text
        self._machine, self._plan = parts.machine, parts.machine.plan
        self._is_rests = trie is parts.index.rests
        self._taken: dict[Part, None] = {}
        self._few: list[int] = []
        self._exits: list[int] = []
        self._keys: list[EndedKeys] = []
        self._unsure = 0

    def part(self) -> Part:
        """Return what was found, the same part for the same."""
        taken = self._taken
        exits, keys = tuple(dict.fromkeys(self._exits)), tuple(dict.fromkeys(self._keys))
        few = dict.fromkeys(token for part in taken for token in part.few)
        few.update(dict.fromkeys(self._few))
        if self._is_rests:
            bits, unsure = bits_of(few), self._unsure
            for part in taken:
                bits |= part.bits
                unsure |= part.unsure
            return Part((), (), exits, keys, bits, unsure)
        rows = {id(row): row for part in taken for row in part.rows}
        return self._parts.share(rows, tuple(sorted(few)), exits, keys)

    def collect(self, node: Node, gap: int) -> list[Part]:
        """Return all that is legal from a node on, as the parts that were found on the way."""
        self.enter(node, gap, (ROOT,))
        parts = list(self._taken)
        if self._few:
            parts.append(Part(few=tuple(dict.fromkeys(self._few))))
        return parts

    def end_at(self, nodes: Nodes) -> None:
        """Add the texts that end at some nodes."""
        self._add_ends(nodes)

    def add(self, part: Part) -> None:
        """Take over the tokens of a part."""
        self._taken[part] = None

    def enter(self, node: Node, gap: int, nodes: Nodes) -> None:
        """Go on at some nodes of the trie, with a node on top of the stack."""
        if node.state[0] == HOLE:
            self._exits += nodes
            return
        if node.captures:
            self.follow(node, gap, nodes)
            return
        part = self._parts.part(self._trie, node, gap, nodes)
        self.take(part, node)

    def take(self, part: Part, node: Node) -> None:
        """Take over a part that was found above a node, and go on below it."""
        self.add(part)
        if part.exits:
            for parent in node.parents:
                self.enter(parent, 0, part.exits)
        if part.keys:
            self._end_keys(node, part.keys)

    def follow(self, node: Node, gap: int, nodes: Nodes) -> None:
        """Go on likewise, without asking what is remembered of this node."""
        kind = node.state[0]
        if kind == LITERAL:
            self._literal(node, nodes)
        elif kind == NUMBER:
            self._number(node, nodes)
        elif kind == STRING:
            self._string(node, nodes)
        else:
            lead = self._parts.gaps.lead(self._trie, nodes, gap, node.depth)
            self.add(lead.part)
            if kind == VALUE:
                self._value(node, lead.signs, lead.numbers)
            elif kind == COLON:
                colons = lead.signs.get(_COLON)
                if colons:
                    self._add_ends(colons)
                    value = self._machine.node((VALUE, node.state[1]), node.parents)
                    self.enter(value, 0, colons)
            elif kind == OBJECT:
                self._object(node, lead.signs)
            elif kind == ARRAY:
                self._array(node, gap, nodes, lead.signs)
            elif kind == END and node.following:
                ended = self._parts.gaps.between(self._trie, nodes, gap, node.depth)
                self.add(node.following.walk(self._trie, ended))

    def _add_ends(self, nodes: Iterable[int]) -> None:
        """Add the texts that end at some nodes."""
        trie, ids = self._trie, self._parts.index.ids
        for node in nodes:
            n = trie.n_ending[node]
            if n:
                low = trie.low[node]
                self._few += range(low, low + n) if self._is_rests else ids[low : low + n]

    def _add_places(self, places: Iterable[int]) -> None:
        ids = self._parts.index.ids
        self._few += places if self._is_rests else [ids[place] for place in places]

    def _complete(self, parents: Iterable[Node], nodes: Nodes, *, ends: bool = True) -> None:
        """Go on below a value that has ended at some nodes.

        Args:
            parents: of what has ended.
            nodes: after its last byte.
            ends: whether texts that end there are yet to be added.
        """
        for parent in parents:
            state = parent.state
            if state[0] == ARRAY and state[5] is not None:
                for node in nodes:
                    self._compare(parent, node, ends=ends)
                continue
            if ends:
                self._add_ends(nodes)
            self.enter(parent, 0, nodes)

    def _compare(self, parent: Node, node: int, *, ends: bool) -> None:
        """Go on with an array if the item that has ended differs from those before."""
        _, number, index, counts, phase, unique, start = parent.state
        if self._text is None and self._is_rests:
            value = (*FRESH, len(unique))
            self._mark(node)
        else:
            value = read_value(self._text_at(node)[start:])
        array = self._plan.arrays[number]
        if value in unique or not array.is_feasible(index, counts, unique | {value}):
            return
        if ends:
            self._add_ends((node,))
        made = (ARRAY, number, index, counts, phase, unique | {value}, 0)
        self.enter(self._machine.node(made, parent.parents), 0, (node,))

    def _mark(self, node: int) -> None:
        """Let all texts from a node on be read token by token."""
        low, high = self._trie.low[node], self._trie.high[node]
        self._unsure |= (1 << high) - (1 << low)

    def _text_at(self, node: int) -> bytes:
        return (self._text or b"") + self._trie.path(node)

    def _literal(self, node: Node, nodes: Nodes) -> None:
        trie = self._trie
        _, which, at = node.state
        for byte in LITERALS[which][at:]:
            nodes = tuple(child for n in nodes if (child := trie.child(n, byte)) >= 0)
            at += 1
            if at < len(LITERALS[which]):
                self._add_ends(nodes)
        if nodes:
            self._complete(node.parents, nodes)

    def _number(self, node: Node, nodes: Nodes) -> None:
        numbers = self._machine.numbers_of(node)
        index, trie = self._parts.index, self._trie
        # Many schemas have the same rule, and it looks at nothing but the trie.
        key = (walk_number, numbers.identity, node.state[2], nodes, self._is_rests)
        found = index.shared.get(key)
        if found is None:
            found = walk_number(index, trie, numbers, node.state[2], nodes)
            index.shared.put(key, found, 500 + 8 * len(found[0]))
        places, exits = found
        self._add_places(places)
        if exits:
            self._complete(node.parents, exits, ends=False)

    def _string(self, node: Node, nodes: Nodes) -> None:
        """Go on in a string that was opened just now."""
        _, number, at, count, raw = node.state
        rule = self._plan.strings[number]
        if at != rule.body.start or count:
            raise ValueError("a string that was opened before is no part of a walk")
        is_compared = raw is not None and not rule.is_endless
        is_counted = not rule.is_far(0, len(self._trie.levels))
        exactly = is_compared or is_counted
        opened = self._parts.openings.inside(self._trie, rule.body, nodes, exactly=exactly)
        found = opened.inside
        if opened.free is not None:
            self.add(opened.free)
        places: Iterable[int] = found.places
        ended = found.ended
        if is_counted:
            columns = (found.places, found.targets, found.sizes)
            places = [
                place
                for place, targets, size in zip(*columns, strict=True)
                if rule.leads_on(targets, size)
            ]
            ended = [e for e in ended if rule.may_end(e.state, rule.cap(e.size))]
        if is_compared:
            places = self._differing(node, places, nodes)
        self._add_places(places)
        closing = tuple(e.node for e in ended)
        if closing:
            self._complete(node.parents, closing)

    def _differing(self, node: Node, places: Iterable[int], nodes: Nodes) -> list[int]:
        """Return the texts that can become a string that is not among its array's items."""
        number, unique = node.state[1], self._machine.unique_of(node.parents)
        rule = self._plan.strings[number]
        found = []
        for place in places:
            raw = self._raw(place, nodes)
            at, size = read_body(rule.body, raw)
            state = (STRING, number, at, rule.cap(size), raw)
            if self._machine.may_differ(rule, state, unique):
                found.append(place)
        return found

    def _raw(self, place: int, quotes: Nodes) -> bytes:
        """Return what a text reads of a string that is opened at one of some nodes."""
        return after_quote(self._trie, self._trie.texts[place], quotes)

    def _value(self, node: Node, signs: dict[int, Nodes], numbers: Nodes) -> None:
        machine, position, parents = self._machine, node.state[1], node.parents
        for byte in _BEGINNINGS:
            nodes = signs.get(byte)
            if not nodes:
                continue
            found: dict[Any, dict[Node, None]] = {}
            machine.begin(position, byte, parents, found)
            if found:
                self._add_ends(nodes)
                for state, below in found.items():
                    self.enter(machine.node(state, tuple(below)), 0, nodes)
        if numbers:
            unique = machine.unique_of(parents)
            for number in self._plan.positions[position].numbers:
                start = self._plan.numbers_without(number, unique).start
                self.enter(machine.node((NUMBER, number, start, unique), parents), 0, numbers)

    def _array(self, node: Node, gap: int, nodes: Nodes, signs: dict[int, Nodes]) -> None:
        machine = self._machine
        _, number, index, counts, phase, unique, _ = node.state
        array = self._plan.arrays[number]
        closing, commas = signs.get(_CLOSE_BRACKET), signs.get(_COMMA)
        if closing and phase != NEXT and array.rule.can_close(index, counts):
            self._complete(node.parents, closing)
        if phase == AFTER:
            if commas and any(array.enter(index, counts, unique)):
                self._add_ends(commas)
                state = (ARRAY, number, index, counts, NEXT, unique, 0)
                self.enter(machine.node(state, node.parents), 0, commas)
            return
        for (after, after_counts), position in array.enter(index, counts, unique):
            # Where an item begins counts only if it is compared.
            for some in [nodes] if unique is None else [(n,) for n in nodes]:
                start = len(self._text_at(some[0])) if unique is not None else 0
                state = (ARRAY, number, after, after_counts, AFTER, unique, start)
                frame = machine.node(state, node.parents)
                self.enter(machine.node((VALUE, position), (frame,)), gap, some)

    def _object(self, node: Node, signs: dict[int, Nodes]) -> None:
        _, number, members, phase = node.state
        rule = self._plan.objects[number]
        closing = signs.get(_CLOSE_BRACE)
        if closing and phase != NEXT and rule.can_close(members):
            self._complete(node.parents, closing)
        labels = rule.open_labels(members)
        if not labels:
            return
        quotes = signs.get(_QUOTE)
        if phase == AFTER:
            commas = signs.get(_COMMA)
            if not commas:
                return
            self._add_ends(commas)
            lead = self._parts.gaps.lead(self._trie, commas, 0, node.depth)
            self.add(lead.part)
            quotes = lead.signs.get(_QUOTE)
        if quotes:
            self._add_ends(quotes)
            self._key(node, quotes, labels)

    def _key(self, node: Node, quotes: Nodes, labels: int) -> None:
        """Go on in a key that was opened just now."""
        _, number, members, _ = node.state
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        sink = body.dfa.sink
        is_open = sink >= 0 and bool(labels >> body.dfa.labels[sink] & 1)
        dropped = DEAD if is_open else max(sink, DEAD)
        openings = self._parts.openings
        opened = openings.inside(self._trie, body, quotes, exactly=False, dropped=dropped)
        if opened.free is not None:
            self.add(opened.free)
        found, keys = opened.inside, rule.keys
        pairs = zip(found.places, found.targets, strict=True)
        if members.others and rule.may_run_out:
            self._add_places(self._unused(node, pairs, labels, quotes))
        else:
            self._add_places(place for place, to in pairs if keys.reach_of(to) & labels)
        ended = openings.ended_keys(self._trie, number, quotes, dropped)
        kept = [key for key in ended if labels >> key.label & 1]
        if kept and node.parents[0].state[0] == HOLE:
            self._keys += kept
        elif kept:
            self._end_keys(node, kept)

    def _unused(
        self, node: Node, pairs: Iterable[tuple[int, frozenset[int]]], labels: int, quotes: Nodes
    ) -> list[int]:
        """Return the texts that can become a key that was not there, of few that there are."""
        _, number, members, _ = node.state
        body, keys = self._plan.key_bodies[number], self._plan.objects[number].keys
        found = []
        for place, targets in pairs:
            is_live = keys.is_surely_live(targets, labels)
            if not is_live and keys.reach_of(targets) & labels and self._is_rests:
                self._unsure |= 1 << place  # the key that was read before the quote may be the one
                is_live = True
            elif not is_live and keys.reach_of(targets) & labels:
                raw = self._raw(place, quotes)
                at, _ = read_body(body, raw)
                is_live = self._machine.key_is_live(number, members, labels, at, raw)
            if is_live:
                found.append(place)
        return found

    def _end_keys(self, node: Node, keys: Iterable[EndedKeys]) -> None:
        """Go on after keys."""
        _, number, members, _ = node.state
        rule = self._plan.objects[number]
        for label, texts, nodes, goes_on in keys:
            ends = nodes
            if label >= rule.n_names:
                if members.others:
                    pairs = zip(texts, nodes, strict=True)
                    ends = tuple(end for text, end in pairs if text not in members.others)
                if self._is_rests:
                    for end in ends:
                        self._mark(end)  # it can be the key that was read before the quote
            if ends and goes_on:
                self._open_colon(node, rule.enter(members, label, texts[0]), ends)
            elif ends:
                self._add_ends(ends)  # a key that may come has a way on

    def _open_colon(self, node: Node, ways: Iterable[Any], nodes: Nodes) -> None:
        machine, number = self._machine, node.state[1]
        for after, position in ways:
            frame = machine.node((OBJECT, number, after, AFTER), node.parents)
            self._add_ends(nodes)
            self.enter(machine.node((COLON, position), (frame,)), 0, nodes)
