"""The spellings of a number in a trie: which texts stay in it, and where it may end.

Tokens are full of digits, and mostly all of those after a node are legal or none is. That is asked
before the nodes are looked at one by one.

Where values are excluded, such as those of the items before, most texts stay legal whichever these
are. So what the rule alone allows is found once for all items, and of that we look only at texts
that can become an excluded value. These are found by a walk of excluded values, as if they were the
only ones that are allowed: after some digits, of those that begin so, which are few; before the
first digit that is not 0, of each value once. There texts are looked at by their heads
(:mod:`maskc.runtime.schema.numbers.listed`), as an item changes few heads.

Example: for a number up to 65,535 every text of up to three digits is legal. With 5 excluded from 0
to 9, of the ten digits ``5`` alone is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.listed import Decimal, Head, head_of
from maskc.runtime.schema.numbers.spellings import DIGITS, NUMBER_BYTES, State
from maskc.runtime.schema.tries import Nodes, TokenIndex, Trie, Words
from maskc.runtime.schema.tries.summary import MANY, Part, bits_of
from maskc.runtime.step_budget import charge_steps

_ZERO: Final = frozenset(b"0")
_IN_ORDER: Final = bytes(sorted(NUMBER_BYTES))
# Bytes of what excluded values do to the texts after one state: at most, and counted at once.
_MOST_REMEMBERED, _COUNTED = 8 << 20, 1 << 18
_MOST_WALKED: Final = 20_000  # values


class Run(NamedTuple):
    """Digits after a node: text indices, the most digits of a text, and a row if many."""

    text_indices: tuple[int, ...]
    longest: int
    row: Words | None


class NumberScan(NamedTuple):
    """What a number does to the texts after some nodes."""

    # runs, more: texts that stay in it, some of them by text index
    runs: tuple[Run, ...]
    more: tuple[int, ...]
    part: Part  # all of these
    exits: Nodes  # nodes at which it may end, but for those where nothing else can follow

    def list_texts(self) -> list[int]:
        """Return the texts that stay in the number, by text index."""
        return [*self.more, *(n for run in self.runs for n in run.text_indices)]


class _Removed(NamedTuple):
    """Texts by text index, and exits, that are illegal only for the excluded values."""

    text_indices: set[int]
    exits: set[int]


class _Text(NamedTuple):
    """The texts at one node, from ``first`` to before ``last``, which can become an excluded value.

    ``exit`` is the node, if they write that value; else -1.
    """

    first: int
    last: int
    state: State
    exit: int


def follow_number(
    index: TokenIndex,
    trie: Trie,
    numbers: Numbers,
    state: State,
    nodes: Nodes,
    *,
    digits_follow: bool = False,
) -> NumberScan:
    """Return what a number, at all nodes in one state, does to the texts after some nodes.

    Texts that end at the nodes do not count. If ``digits_follow``, what comes after the whole text
    may begin as numbers go on; then no items are compared.
    """
    if digits_follow:
        return _walk_number(index, trie, numbers, state, nodes, digits_follow=True)
    base = numbers.base
    if base is None:
        return _follow_rule(index, trie, numbers, state, nodes)
    if base.runs_on:
        # Nobody asks for it again: the next item has one more value that is excluded.
        return _walk_number(index, trie, numbers, state, nodes)
    removed = _Removed(set(), set())
    if state[2]:
        values = numbers.excluded.begun(state[2], negative=state[0])
        if values:
            _add_removed(removed, numbers, _list_texts(trie, base.only(values), state, nodes))
    else:
        _Heads(index, trie, numbers, state, nodes).add_all(removed)
    walked = _follow_rule(index, trie, base, base.canonical(state), nodes)
    return _leave_out(index, trie, walked, removed)


def _follow_rule(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> NumberScan:
    """Return it where no value is excluded beside those of the rule, shared by all artifacts."""
    key = (NumberScan, numbers.identity, state, nodes, trie is index.suffixes)
    found: NumberScan | None = index.shared.get(key)
    if found is None:
        found = _walk_number(index, trie, numbers, state, nodes)
        # Rows of runs are counted with these.
        part, more = found.part, found.more
        n_bytes = 4 * len(part.rows) * index.n_words if more and not part.few else 0
        n_bytes += 16 * (len(more) + len(part.few)) + 8 * len(found.exits)
        index.shared.put(key, found, 500 + n_bytes)
    return found


def _walk_number(
    index: TokenIndex,
    trie: Trie,
    numbers: Numbers,
    state: State,
    nodes: Nodes,
    *,
    digits_follow: bool = False,
) -> NumberScan:
    runs: list[Run] = []
    text_indices: list[int] = []
    exits: list[int] = []
    charge_steps(len(nodes))
    open_ = [(node, state) for node in nodes]
    while open_:
        node, here = open_.pop()
        following = trie.bytes[trie.first[node] : trie.first[node + 1]]
        n_children = len(following)
        leads_out = digits_follow or not NUMBER_BYTES.issuperset(following)
        if leads_out and numbers.may_end(here):
            exits.append(node)
        charge_steps(1 + n_children)
        # A run is not looked into, and so has no exits.
        run = _run_after(index, trie, node) if n_children > 1 and not digits_follow else None
        if run is not None and not numbers.takes_digits(here, run.longest):
            n_digits = numbers.exact_digits(here)
            zeros = numbers.zeros_after(here)
            run = _run_after(index, trie, node, n_digits, zeros) if n_digits else None
        if run is not None:
            runs.append(run)
        live = None if run is not None else numbers.live_digits(here)
        if live is not None:
            skipped = DIGITS - live
        else:
            skipped = DIGITS if run is not None else numbers.forbidden_digits(here)
        for child, byte in trie.children(node, _IN_ORDER if n_children > 1 else None):
            if byte not in NUMBER_BYTES or byte in skipped:
                continue
            is_inner = trie.has_children(child)
            if is_inner or live is None or byte not in DIGITS:
                after = numbers.step(here, byte)
                if after is None:
                    continue
                if is_inner:
                    open_.append((child, after))
            low = trie.low[child]
            text_indices += range(low, low + trie.n_ending[child])
    part = _part_of(index, runs, text_indices, is_rests=trie is index.suffixes)
    return NumberScan(tuple(runs), tuple(text_indices), part, tuple(exits))


def _part_of(index: TokenIndex, runs: list[Run], more: list[int], *, is_rests: bool) -> Part:
    if is_rests:
        return Part(bits=bits_of([*more, *(n for run in runs for n in run.text_indices)]))
    rows = _unite(index, [run.row for run in runs if run.row is not None])
    few = [index.ids[n] for n in more]
    few += [index.ids[n] for run in runs if run.row is None for n in run.text_indices]
    if len(few) > MANY:
        return Part((*rows, index.pack(few)))
    return Part(rows, tuple(few))


def _unite(index: TokenIndex, rows: list[Words]) -> tuple[Words, ...]:
    """Return the tokens of some rows as one row, the same one for the same rows."""
    if len(rows) < 2:
        return tuple(rows)
    key = (Run, *[id(row) for row in rows])
    found: tuple[Words, ...] | None = index.shared.get(key)
    if found is None:
        # With the rows themselves, so that no others get their numbers.
        found = (index.mix(tuple(rows), ()), *rows)
        index.shared.put(key, found, 4 * index.n_words + 100 * len(rows))
    return found[:1]


def _run_after(
    index: TokenIndex, trie: Trie, node: int, most: int = 0, zeros: int = 0
) -> Run | None:
    """Return the digits after a node, at most so many if given; see ``Numbers.zeros_after``."""
    key = (Run, trie is index.suffixes, node, most, zeros)
    known: tuple[Run | None] | None = index.shared.get(key)
    if known is None:
        found = _find_run(index, trie, node, most, zeros)
        known, size = (found,), 300
        if found is not None:
            size += 8 * len(found.text_indices) + (0 if found.row is None else 4 * index.n_words)
        index.shared.put(key, known, size)
    return known[0]


def _find_run(index: TokenIndex, trie: Trie, node: int, most: int, zeros: int) -> Run | None:
    text_indices: list[int] = []
    level, n_digits = [node], 0
    while level and (not most or n_digits < most or zeros > 0):
        few = DIGITS if not most or n_digits < most else _ZERO
        if zeros < 0 and n_digits + 1 == most:
            few = DIGITS - _ZERO
        after: list[int] = []
        for here in level:
            for child, byte in trie.children(here, None):
                if byte in few:
                    text_indices += range(trie.low[child], trie.low[child] + trie.n_ending[child])
                    after.append(child)
                elif byte not in DIGITS and n_digits and not most:
                    return None
        n_digits += bool(after)
        level = after
    if not n_digits:
        return None
    is_many = trie is not index.suffixes and len(text_indices) > MANY
    row = index.pack([index.ids[n] for n in text_indices]) if is_many else None
    return Run(tuple(text_indices), n_digits, row)


class _Listing:
    """The texts after a state without digits but 0 that can become excluded values.

    The texts are found by head, of values that were walked, and what they do to a head's texts is
    remembered; last is the number of the set that was asked for last, and what it does by head.
    """

    def __init__(self) -> None:
        self.last: tuple[int, dict[Head, _Removed]] = (0, {})
        self.walked: set[Decimal] = set()
        self.texts: dict[Head, dict[_Text, None]] = {}
        self.remembered: dict[tuple[Head, frozenset[Decimal]], _Removed] = {}
        self.n_bytes = 0


class _Heads:
    def __init__(
        self, index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
    ) -> None:
        self._shared, self._trie, self._numbers = index.shared, trie, numbers
        self._base, self._state, self._nodes = numbers.base or numbers, state, nodes
        self._key = (_Listing, self._base.identity, state, nodes, trie is index.suffixes)
        found: _Listing | None = self._shared.get(self._key)
        if found is None or len(found.walked) > _MOST_WALKED:
            # A new one: another thread may be at the old one.
            found = _Listing()
            self._shared.put(self._key, found, 500)
        self._listing = found

    def add_all(self, removed: _Removed) -> None:
        """Add all that excluded values make illegal."""
        excluded, listing = self._numbers.excluded, self._listing
        number, by_head = listing.last
        if number != excluded.number:
            by_head = self._by_head(by_head if number == excluded.before else None)
            listing.last = excluded.number, by_head
        for found in by_head.values():
            removed.text_indices.update(found.text_indices)
            removed.exits.update(found.exits)
        for negative in (False, True):
            zero = (negative, 0, 0)
            if excluded.has(zero) and zero not in listing.walked:
                self._walk(zero)
            _add_removed(removed, self._numbers, listing.texts.get((negative, 0), ()))

    def _by_head(self, before: dict[Head, _Removed] | None) -> dict[Head, _Removed]:
        """Return what excluded values do to the texts of each head, where they do anything."""
        excluded = self._numbers.excluded
        asked: Iterable[Head] = excluded.list_heads() if before is None else excluded.changed
        made = {} if before is None else before.copy()
        for head in asked:
            charge_steps(1)
            made.pop(head, None)
            values = excluded.with_head(head)
            if not values:
                continue
            found = self._listing.remembered.get((head, values))
            if found is None:
                found = self._find_removed(head, values)
            if found.text_indices or found.exits:
                made[head] = found
        return made

    def _find_removed(self, head: Head, values: frozenset[Decimal]) -> _Removed:
        """Return what the excluded values of a head do to its texts, and remember it."""
        found, listing = _Removed(set(), set()), self._listing
        if listing.n_bytes > _MOST_REMEMBERED:
            listing.remembered.clear()
            listing.n_bytes = 0
        for value in values - listing.walked:
            self._walk(value)
        _add_removed(found, self._numbers, listing.texts.get(head, ()))
        listing.remembered[head, values] = found
        self._count(700 + 40 * (len(values) + len(found.text_indices) + len(found.exits)))
        return found

    def _walk(self, value: Decimal) -> None:
        listing = self._listing
        texts = _list_texts(self._trie, self._base.only_value(value), self._state, self._nodes)
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


def _list_texts(trie: Trie, only: Numbers, state: State, nodes: Nodes) -> list[_Text]:
    """Return the texts that can become one of a few values."""
    found: list[_Text] = []
    if only.may_end(state):
        found += [_Text(0, 0, state, node) for node in nodes]
    open_ = [(node, state) for node in nodes]
    while open_:
        node, here = open_.pop()
        forbidden = only.forbidden_digits(here)
        children = trie.children(node, _IN_ORDER)
        charge_steps(1 + len(children))
        for child, byte in children:
            after = None if byte in forbidden else only.step(here, byte)
            if after is None:
                continue
            low = trie.low[child]
            exit_ = child if only.may_end(after) else -1
            found.append(_Text(low, low + trie.n_ending[child], after, exit_))
            if trie.has_children(child):
                open_.append((child, after))
    return found


def _add_removed(removed: _Removed, numbers: Numbers, texts: Iterable[_Text]) -> None:
    seen: set[int] = set()
    for text in tuple(texts):  # another thread may add some
        if text.exit >= 0 and not numbers.may_end(text.state):
            removed.exits.add(text.exit)
        if text.last > text.first and text.first not in seen:
            seen.add(text.first)
            charge_steps(1)
            if not numbers.is_live(text.state):
                removed.text_indices.update(range(text.first, text.last))


def _leave_out(index: TokenIndex, trie: Trie, walked: NumberScan, removed: _Removed) -> NumberScan:
    if not removed.text_indices and not removed.exits:
        return walked
    exits = tuple([node for node in walked.exits if node not in removed.exits])
    if not removed.text_indices:
        return walked._replace(exits=exits)
    more = tuple([n for n in walked.list_texts() if n not in removed.text_indices])
    if trie is index.suffixes:
        return NumberScan((), more, Part(bits=bits_of(more)), exits)
    ids = sorted([index.ids[n] for n in removed.text_indices])
    words = index.mix(walked.part.rows, walked.part.few, ids)
    return NumberScan((), more, Part((words,)), exits)
