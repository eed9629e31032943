"""The spellings of a number in a trie: which texts stay in it, and where it may end.

Tokens are full of digits (llama3 has each of up to three), and mostly all of those after a node
are legal or none is. That is asked before the nodes are looked at one by one.

Example: for a number up to 65,535, every text of up to three digits is legal.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.effort import spend
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, Numbers, State
from maskc.runtime.schema.tries.summary import MANY, Part, bits_of
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Nodes, Trie

_DIGITS = frozenset(b"0123456789")
_IN_ORDER = bytes(sorted(NUMBER_BYTES))
_DIGITS_IN_ORDER = bytes(sorted(_DIGITS))


class Run(NamedTuple):
    """The texts of digits after a node.

    Attributes:
        places: those texts.
        longest: the most digits of one.
        row: the mask of those texts, where they are many tokens.
    """

    places: tuple[int, ...]
    longest: int
    row: Words | None


class Begun(NamedTuple):
    """The texts of so many digits after a node.

    Attributes:
        run: those texts.
        exits: nodes at which they end, but for those that nothing hangs on.
    """

    run: Run
    exits: Nodes


class Walked(NamedTuple):
    """What a number does to the texts after some nodes.

    Attributes:
        runs: all of their texts stay in it.
        more: other texts that do, by place.
        part: all of these.
        exits: nodes at which it may end, but for those where nothing else can follow.
    """

    runs: tuple[Run, ...]
    more: tuple[int, ...]
    part: Part
    exits: Nodes

    def list_places(self) -> list[int]:
        """Return the texts that stay in the number, by place."""
        return [*self.more, *(place for run in self.runs for place in run.places)]


def follow_rule(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> Walked:
    """Return the same as :func:`walk_number`, which is shared by all artifacts.

    Many schemas have the same rule, and it looks at nothing but the trie. No value is excluded
    beside those of the rule.
    """
    is_rests = trie is index.rests
    key = (Walked, numbers.identity, state, nodes, is_rests)
    found: Walked | None = index.shared.get(key)
    if found is None:
        runs, more, exits = walk_number(index, trie, numbers, state, nodes)
        part = part_of(index, runs, more, is_rests=is_rests)
        found = Walked(runs, more, part, exits)
        # Rows of runs are counted with these.
        n_bytes = 4 * len(part.rows) * index.n_words if more and not part.few else 0
        n_bytes += 16 * (len(more) + len(part.few)) + 8 * len(exits)
        index.shared.put(key, found, 500 + n_bytes)
    return found


def part_of(
    index: TokenIndex, runs: tuple[Run, ...], more: tuple[int, ...], *, is_rests: bool
) -> Part:
    """Return the texts of some runs and some more; numbers with the same runs share their rows."""
    if is_rests:
        return Part(bits=bits_of([*more, *(place for run in runs for place in run.places)]))
    rows = _unite(index, [run.row for run in runs if run.row is not None])
    few = [index.ids[place] for place in more]
    few += [index.ids[place] for run in runs if run.row is None for place in run.places]
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


def walk_number(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> tuple[tuple[Run, ...], tuple[int, ...], Nodes]:
    """Return what :class:`Walked` has, but for its part.

    Args:
        index: whose memory is used.
        trie: of it.
        numbers: what is asked of the number.
        state: of the number, at all nodes.
        nodes: where the walk begins; texts that end there do not count.
    """
    runs: list[Run] = []
    places: list[int] = []
    exits: list[int] = []
    spend(len(nodes))
    open_ = [(node, state) for node in nodes]
    while open_:
        node, here = open_.pop()
        if numbers.may_end(here):
            exits.append(node)
        n_children = trie.first[node + 1] - trie.first[node]
        spend(1 + n_children)
        run = _run_after(index, trie, node) if n_children > 1 else None
        covered = run is not None and numbers.takes_digits(here, run.longest)
        if covered and run is not None:
            runs.append(run)
        elif run is not None and (n_digits := numbers.exact_digits(here)):
            begun = _begin_run(index, trie, node, n_digits, zeros=numbers.is_fraction(here))
            runs.append(begun.run)
            exits += begun.exits
            covered = True
        skipped = _DIGITS if covered else numbers.barred_digits(here)
        for child, byte in trie.children(node, _IN_ORDER if n_children > 1 else None):
            if byte not in NUMBER_BYTES or byte in skipped:
                continue
            after = numbers.step(here, byte)
            if after is None:
                continue
            low = trie.low[child]
            places += range(low, low + trie.n_ending[child])
            if trie.has_children(child):
                open_.append((child, after))
    return tuple(runs), tuple(places), tuple([n for n in exits if leads_out(trie, n)])


def leads_out(trie: Trie, node: int) -> bool:
    """Return whether something follows a node that is no part of a number."""
    return any(
        byte not in NUMBER_BYTES for byte in trie.bytes[trie.first[node] : trie.first[node + 1]]
    )


def _run_after(index: TokenIndex, trie: Trie, node: int) -> Run | None:
    """Return the digits after a node, ``None`` if something else comes after one of them."""
    key = (Run, trie is index.rests, node)
    found: Run | bool | None = index.shared.get(key)
    if found is None:
        found = _find_run(index, trie, node) or False
        size = 8 * len(found.places) if isinstance(found, Run) else 0
        size += 4 * index.n_words if isinstance(found, Run) and found.row is not None else 0
        index.shared.put(key, found, 300 + size)
    return found if isinstance(found, Run) else None


def _begin_run(index: TokenIndex, trie: Trie, node: int, most: int, *, zeros: bool) -> Begun:
    """Return the texts of at most so many digits after a node, where they are a run.

    Args:
        index: the vocabulary.
        trie: of it.
        node: of the trie.
        most: so many digits.
        zeros: whether any number of zeros may come after them.
    """
    key = (Begun, trie is index.rests, node, most, zeros)
    found: Begun | None = index.shared.get(key)
    if found is None:
        places: list[int] = []
        exits: list[int] = []
        level, longest = [node], most
        while level and (most or zeros):
            few = _DIGITS_IN_ORDER if most else b"0"
            level = [child for here in level for child, _ in trie.children(here, few)]
            most = max(0, most - 1)
            for child in level:
                places += range(trie.low[child], trie.low[child] + trie.n_ending[child])
            level = [child for child in level if trie.has_children(child)]
            exits += level
        found = Begun(_make_run(index, trie, places, longest), tuple(exits))
        size = 300 + 8 * (len(places) + len(exits))
        size += 0 if found.run.row is None else 4 * index.n_words
        index.shared.put(key, found, size)
    return found


def _find_run(index: TokenIndex, trie: Trie, node: int) -> Run | None:
    places: list[int] = []
    longest = 0
    open_ = [(node, 0)]
    while open_:
        here, n_digits = open_.pop()
        longest = max(longest, n_digits)
        first, last = trie.first[here], trie.first[here + 1]
        for child, byte in enumerate(trie.bytes[first:last], first):
            if byte in _DIGITS:
                low = trie.low[child]
                places += range(low, low + trie.n_ending[child])
                open_.append((child, n_digits + 1))
            elif n_digits:
                return None
    return _make_run(index, trie, places, longest) if longest else None


def _make_run(index: TokenIndex, trie: Trie, places: list[int], longest: int) -> Run:
    is_many = trie is not index.rests and len(places) > MANY
    row = index.pack([index.ids[place] for place in places]) if is_many else None
    return Run(tuple(places), longest, row)
