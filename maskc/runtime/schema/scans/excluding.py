"""The spellings of a number that must differ from others, such as the items before it.

Most texts stay legal whichever values are excluded. So what the rule alone allows is found once for
all items, and of that we look only at texts that can become an excluded value. These are found by a
walk of excluded values, as if they were the only ones that are allowed:

- after some digits, of those that begin so, which are few;
- before the first digit that is not 0, of each value once. There texts are looked at by their heads
  (:mod:`maskc.runtime.schema.numbers.excluded`), and what the excluded values of a head do to its
  texts is remembered, as an item changes few heads.

Example: with 5 excluded from 0 to 9, of the ten digits ``5`` alone is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from maskc.runtime.effort import spend
from maskc.runtime.schema.numbers.excluded import Decimal, Head, head_of
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, Numbers, State
from maskc.runtime.schema.scans.digits import Walked, follow_rule, part_of, walk_number
from maskc.runtime.schema.tries.summary import Part, bits_of
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Nodes, Trie

_IN_ORDER = bytes(sorted(NUMBER_BYTES))
# Bytes of what excluded values do to the texts after one state: at most, and counted at once.
_MOST_REMEMBERED, _COUNTED = 8 << 20, 1 << 18
_MOST_WALKED = 20_000  # values


class Text(NamedTuple):
    """The texts at one node, which can become an excluded value.

    Attributes:
        first, last: by place, the first of them and the one after the last.
        state: after them.
        exit: the node, if they write that value; else -1.
    """

    first: int
    last: int
    state: State
    exit: int


class Gone(NamedTuple):
    """What is illegal only for the excluded values.

    Attributes:
        places: texts.
        exits: nodes.
    """

    places: set[int]
    exits: set[int]


class Listing:
    """The texts after a state without digits but 0 that can become excluded values.

    Attributes:
        walked: the values that were excluded once.
        texts: those that can become one of these, by head.
        remembered: by a head and the excluded values that have it, what they do to its texts.
        last: the number of the set of values that was asked for last, and what it does by head.
        n_bytes: about how much is remembered.
    """

    def __init__(self) -> None:
        self.last: tuple[int, dict[Head, Gone]] = (0, {})
        self.walked: set[Decimal] = set()
        self.texts: dict[Head, dict[Text, None]] = {}
        self.remembered: dict[tuple[Head, frozenset[Decimal]], Gone] = {}
        self.n_bytes = 0


def follow_number(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> Walked:
    """Return what a number does to the texts after some nodes.

    Args:
        index: whose memory is used.
        trie: of it.
        numbers: what is asked of the number.
        state: of the number, at all nodes.
        nodes: where the walk begins; texts that end there do not count.
    """
    base = numbers.base
    if base is None:
        return follow_rule(index, trie, numbers, state, nodes)
    gone = Gone(set(), set())
    if base.runs_on:
        # Nobody asks for it again: the next item has one more value that is excluded.
        runs, more, exits = walk_number(index, trie, numbers, state, nodes)
        return Walked(runs, more, part_of(index, runs, more, is_rests=trie is index.rests), exits)
    if state[2]:
        values = numbers.excluded.begun(state[2], negative=state[0])
        if values:
            _add_gone(gone, numbers, _list_texts(trie, base.only(values), state, nodes))
    else:
        _Walk(index, trie, numbers, state, nodes).add_all(gone)
    walked = follow_rule(index, trie, base, base.canonical(state), nodes)
    return _leave_out(index, trie, walked, gone)


class _Walk:
    """A walk from a state without digits but 0; see :func:`follow_number`."""

    def __init__(
        self, index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
    ) -> None:
        self._shared, self._trie, self._numbers = index.shared, trie, numbers
        self._base, self._state, self._nodes = numbers.base or numbers, state, nodes
        self._key = (Listing, self._base.identity, state, nodes, trie is index.rests)
        found: Listing | None = self._shared.get(self._key)
        if found is None or len(found.walked) > _MOST_WALKED:
            # A new one: another thread may be at the old one.
            found = Listing()
            self._shared.put(self._key, found, 500)
        self._listing = found

    def add_all(self, gone: Gone) -> None:
        """Add all that excluded values make illegal, by their heads."""
        excluded, listing = self._numbers.excluded, self._listing
        number, by_head = listing.last
        if number != excluded.number:
            by_head = self._by_head(by_head if number == excluded.before else None)
            listing.last = excluded.number, by_head
        for found in by_head.values():
            gone.places.update(found.places)
            gone.exits.update(found.exits)
        for negative in (False, True):
            zero = (negative, 0, 0)
            if excluded.has(zero) and zero not in listing.walked:
                self._walk(zero)
            _add_gone(gone, self._numbers, list(listing.texts.get((negative, 0), ())))

    def _by_head(self, before: dict[Head, Gone] | None) -> dict[Head, Gone]:
        """Return what excluded values do to the texts of each head, where they do anything.

        Args:
            before: the same of the set that it was made from, if that is known.
        """
        excluded = self._numbers.excluded
        asked: Iterable[Head] = excluded.list_heads() if before is None else excluded.changed
        made = {} if before is None else before.copy()
        for head in asked:
            spend(1)
            made.pop(head, None)
            values = excluded.with_head(head)
            if not values:
                continue
            found = self._listing.remembered.get((head, values))
            if found is None:
                found = self._find_gone(head, values)
            if found.places or found.exits:
                made[head] = found
        return made

    def _find_gone(self, head: Head, values: frozenset[Decimal]) -> Gone:
        """Return what the excluded values of a head do to its texts, and remember it."""
        found, listing = Gone(set(), set()), self._listing
        if listing.n_bytes > _MOST_REMEMBERED:
            listing.remembered.clear()
            listing.n_bytes = 0
        for value in values - listing.walked:
            self._walk(value)
        _add_gone(found, self._numbers, list(listing.texts.get(head, ())))
        listing.remembered[head, values] = found
        self._count(700 + 40 * (len(values) + len(found.places) + len(found.exits)))
        return found

    def _walk(self, value: Decimal) -> None:
        """Add the texts that can become a value."""
        listing = self._listing
        texts = _list_texts(self._trie, self._base.alone(value), self._state, self._nodes)
        for text in texts:
            head = head_of(text.state[2], negative=text.state[0])
            listing.texts.setdefault(head, {})[text] = None
        listing.walked.add(value)
        self._count(300 + 250 * len(texts))

    def _count(self, n_bytes: int) -> None:
        before = self._listing.n_bytes
        self._listing.n_bytes += n_bytes
        if self._listing.n_bytes // _COUNTED > before // _COUNTED:
            self._shared.put(self._key, self._listing, _COUNTED)


def _list_texts(trie: Trie, only: Numbers, state: State, nodes: Nodes) -> list[Text]:
    """Return the texts that can become one of a few values."""
    found: list[Text] = []
    if only.may_end(state):
        found += [Text(0, 0, state, node) for node in nodes]
    open_ = [(node, state) for node in nodes]
    while open_:
        node, here = open_.pop()
        barred = only.barred_digits(here)
        children = trie.children(node, _IN_ORDER)
        spend(1 + len(children))
        for child, byte in children:
            after = None if byte in barred else only.step(here, byte)
            if after is None:
                continue
            low = trie.low[child]
            exit_ = child if only.may_end(after) else -1
            found.append(Text(low, low + trie.n_ending[child], after, exit_))
            if trie.has_children(child):
                open_.append((child, after))
    return found


def _add_gone(gone: Gone, numbers: Numbers, texts: list[Text]) -> None:
    """Add those of some texts that excluded values make illegal."""
    seen: set[int] = set()
    for text in texts:
        if text.exit >= 0 and not numbers.may_end(text.state):
            gone.exits.add(text.exit)
        if text.last > text.first and text.first not in seen:
            seen.add(text.first)
            spend(1)
            if not numbers.is_live(text.state):
                gone.places.update(range(text.first, text.last))


def _leave_out(index: TokenIndex, trie: Trie, walked: Walked, gone: Gone) -> Walked:
    """Return what is left without the texts and exits that are gone."""
    if not gone.places and not gone.exits:
        return walked
    exits = tuple([node for node in walked.exits if node not in gone.exits])
    if not gone.places:
        return walked._replace(exits=exits)
    more = tuple([place for place in walked.list_places() if place not in gone.places])
    if trie is index.rests:
        return Walked((), more, Part(bits=bits_of(more)), exits)
    ids = sorted([index.ids[place] for place in gone.places])
    words = index.mix(walked.part.rows, walked.part.few, ids)
    return Walked((), more, Part((words,)), exits)
