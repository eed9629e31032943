"""Which texts of a trie are legal after a node of the machine's stack.

The walk follows signs rather than bytes: white space, strings, numbers and punctuation are looked
up as a whole. It goes on where something that is open ends, with what is below.

What a walk finds above one thing that is open is remembered by its state
(:mod:`maskc.runtime.schema.masks.parts`), so a stack that was never seen costs one look-up a level,
as deep as a token closes brackets. Only where items that must differ may come to be equal do we
walk with the stack itself, and ask at each node of the trie.

Example: after ``{"a": [1`` the array gives ``,`` and ``, `` and the exits ``]`` and ``],``; the
object below says what comes after them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    CAPTURES,
    COLON,
    DEPTH,
    END,
    FOLLOWING,
    HAS_SLACK,
    KEY,
    KIND,
    LITERAL,
    LITERALS,
    MUST_EQUAL,
    NEEDS_CHECK,
    NEXT,
    NUMBER,
    OBJECT,
    PARENTS,
    PLACEHOLDER,
    STATE,
    STRING,
    VALUE,
    Configuration,
    Found,
    Node,
    has_assumed,
    read_members,
)
from maskc.runtime.schema.masks.opened_strings import after_quote
from maskc.runtime.schema.masks.parts import Parts
from maskc.runtime.schema.masks.steps import Steps
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.rules import VALUES
from maskc.runtime.schema.scans.digits import follow_number
from maskc.runtime.schema.tries import Nodes, TokenIndex
from maskc.runtime.step_budget import charge_steps

_QUOTE: Final = 0x22
_COMMA: Final = 0x2C
_COLON: Final = 0x3A
_CLOSE_BRACE: Final = 0x7D
_CLOSE_BRACKET: Final = 0x5D
_BEGINNINGS: Final = b'"{[ntf'
_FOLLOW_STEPS: Final = 20  # of following a node of the stack


def make_parts(index: TokenIndex, machine: SchemaMachine) -> Parts:
    """Return what is remembered of an artifact's walks, nothing so far."""
    return Parts(index, machine, lambda parts, trie: SchemaWalk(parts, trie, None))


class SchemaWalk(Steps):
    """One walk, with what each kind of node does."""

    def follow(self, node: Node, gap: int, nodes: Nodes) -> None:
        """Go on likewise, without asking what is remembered of this node."""
        kind: int = node[STATE][KIND]
        charge_steps(_FOLLOW_STEPS + len(nodes))
        if kind == LITERAL:
            self._literal(node, nodes)
        elif kind == NUMBER:
            self._number(node, nodes)
        elif kind == STRING:
            self._string(node, nodes)
        else:
            lead = self._parts.gaps.lead(self._trie, nodes, gap, node[DEPTH])
            self.add(lead.part)
            if kind == VALUE:
                self._value(node, lead.signs, lead.numbers)
            elif kind == COLON:
                colons = lead.signs.get(_COLON)
                if colons:
                    self.add_ends(colons)
                    value = self._machine.node((VALUE, node[STATE][1]), node[PARENTS])
                    self.enter(value, 0, colons)
            elif kind == OBJECT:
                self._object(node, lead.signs)
            elif kind == ARRAY:
                self._array(node, gap, nodes, lead.signs)
            elif kind == END and node[FOLLOWING]:
                following = self._machine.following_of(node)
                if following is not None:
                    self.add(following.walk(self._trie, lead.ends))

    def _literal(self, node: Node, nodes: Nodes) -> None:
        trie = self._trie
        _, which, at = node[STATE]
        for byte in LITERALS[which][at:]:
            nodes = tuple(child for n in nodes if (child := trie.child(n, byte)) >= 0)
            at += 1
            if at < len(LITERALS[which]):
                self.add_ends(nodes)
        if nodes:
            self.complete(node[PARENTS], nodes)

    def _number(self, node: Node, nodes: Nodes) -> None:
        index, trie, numbers = self._parts.index, self._trie, self._machine.numbers_of(node)
        follows = self._parts.digits_follow(node)
        found = follow_number(index, trie, numbers, node[STATE][2], nodes, digits_follow=follows)
        if not node[CAPTURES] or node[HAS_SLACK]:
            self.add(found.part)
        elif self._is_rests:
            self.add_texts(self._read_texts(node, found.list_texts(), nodes))
        else:
            for one in nodes:
                for asked, state in self._machine.distinct.numbers(node, self.text_at(one)):
                    if asked is numbers and state == node[STATE][2] and len(nodes) == 1:
                        self.add(found.part)
                    else:
                        self.add(follow_number(index, trie, asked, state, (one,)).part)
        if found.exits:
            self.complete(node[PARENTS], found.exits, ends=False)

    def _string(self, node: Node, nodes: Nodes) -> None:
        """Go on in a string that was opened just now."""
        _, number, at, count, _ = node[STATE]
        rule = self._plan.strings[number]
        if at != rule.body.start or count != rule.begin:
            raise ValueError("a string that was opened before is no part of a walk")
        is_watched = node[CAPTURES] and not node[HAS_SLACK]
        is_watched = is_watched and (node[MUST_EQUAL] or not rule.is_infinite)
        if isinstance(rule, CustomRule):
            inside, ends = self._parts.opened_strings.custom(self._trie, rule, nodes)
            self.add_texts(self._read_texts(node, inside, nodes) if is_watched else inside)
            if ends:
                self.complete(node[PARENTS], ends)
            return
        is_counted = not rule.is_far(0, len(self._trie.levels))
        exactly = is_watched or is_counted
        opened = self._parts.opened_strings.inside(self._trie, rule.body, nodes, exactly=exactly)
        found = opened.inside
        if opened.free is not None:
            self.add(opened.free)
        text_indices: Iterable[int] = found.text_indices
        ended = found.ended
        if is_counted:
            columns = (found.text_indices, found.targets, found.sizes)
            text_indices = [
                text_index
                for text_index, targets, size in zip(*columns, strict=True)
                if rule.leads_on(targets, size)
            ]
            ended = [e for e in ended if rule.may_end(e.state, rule.cap(e.size))]
        if is_watched:
            text_indices = self._read_texts(node, text_indices, nodes)
        self.add_texts(text_indices)
        closing = tuple(e.node for e in ended)
        if closing:
            self.complete(node[PARENTS], closing)

    def _read_texts(self, node: Node, text_indices: Iterable[int], nodes: Nodes) -> list[int]:
        """Return the texts after which something can be finished that was opened at some nodes.

        ``node`` is what is open, and ``text_indices`` are of texts that end in it.
        """
        kept = list(text_indices)
        trie = self._trie
        charge_steps(len(kept))
        if self._is_rests:
            for text_index in kept:
                self.to_verify |= 1 << text_index  # what comes before it is not known
            return kept
        # A path may begin with another: that of a number after blanks with that of one without.
        opened = [
            (path, (Configuration((node,), 0, (self._text or b"") + path),))
            for path in map(trie.path, nodes)
        ]
        found = []
        for text_index in kept:
            text = trie.texts[text_index]
            for path, here in opened:
                if text.startswith(path) and self._machine.step(here, text[len(path) :]):
                    found.append(text_index)
                    break
        return found

    def _value(self, node: Node, signs: dict[int, Nodes], numbers: Nodes) -> None:
        machine, position, parents = self._machine, node[STATE][1], node[PARENTS]
        for byte in _BEGINNINGS:
            nodes = signs.get(byte)
            if not nodes:
                continue
            found: Found = {}
            machine.begin(position, byte, parents, found)
            for state, below in found.items():
                self.go(machine.node(state, tuple(below.values())), nodes)
        if numbers:
            unique = machine.unique_of(parents)
            for number in self._plan.position(position).numbers:
                start = self._plan.numbers_without(number, unique).start
                self.enter(machine.node((NUMBER, number, start, unique), parents), 0, numbers)

    def _array(self, node: Node, gap: int, nodes: Nodes, signs: dict[int, Nodes]) -> None:
        machine = self._machine
        _, number, progress, phase, _ = node[STATE]
        closing, commas = signs.get(_CLOSE_BRACKET), signs.get(_COMMA)
        if closing and phase != NEXT and self._plan.arrays[number].may_end(progress):
            self.complete(node[PARENTS], closing)
        if (
            commas
            and self._is_rests
            and has_assumed(progress)
            and machine.distinct.has_finite_items(number)
        ):
            # It counts for what may follow which value the item had.
            for comma in commas:
                self.mark(comma)
        if phase == AFTER:
            if commas and any(machine.distinct.choices.transitions(number, progress)):
                state = (ARRAY, number, progress, NEXT, 0)
                self.go(machine.node(state, node[PARENTS]), commas)
            return
        for after, position in machine.distinct.choices.transitions(number, progress):
            # Where an item begins counts only if it is compared.
            for some in [nodes] if after[VALUES] is None else [(n,) for n in nodes]:
                frame = machine.frame(node, after, len(self.text_at(some[0])))
                self.enter(machine.node((VALUE, position), (frame,)), gap, some)

    def _object(self, node: Node, signs: dict[int, Nodes]) -> None:
        _, number, members, phase = node[STATE]
        rule = self._plan.objects[number]
        closing = signs.get(_CLOSE_BRACE)
        if closing and phase != NEXT and rule.can_close(members):
            self.complete(node[PARENTS], closing)
        labels = rule.open_labels(members)
        if not labels:
            return
        quotes = signs.get(_QUOTE)
        if phase == AFTER:
            commas = signs.get(_COMMA)
            after = self._machine.node((OBJECT, number, members, NEXT), node[PARENTS])
            if commas and after[NEEDS_CHECK]:
                commas = self.sift(after, commas)
            if not commas:
                return
            self.add_ends(commas)
            lead = self._parts.gaps.lead(self._trie, commas, 0, node[DEPTH])
            self.add(lead.part)
            quotes = lead.signs.get(_QUOTE)
        body = self._plan.key_bodies[number]
        key = self._machine.node((KEY, number, members, body.start, b""), node[PARENTS])
        if quotes and key[NEEDS_CHECK]:
            quotes = self.sift(key, quotes)
        if quotes:
            self.add_ends(quotes)
            self._key(key, quotes, labels)

    def _key(self, node: Node, quotes: Nodes, labels: int) -> None:
        """Go on in a key that was opened just now."""
        number, members = node[STATE][1], read_members(node[STATE])
        rule = self._plan.objects[number]
        dropped = rule.dropped_state(labels)
        opened_strings = self._parts.opened_strings
        exactly = node[MUST_EQUAL]  # else what is free can become endlessly many keys
        opened = opened_strings.inside_key(
            self._trie, number, quotes, exactly=exactly, dropped=dropped
        )
        if opened.free is not None:
            self.add(opened.free)
        found, keys = opened.inside, rule.keys
        pairs = zip(found.text_indices, found.targets, strict=True)
        text_indices: Iterable[int]
        if members[OTHERS] and rule.tracks_used_keys:
            text_indices = self._unused(node, pairs, labels, quotes)
        else:
            text_indices = [n for n, to in pairs if keys.reach_of(to) & labels]
        if node[CAPTURES] and not node[HAS_SLACK] and (node[MUST_EQUAL] or not rule.is_open):
            text_indices = self._read_texts(node, text_indices, quotes)
        self.add_texts(text_indices)
        ended = opened_strings.ended_keys(self._trie, number, quotes, dropped)
        kept = [key for key in ended if labels >> rule.own_label(key.label) & 1]
        if kept and node[PARENTS][0][STATE][KIND] == PLACEHOLDER:
            self._keys += kept
        elif kept:
            self.end_keys(node, kept)

    def _unused(
        self, node: Node, pairs: Iterable[tuple[int, frozenset[int]]], labels: int, quotes: Nodes
    ) -> list[int]:
        """Return the texts that can become a key that was not there, of few that there are."""
        number, members = node[STATE][1], read_members(node[STATE])
        body, keys = self._plan.key_bodies[number], self._plan.objects[number].keys
        found = []
        for text_index, targets in pairs:
            charge_steps(1)
            is_live = keys.is_surely_live(targets, labels)
            if not is_live and keys.reach_of(targets) & labels and self._is_rests:
                # The key that was read before the quote may be the one.
                self.to_verify |= 1 << text_index
                is_live = True
            elif not is_live and keys.reach_of(targets) & labels:
                raw = after_quote(self._trie, self._trie.texts[text_index], quotes)
                at, others = body.read(raw), members[OTHERS]
                is_live = self._plan.key_is_live(number, labels, at, raw, others)
            if is_live:
                found.append(text_index)
        return found
