"""The spellings of a number in a trie: which texts stay in it, and where it may end.

Tokens are full of digits, and mostly all of those after a node are legal or none is. That is asked
before the nodes are looked at one by one.

Where values are excluded, such as those of the items before, most texts stay legal whichever these
are. So what the rule alone allows is found once for all items, and of that we look only at texts
that can become an excluded value.

Example: for a number up to 65,535 every text of up to three digits is legal.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.spellings import DIGITS, NUMBER_BYTES, State
from maskc.runtime.schema.tries import Nodes, TokenIndex, Trie, Words
from maskc.runtime.schema.tries.summary import MANY, Part, bits_of
from maskc.runtime.step_budget import charge_steps

_ZERO: Final = frozenset(b"0")
_IN_ORDER: Final = bytes(sorted(NUMBER_BYTES))


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
    walked = _follow_rule(index, trie, base, base.canonical(state), nodes)
    return _leave_out(index, trie, numbers, state, nodes, walked)


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


def _leave_out(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes, walked: NumberScan
) -> NumberScan:
    """Return what is left of a scan where values are excluded.

    Only texts that can become one of these are looked at: they are walked as if there were no other
    values.
    """
    only = numbers.only_excluded(state)
    removed, left = set[int](), set[int]()  # texts, by text index, and exits
    if only.may_end(state) and not numbers.may_end(state):
        left.update(nodes)
    open_ = [(node, state) for node in nodes]
    while open_:
        node, here = open_.pop()
        forbidden, children = only.forbidden_digits(here), trie.children(node, _IN_ORDER)
        charge_steps(1 + len(children))
        for child, byte in children:
            after = None if byte in forbidden else only.step(here, byte)
            if after is None:
                continue
            if only.may_end(after) and not numbers.may_end(after):
                left.add(child)
            low, n = trie.low[child], trie.n_ending[child]
            if n and not numbers.is_live(after):
                removed.update(range(low, low + n))
            if trie.has_children(child):
                open_.append((child, after))
    exits = tuple([node for node in walked.exits if node not in left])
    if not removed:
        return walked._replace(exits=exits)
    more = tuple([n for n in walked.list_texts() if n not in removed])
    if trie is index.suffixes:
        return NumberScan((), more, Part(bits=bits_of(more)), exits)
    ids = sorted([index.ids[n] for n in removed])
    words = index.mix(walked.part.rows, walked.part.few, ids)
    return NumberScan((), more, Part((words,)), exits)
