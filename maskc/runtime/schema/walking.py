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
from typing import Any, NamedTuple

from maskc.runtime.cache.budget import ENTRY_BYTES, Cache
from maskc.runtime.schema.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.digits import walk_number
from maskc.runtime.schema.gaps import Gaps
from maskc.runtime.schema.inside import Inside, find_inside
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
from maskc.runtime.schema.scans import Scanner
from maskc.runtime.schema.spelled import spell
from maskc.runtime.schema.spelling import decode_body
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.summary import EndedKeys, Part, bits_of
from maskc.runtime.schema.tokens import TokenIndex, Words
from maskc.runtime.schema.trie import ROOT, Nodes, Trie
from maskc.runtime.schema.values import Value, read_value

_QUOTE, _COMMA, _COLON = 0x22, 0x2C, 0x3A
_CLOSE_BRACE, _CLOSE_BRACKET = 0x7D, 0x5D
_BEGINNINGS = b'"{[ntf'
_MANY = 96  # ids of a part that are packed into a row
_BEHIND_KEY = frozenset(b": \t\r\n")
FRESH: Value = ("fresh",)  # a value that is not known, and none of those that are


class Opened(NamedTuple):
    """What a string that opens somewhere does.

    Attributes:
        inside: to the texts after its quote.
        free: the tokens of ``inside.free``.
    """

    inside: Inside
    free: Part | None


class Parts:
    """Makes parts, and remembers them. Shared by all matchers of an artifact.

    Args:
        index: the vocabulary.
        machine: of the artifact.
    """

    def __init__(self, index: TokenIndex, machine: SchemaMachine) -> None:
        self.index, self.machine = index, machine
        self.gaps = Gaps(index, machine.plan.blanks)
        self._known = Cache(machine.budget)
        self._inside = Cache(machine.budget)
        self._holes: dict[int, Node] = {}
        self._minimal = machine.plan.layout.escapes == "minimal"
        self._free = Scanner(index, minimal=self._minimal).free

    def part(self, trie: Trie, node: Node, gap: int, nodes: Nodes) -> Part:
        """Return what is legal after some nodes of a trie, above what is below a node.

        Args:
            trie: of the vocabulary.
            node: on top of the stack, outside of arrays whose items must differ.
            gap: what has been read of white space.
            nodes: of the trie.
        """
        state = self._summarise(node)
        depth = node.depth
        key = (
            state,
            self.gaps.cap(gap, depth),
            self.gaps.level(depth),
            nodes,
            trie is self.index.rests,
        )
        found: Part | None = self._known.get(key)
        if found is None:
            # What opens a bracket counts itself.
            inner = 1 if node.state[0] in (OBJECT, ARRAY) else 0
            walk = Walk(self, trie, None)
            walk.follow(Node(node.state, (self._hole(key[2] - inner),)), key[1], nodes)
            found = walk.part()
            self._known.put(key, found)
            self.machine.budget.charge(16 * (len(nodes) + len(found.exits)) + ENTRY_BYTES)
        return found

    def share(self, rows: dict[int, Words], few: tuple[int, ...], exits: Nodes, keys: Any) -> Part:
        """Return the part with some rows and tokens, the same one for the same."""
        name = (Part, tuple(sorted(rows)), few, exits, keys)
        found: Part | None = self._known.get(name)
        if found is None:
            made = tuple(rows.values())
            if len(few) > _MANY:
                made, few = (*made, self.index.pack(few)), ()
            found = Part(made, few, exits, keys)
            self._known.put(name, found)
            # Rows that are known by their number stay as long as the part.
            self.machine.budget.charge(4 * len(made) * self.index.n_words + 16 * len(name[2]))
        return found

    def _hole(self, depth: int) -> Node:
        found = self._holes.get(depth)
        if found is None:
            found = self._holes.setdefault(depth, Node((HOLE,), (), depth))
        return found

    def _summarise(self, node: Node) -> Any:
        """Return what a node's part depends on."""
        state = node.state
        if state[0] != OBJECT:
            return state
        _, number, members, phase = state
        rule = self.machine.plan.objects[number]
        labels, can_close = rule.open_labels(members), rule.can_close(members)
        others = members.others if rule.is_scarce or rule.may_run_out else None
        return (OBJECT, number, phase, labels, can_close, others)

    def inside(
        self, trie: Trie, body: Body, nodes: Nodes, *, exactly: bool, dropped: int = DEAD
    ) -> Opened:
        """Return what a string that opens at some nodes does.

        Args:
            trie: of the vocabulary.
            body: of the string.
            nodes: after its quote.
            exactly: whether states and sizes are wanted where every character may follow.
            dropped: a state that counts as dead.
        """
        is_rest = trie is self.index.rests
        key = (id(body), nodes, is_rest, exactly, dropped)
        found: Opened | None = self._inside.get(key)
        if found is None:
            if body.dfa.is_universal:
                found = self._open_any(trie, nodes, exactly=exactly)
            else:
                found = self._open(trie, body.dfa, nodes, exactly=exactly, dropped=dropped)
            self._inside.put(key, found)
            self.machine.budget.charge(60 * len(found.inside.places))
        return found

    def _open(
        self, trie: Trie, dfa: CharDfa, nodes: Nodes, *, exactly: bool, dropped: int = DEAD
    ) -> Opened:
        spelled = spell(self.index, trie, nodes, self._free, minimal=self._minimal)
        found = find_inside(spelled, dfa, exactly=exactly, dropped=dropped)
        return Opened(found, self.pack(trie, found.free) if found.free else None)

    def _open_any(self, trie: Trie, nodes: Nodes, *, exactly: bool) -> Opened:
        """Return what a string of any characters does, which is the same in all artifacts."""
        key = (Opened, self._minimal, nodes, trie is self.index.rests, exactly)
        found: Opened | None = self.index.shared.get(key)
        if found is None:
            found = self._open(trie, self._free.dfa, nodes, exactly=exactly)
            n_bytes = 4 * self.index.n_words + 1000 + 60 * len(found.inside.places)
            self.index.shared.put(key, found, n_bytes)
        return found

    def ended_keys(
        self, trie: Trie, number: int, nodes: Nodes, found: Opened
    ) -> tuple[EndedKeys, ...]:
        """Return the keys of an object's rule that end where they were opened, whatever may come.

        Args:
            trie: of the vocabulary.
            number: of the rule.
            nodes: after the opening quotes.
            found: what a key does there.
        """
        key = (EndedKeys, number, nodes, trie is self.index.rests, id(found))
        known: tuple[EndedKeys, ...] | None = self._inside.get(key)
        if known is None:
            rule = self.machine.plan.objects[number]
            together: dict[tuple[int, bool, str], list[tuple[str, int]]] = {}
            for ended in found.inside.ended:
                node, label, text = ended.node, rule.dfa.labels[ended.state], ""
                if label == NO_LABEL:
                    continue
                if label >= rule.n_names:
                    text = decode_body(after_quote(trie, trie.path(node), nodes)[:-1])
                after = trie.bytes[trie.first[node] : trie.first[node + 1]]
                goes_on = rule.is_scarce or not _BEHIND_KEY.isdisjoint(after)
                # Where nothing follows, all keys of a label are alike.
                group = (label, goes_on, text if goes_on else "")
                together.setdefault(group, []).append((text, node))
            known = tuple(
                EndedKeys(label, tuple(t for t, _ in pairs), tuple(n for _, n in pairs), goes_on)
                for (label, goes_on, _), pairs in together.items()
            )
            self._inside.put(key, known)
        return known

    def pack(self, trie: Trie, places: list[int]) -> Part:
        """Return the part of some texts, by place."""
        if trie is self.index.rests:
            return Part(bits=bits_of(places))
        ids = [self.index.ids[place] for place in places]
        return Part(few=tuple(ids)) if len(ids) <= _MANY else Part((self.index.pack(ids),))


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
        opened = self._parts.inside(self._trie, rule.body, nodes, exactly=exactly)
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
        opened = self._parts.inside(self._trie, body, quotes, exactly=False, dropped=dropped)
        if opened.free is not None:
            self.add(opened.free)
        found, keys = opened.inside, rule.keys
        pairs = zip(found.places, found.targets, strict=True)
        if members.others and rule.may_run_out:
            self._add_places(self._unused(node, pairs, labels, quotes))
        else:
            self._add_places(place for place, to in pairs if keys.reach_of(to) & labels)
        ended = self._parts.ended_keys(self._trie, number, quotes, opened)
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
            if ends:
                ways = rule.enter(members, label, texts[0])
                self._open_colon(node, ways, ends, goes_on=goes_on)

    def _open_colon(self, node: Node, ways: Iterable[Any], nodes: Nodes, *, goes_on: bool) -> None:
        machine, number = self._machine, node.state[1]
        for after, position in ways:
            frame = machine.node((OBJECT, number, after, AFTER), node.parents)
            self._add_ends(nodes)
            if goes_on:
                self.enter(machine.node((COLON, position), (frame,)), 0, nodes)
            else:
                break


def after_quote(trie: Trie, text: bytes, quotes: Nodes) -> bytes:
    """Return what a text has after the one of some quotes that it begins with."""
    # No path begins with another: each is white space and signs up to its only quote.
    paths = (trie.path(quote) for quote in quotes)
    return next(text[len(path) :] for path in paths if text.startswith(path))


def read_body(body: Body, raw: bytes) -> tuple[int, int]:
    """Return the state after a body's first bytes, and how many whole characters they are."""
    at, size = body.start, 0
    for byte in raw:
        at = body.step(at, byte)
        size += body.characters[at] >= 0
    return at, size
