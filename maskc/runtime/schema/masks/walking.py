"""Which texts of a trie are legal after a node of the machine's stack?

The walk follows signs rather than bytes: white space, strings, numbers and punctuation are looked
up as a whole. It goes on where something that is open ends, with what is below.

What a walk finds above the innermost thing that is open does not depend on what is below. It is
made once for each state, with a *hole* in the place of the stack, and remembered by that state: so
a stack that was never seen costs one look-up a level, as deep as a token closes brackets. An object
is known by the keys that may come and whether it may end. Only where items that must differ may
come to be equal do we walk with the stack itself, and ask at each node of the trie.

Example: after ``{"a": [1`` the array gives ``,`` and ``, `` and the exits ``]`` and ``],``; the
object below says what comes after them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from maskc.runtime.schema.machine.fresh import FRESH_VALUE, is_fresh
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    END,
    FRESH,
    HOLE,
    KEY,
    LITERAL,
    LITERALS,
    NEW,
    NEXT,
    NUMBER,
    OBJECT,
    STRING,
    VALUE,
    Configuration,
    Node,
)
from maskc.runtime.schema.machine.room import is_compared, place_of
from maskc.runtime.schema.masks.openings import after_quote, read_body
from maskc.runtime.schema.masks.parts import Parts
from maskc.runtime.schema.plan.hosted import HostedRule
from maskc.runtime.schema.plan.values import read_value
from maskc.runtime.schema.scans.digits import follow_number
from maskc.runtime.schema.strings.characters import DEAD
from maskc.runtime.schema.tries.summary import EndedKeys, Part, bits_of, new_keys
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Nodes, Trie

_QUOTE, _COMMA, _COLON = 0x22, 0x2C, 0x3A
_CLOSE_BRACE, _CLOSE_BRACKET = 0x7D, 0x5D
_BEGINNINGS = b'"{[ntf'


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
        few = dict.fromkeys(self._few)
        for part in taken:
            if part.few:
                few.update(dict.fromkeys(part.few))
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

    def begin(self, nodes: Iterable[Node]) -> None:
        """Go on at the root, with some nodes on top that were not there before."""
        for node in nodes:
            self._go(node, (ROOT,))

    def add(self, part: Part) -> None:
        """Take over the tokens of a part."""
        self._taken[part] = None

    def enter(self, node: Node, gap: int, nodes: Nodes) -> None:
        """Go on at some nodes of the trie, with a node on top of the stack."""
        if node.state[0] == HOLE:
            self._exits += nodes
        elif not node.captures or self._machine.room.is_calm(node):
            self.take(self._parts.part(self._trie, node, gap, nodes), node)
        else:
            self.follow(node, gap, nodes)

    def take(self, part: Part, node: Node) -> None:
        """Take over a part that was found above a node, and go on below it."""
        self.add(part)
        if part.exits:
            self._complete(node.parents, part.exits, ends=self._parts.is_strict(node))
        if part.keys:
            self._end_keys(node, part.keys)

    def _go(self, node: Node, nodes: Nodes, *, ends: bool = True) -> None:
        """Go on with a node that was not there before, where it can be finished.

        Args:
            node: on top of the stack.
            nodes: of the trie.
            ends: whether texts that end there are yet to be added.
        """
        if node.is_tight:
            nodes = self._sift(node, nodes)
        if ends:
            self._add_ends(nodes)
        if nodes:
            self.enter(node, 0, nodes)

    def _sift(self, node: Node, nodes: Nodes) -> Nodes:
        """Return those nodes of the trie at which a text can be finished with a node on top."""
        if self._is_rests:
            for place in nodes:
                self._mark(place)
            return nodes
        is_live = self._machine.distinct.is_live
        return tuple(n for n in nodes if is_live(node, self._text_at(n)))

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
            if parent.state[0] == HOLE:
                self._exits += nodes
                if ends and not parent.state[1]:
                    self._add_ends(nodes)
            elif is_compared(parent):
                for node in nodes:
                    for after in self._after_item(parent, node):
                        self._go(after, (node,), ends=ends)
            else:
                self._go(parent, nodes, ends=ends)

    def _after_item(self, frame: Node, node: int) -> Iterable[Node]:
        """Yield the nodes after an item of an array that has ended at a node of the trie."""
        start = frame.state[6]
        if start == FRESH:
            yield self._machine.end_fresh(frame)
            return
        if not self._is_rests:
            start = start if start >= 0 else NEW - start
            value = read_value(self._text_at(node)[start:])
            after = self._machine.after_item(frame, value)
            if after is not None:
                yield after
            return
        self._mark(node)
        after = self._machine.after_item(frame, (*FRESH_VALUE, len(frame.state[5])))
        if after is not None:
            yield after
        if self._plan.arrays[frame.state[1]].repeats:
            yield self._machine.node((*frame.state[:5], None, 0), frame.parents)

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
        found = follow_number(self._parts.index, self._trie, numbers, node.state[2], nodes)
        if node.captures and not node.is_roomy:
            self._add_places(self._read_places(node, found.list_places(), nodes))
        else:
            self.add(found.part)
        if found.exits:
            self._complete(node.parents, found.exits, ends=False)

    def _string(self, node: Node, nodes: Nodes) -> None:
        """Go on in a string that was opened just now."""
        _, number, at, count, _ = node.state
        rule = self._plan.strings[number]
        if at != rule.body.start or count != rule.begin:
            raise ValueError("a string that was opened before is no part of a walk")
        is_watched = node.captures and not node.is_roomy
        is_watched = is_watched and (node.is_bound or not rule.is_endless)
        if isinstance(rule, HostedRule):
            inside, ends = self._parts.openings.hosted(self._trie, rule, nodes)
            self._add_places(self._read_places(node, inside, nodes) if is_watched else inside)
            if ends:
                self._complete(node.parents, ends)
            return
        is_counted = not rule.is_far(0, len(self._trie.levels))
        exactly = is_watched or is_counted
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
            ended = tuple(e for e in ended if rule.may_end(e.state, rule.cap(e.size)))
        if is_watched:
            places = self._read_places(node, places, nodes)
        self._add_places(places)
        closing = tuple(e.node for e in ended)
        if closing:
            self._complete(node.parents, closing)

    def _read_places(self, node: Node, places: Iterable[int], nodes: Nodes) -> list[int]:
        """Return the texts after which something can be finished that was opened at some nodes.

        Args:
            node: what is open.
            places: of texts that end in it.
            nodes: of the trie, where it was opened.
        """
        kept = list(places)
        trie = self._trie
        if self._is_rests:
            for place in kept:
                self._unsure |= 1 << place  # what comes before it is not known
            return kept
        paths = [trie.path(n) for n in nodes]
        found = []
        for place in kept:
            text = trie.texts[place]
            path = next(path for path in paths if text.startswith(path))
            here = Configuration((node,), 0, (self._text or b"") + path)
            if self._machine.step((here,), text[len(path) :]):
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
            for state, below in found.items():
                self._go(machine.node(state, tuple(below)), nodes)
        if numbers:
            unique = machine.unique_of(parents)
            for number in self._plan.positions[position].numbers:
                start = self._plan.numbers_without(number, unique).start
                self.enter(machine.node((NUMBER, number, start, unique), parents), 0, numbers)

    def _array(self, node: Node, gap: int, nodes: Nodes, signs: dict[int, Nodes]) -> None:
        machine = self._machine
        number, phase, place = node.state[1], node.state[4], place_of(node)
        closing, commas = signs.get(_CLOSE_BRACKET), signs.get(_COMMA)
        if closing and phase != NEXT and self._plan.arrays[number].may_close(place):
            self._complete(node.parents, closing)
        if commas and self._is_rests and is_fresh(place) and machine.distinct.is_scarce(number):
            # It counts for what may follow which value the item had.
            for comma in commas:
                self._mark(comma)
        if phase == AFTER:
            if commas and any(machine.distinct.choices.ways(number, place)):
                state = (ARRAY, number, *place[:2], NEXT, place.values, 0)
                self._go(machine.node(state, node.parents), commas)
            return
        for after, position in machine.distinct.choices.ways(number, place):
            # Where an item begins counts only if it is compared.
            for some in [nodes] if after.values is None else [(n,) for n in nodes]:
                frame = machine.frame(node, after, len(self._text_at(some[0])))
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
            after = self._machine.node((OBJECT, number, members, NEXT), node.parents)
            if commas and after.is_tight:
                commas = self._sift(after, commas)
            if not commas:
                return
            self._add_ends(commas)
            lead = self._parts.gaps.lead(self._trie, commas, 0, node.depth)
            self.add(lead.part)
            quotes = lead.signs.get(_QUOTE)
        body = self._plan.key_bodies[number]
        key = self._machine.node((KEY, number, members, body.start, b""), node.parents)
        if quotes and key.is_tight:
            quotes = self._sift(key, quotes)
        if quotes:
            self._add_ends(quotes)
            self._key(key, quotes, labels)

    def _key(self, node: Node, quotes: Nodes, labels: int) -> None:
        """Go on in a key that was opened just now."""
        _, number, members, *_ = node.state
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        sink = body.dfa.sink
        is_open = sink >= 0 and bool(labels >> body.dfa.labels[sink] & 1)
        dropped = DEAD if is_open else max(sink, DEAD)
        openings = self._parts.openings
        exactly = node.is_bound  # else what is free can become endlessly many keys
        opened = openings.inside_key(self._trie, number, quotes, exactly=exactly, dropped=dropped)
        if opened.free is not None:
            self.add(opened.free)
        found, keys = opened.inside, rule.keys
        pairs = zip(found.places, found.targets, strict=True)
        places: Iterable[int]
        if members.others and rule.may_run_out:
            places = self._unused(node, pairs, labels, quotes)
        else:
            places = [place for place, to in pairs if keys.reach_of(to) & labels]
        if node.captures and not node.is_roomy and (node.is_bound or not rule.is_open):
            places = self._read_places(node, places, quotes)
        self._add_places(places)
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
        _, number, members, *_ = node.state
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
                is_live = self._plan.key_is_live(number, labels, at, raw, members.others)
            if is_live:
                found.append(place)
        return found

    def _end_keys(self, node: Node, keys: Iterable[EndedKeys]) -> None:
        """Go on after keys."""
        _, number, members, *_ = node.state
        rule = self._plan.objects[number]
        for label, texts, nodes, goes_on in keys:
            ends = nodes
            if label >= rule.n_names:
                if members.others:
                    texts, ends = new_keys(texts, nodes, members.others)
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
            self._go(machine.node((COLON, position), (frame,)), nodes)
