"""Which tokens are legal inside a string that is or ends in a host name, and which close it?

What a label may still have depends on all of its characters. But which characters may follow, if
length does not count, depends on few things, so that is found once for all labels of one *profile*:
by reading the tokens character by character, over the trie of what they spell. How long a label
becomes is then bounded for all tokens at once, and worked out for those where the bound is met.
Tokens with dots, or whose first character may be one with the last that was read, are read anew
where that is not enough.

Before the host name begins the automaton says what is legal, but for tokens in which it begins.

Example: after ``"www`` all tokens of up to 60 ASCII letters and digits stay inside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.plan.hosted import HostedRule, Read
from maskc.runtime.schema.scans.spelled import BETWEEN, CLOSES, Spelled
from maskc.runtime.schema.scans.stepping import step_body
from maskc.runtime.schema.strings.ace import ENOUGH
from maskc.runtime.schema.strings.hosts import MOST, START, Host, Hosts
from maskc.runtime.schema.strings.label_kinds import runs_between
from maskc.runtime.schema.strings.labels import ACE, MOST_OCTETS, Label
from maskc.runtime.schema.strings.punycode import lengths_with, most_digits
from maskc.runtime.schema.strings.transitions import DEAD
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints, Nodes

Bools = NDArray[np.bool_]
_AT = ord("@")
_FIRST, _LAST = 0x80, 0x10FFFF
_DOTS = (0x2E, 0x3002, 0xFF0E, 0xFF61)
# Of an item, if length does not count: illegal, to be read, legal if a character comes, legal.
_OUT, _ASKED, _OPEN, _WHOLE = range(4)
_ONE_MORE = 9  # letters that one more character takes at most


class Shape(NamedTuple):
    """What the items of a spelled vocabulary are made of; each of n_items.

    Attributes:
        size: characters, one left open included.
        n_other: those of them that are not ASCII.
        low: the least of these; more than any character without one.
        high: the greatest, 0 without one.
        n_dots: dots.
        is_ascii: whether there are only ASCII letters and digits.
        is_small: whether these are small, too.
        is_never: whether there is a character that no host name has.
        is_careful: whether the first character may be one with what was read before.
        has_at: whether there is an ``@``.
    """

    size: Ints
    n_other: Ints
    low: Ints
    high: Ints
    n_dots: Ints
    is_ascii: Bools
    is_small: Bools
    is_never: Bools
    is_careful: Bools
    has_at: Bools


def hosts_in(rule: HostedRule) -> Hosts:
    """Return the reader of a rule, which is one of host names.

    Raises:
        ValueError: it is another one.
    """
    if not isinstance(rule.reader, Hosts):
        raise ValueError("the strings of a rule are no host names")
    return rule.reader


class Walked(NamedTuple):
    """What was found by reading, as items.

    Attributes:
        inside: those that stay inside.
        ended: those that close the string.
        whole: those that stay inside, and after which it may be closed.
        asked: those of labels that begin with ``xn--``, where lengths do not count.
    """

    inside: list[int]
    ended: list[int]
    whole: list[int]
    asked: list[int]


def shape_of(index: TokenIndex, spelled: Spelled) -> Shape:
    """Return what the items of a whole vocabulary are made of."""
    key = (Shape, spelled.minimal)
    found: Shape | None = index.shared.get(key)
    if found is None:
        found = _find_shape(spelled)
        index.shared.put(key, found, sum(column.nbytes for column in found))
    return found


def _find_shape(spelled: Spelled) -> Shape:
    chars = np.asarray(spelled.tables.chars).astype(np.int32)
    is_letter = (chars >= 0x61) & (chars <= 0x7A) | (chars >= 0x41) & (chars <= 0x5A)
    is_letter |= (chars >= 0x30) & (chars <= 0x39)
    is_dot = np.isin(chars, _DOTS)
    is_known, is_careful = is_letter | is_dot | (chars == ord("-")), np.zeros_like(is_dot)
    for first, last, kind in runs_between(_FIRST, _LAST):
        inside = (chars >= first) & (chars <= last)
        is_known |= inside
        if "c" in kind.flags:
            is_careful |= inside
    is_other = (chars >= _FIRST) & ~is_dot
    is_capital = (chars >= 0x41) & (chars <= 0x5A)
    signs = [is_other, is_dot, ~is_letter, is_capital, ~is_known, chars == _AT]
    sums = np.stack(signs).astype(np.int32)
    low, high = np.where(is_other, chars, _LAST + 1), np.where(is_other, chars, 0)
    # The root has no character.
    sums[:, 0], low[0], high[0], is_careful[0] = 0, _LAST + 1, 0, False
    depth, parents = np.zeros(len(chars), dtype=np.int32), spelled.parent_array
    for level in range(1, len(spelled.levels) - 1):
        nodes = slice(spelled.levels[level], spelled.levels[level + 1])
        above = parents[nodes]
        sums[:, nodes] += sums[:, above]
        low[nodes] = np.minimum(low[nodes], low[above])
        high[nodes] = np.maximum(high[nodes], high[above])
        depth[nodes] = level
        if level > 1:
            is_careful[nodes] = is_careful[above]
    owners, kinds = spelled.owners, spelled.tables.kinds
    n_other, n_dots, n_signs, n_capitals, n_strange, n_ats = sums[:, owners]
    is_cut = (kinds != BETWEEN) & (kinds != CLOSES)
    # Of each beginning of a character: the least, the greatest, and whether some are careful.
    cuts = [
        (
            max(min((low for low, _ in ranges), default=0), _FIRST),
            max((high for _, high in ranges), default=0),
            any("c" in r.kind.flags for low, high in ranges for r in runs_between(low, high)),
        )
        for ranges in spelled.ranges
    ]
    cut_low, cut_high, cut_careful = np.array(cuts, dtype=np.int32).T[:, spelled.tables.begun]
    low, high = low[owners], high[owners]
    return Shape(
        depth[owners] + is_cut,
        n_other + is_cut,
        np.where(is_cut, np.minimum(cut_low, low), low),
        np.where(is_cut, np.maximum(cut_high, high), high),
        n_dots,
        (n_signs == 0) & (kinds == BETWEEN),
        (n_signs + n_capitals == 0) & (kinds == BETWEEN),
        n_strange > 0,
        is_careful[owners] | is_cut & (depth[owners] == 0) & (cut_careful > 0),
        n_ats > 0,
    )


class _Walk:
    """Reads items from a state on.

    Args:
        spelled: whose items they are.
        rule: of the string.
        is_asked: of each item whether it is read in the host name; ``None``: all.
        is_early: the same before it.
        is_measured: whether lengths count.
    """

    def __init__(
        self,
        spelled: Spelled,
        rule: HostedRule,
        *,
        is_asked: Bools | None = None,
        is_early: Bools | None = None,
        is_measured: bool = True,
    ) -> None:
        self._spelled, self._rule, self._is_measured = spelled, rule, is_measured
        self._hosts = hosts_in(rule)
        self._asked, self._early = _Asked(is_asked), _Asked(is_early)
        self.found = Walked([], [], [], [])

    def run(self, state: int, host: Host) -> Walked:
        """Return what is found from a state of the automaton on."""
        spelled, dfa, sink, hosts = self._spelled, self._rule.body.dfa, self._rule.sink, self._hosts
        step = hosts.step if self._is_measured else hosts.step_unmeasured
        open_ = [(0, state, host)]
        while open_:
            node, here, read = open_.pop()
            self._items(node, here, read)
            for child in range(spelled.first[node], spelled.first[node + 1]):
                code = spelled.chars[child]
                target = dfa.step(here, code)
                if target == DEAD:
                    continue
                asked = self._asked if target == sink else self._early
                if asked.among(spelled.low[child], spelled.high[child]):
                    after = step(read, code) if target == sink else read
                    if after is not None:
                        open_.append((child, target, after))
        return self.found

    def _items(self, node: int, state: int, host: Host) -> None:
        spelled, rule, found = self._spelled, self._rule, self.found
        asked = self._asked if state == rule.sink else self._early
        low = spelled.low[node]
        items = range(low, low + spelled.n_ending[node])
        items_asked = [item for item in items if asked.among(item, item + 1)]
        if not items_asked:
            return
        if not self._is_measured and self._hosts.label_of(host).is_ace:
            found.asked.extend(items_asked)
            return
        may_end = rule.may_end(state, Read(host, b""))
        for item in items_asked:
            kind = spelled.kinds[item]
            if kind == CLOSES:
                if may_end:
                    found.ended.append(item)
            elif kind == BETWEEN:
                (found.whole if may_end else found.inside).append(item)
            elif rule.leads_into(
                state, host, spelled.ranges[spelled.begun[item]], is_measured=self._is_measured
            ):
                found.inside.append(item)


class _Asked:
    """Which items of a run are asked for, by how many there are before each."""

    def __init__(self, are: Bools | None) -> None:
        self._before: memoryview | None = None
        if are is not None:
            self._before = np.append(0, np.cumsum(are)).astype(np.int64).data

    def among(self, low: int, high: int) -> bool:
        """Return whether any of a run is."""
        return self._before is None or self._before[high] > self._before[low]


def walk_all(spelled: Spelled, rule: HostedRule) -> Walked:
    """Return what a string that opens does to items."""
    return _Walk(spelled, rule).run(rule.body.dfa.start, START)


def walk_early(spelled: Spelled, shape: Shape, rule: HostedRule, state: int) -> Walked:
    """Return what reading finds of the items in which the host name begins."""
    return _Walk(spelled, rule, is_early=shape.has_at).run(state, START)


def walk_literals(spelled: Spelled, rule: HostedRule, state: int) -> Walked:
    """Return what reading finds of items that begin with what is no host name, where one may."""
    none = np.zeros(spelled.n_items, dtype=np.bool_)
    return _Walk(spelled, rule, is_asked=none).run(state, START)


def walk_name(index: TokenIndex, spelled: Spelled, rule: HostedRule, host: Host) -> Walked:
    """Return what a host name does to a whole vocabulary."""
    shape, hosts = shape_of(index, spelled), hosts_in(rule)
    label, room = hosts.label_of(host), hosts.room_of(host)
    kinds = spelled.tables.kinds
    if label.is_ace:
        n_left = room - len(label.text)
        sure = shape.is_ascii & (shape.size <= n_left - ENOUGH)
        left = ~(sure | shape.is_never) & ((shape.n_dots > 0) | (shape.size <= n_left))
    else:
        outcome = _outcomes(index, spelled, shape, rule, label)
        most, is_exact = _bound(shape, label, outcome == _OPEN)
        is_one = shape.n_dots == 0
        fits = most <= room
        if hosts.is_strict:
            fits &= is_one | (host.used + (MOST_OCTETS + 1) * (shape.n_dots + 1) <= MOST)
        elif label.is_ascii:
            fits |= is_one & (shape.n_other == 0)
        sure = (outcome > _ASKED) & fits
        left = (outcome > _ASKED) & ~fits & ~(is_exact & is_one) | (outcome == _ASKED)
        is_whole = is_one & (outcome == _WHOLE) & ((kinds == BETWEEN) | (kinds == CLOSES))
        rows = np.flatnonzero(left & is_whole & (shape.size + len(label.text) <= room))
        if len(rows):
            sure[rows] = lengths_with(label.text, _texts_of(shape, spelled, rows)) <= room - len(
                ACE
            )
        left &= ~is_whole
    walked = _Walk(spelled, rule, is_asked=left).run(rule.sink, host)
    inside = np.flatnonzero(sure & (kinds != CLOSES)).tolist()
    ended = np.flatnonzero(sure & (kinds == CLOSES)).tolist()
    inside += walked.inside + walked.whole
    return Walked(inside, ended + walked.ended, [], [])


def _outcomes(
    index: TokenIndex, spelled: Spelled, shape: Shape, rule: HostedRule, label: Label
) -> NDArray[np.uint8]:
    """Return what items come to after a label of some profile, if its length does not count."""
    key = (Shape, spelled.minimal, hosts_in(rule).is_strict, label.profile)
    found: NDArray[np.uint8] | None = index.shared.get(key)
    if found is None:
        asked = ~(shape.is_never | shape.is_careful)
        if label.is_settled:
            asked &= ~shape.is_ascii
        walk = _Walk(spelled, rule, is_asked=asked, is_measured=False)
        walked = walk.run(rule.sink, Host(0, label.text))
        found = np.full(spelled.n_items, _OUT, dtype=np.uint8)
        found[walked.asked] = _ASKED
        found[walked.inside] = _OPEN
        found[walked.whole] = found[walked.ended] = _WHOLE
        found[shape.is_careful & ~shape.is_never] = _ASKED
        if label.is_settled:
            found[shape.is_ascii if label.is_ascii else shape.is_small] = _WHOLE
        index.shared.put(key, found, found.nbytes)
    return found


def _bound(shape: Shape, label: Label, is_open: Bools) -> tuple[NDArray[np.int64], Bools]:
    """Return how long a label becomes at most with each item, and where it is just that long.

    Args:
        shape: of the items; one with dots counts as if it had none.
        label: before them.
        is_open: of each item whether one more character must come.
    """
    codes = [ord(character) for character in label.text if ord(character) >= _FIRST]
    n_chars = len(label.text) + shape.size.astype(np.int64)
    has_none = shape.n_other == 0
    if not codes:
        exactly = n_chars + is_open
        is_exact = has_none
    else:
        letters = np.zeros((MOST_OCTETS + 1, MOST_OCTETS), dtype=np.int64)
        for n in range(MOST_OCTETS + 1):
            letters[n, :n] = ord("a")
        of_size = lengths_with(label.text, letters) + len(ACE)
        exactly = np.where(
            shape.size > MOST_OCTETS, n_chars, of_size[np.minimum(shape.size, MOST_OCTETS)]
        )
        exactly += is_open * _ONE_MORE
        is_exact = has_none & ~is_open
    n_other = len(codes) + shape.n_other
    low = np.minimum(min(codes, default=_LAST), shape.low).astype(np.int64)
    high = np.maximum(max(codes, default=0), shape.high).astype(np.int64)
    low = np.where(shape.n_dots > 0, high, low)  # any character may be the first of its label
    n_points = n_chars + 2
    span = np.where(shape.n_dots > 0, high - _FIRST, high - low)
    most = len(ACE) + 1 + n_chars - n_other + is_open * _ONE_MORE
    most += most_digits((low - _FIRST + 1) * n_points)
    most += np.maximum(n_other - 1, 0) * most_digits((span + 1) * n_points)
    return np.where(has_none, exactly, most), is_exact


def _texts_of(shape: Shape, spelled: Spelled, items: NDArray[Any]) -> NDArray[np.int64]:
    """Return the characters of some items: int64[n, m], filled up with zeros."""
    nodes, parents = spelled.owners[items], spelled.parent_array
    sizes, chars = shape.size[items], np.asarray(spelled.tables.chars)
    found = np.zeros((len(items), int(sizes.max())), dtype=np.int64)
    for n in range(found.shape[1], 0, -1):
        rows = np.flatnonzero(sizes >= n)
        found[rows, n - 1] = chars[nodes[rows]]
        nodes[rows] = parents[nodes[rows]]
    return found


def walk_cut(index: TokenIndex, rule: HostedRule, at: int, count: Any) -> tuple[list[int], Nodes]:
    """Return what a string that is open inside a character does to the vocabulary.

    Returns:
        The texts that stay inside, and the nodes after quotes that end it.
    """
    trie, body = index.tokens, rule.body
    found = step_body(trie, body, at, (ROOT,))
    if found is None:
        raise ValueError("a walk without a bound came back with nothing")

    def read(text: bytes) -> tuple[int, Any] | None:
        here: tuple[int, Any] | None = (at, count)
        for byte in text:
            here = rule.move(*here, byte) if here else None
        return here

    places = [place for place in found.places if read(trie.texts[place])]
    nodes = []
    for node, state, _ in found.ended:
        here = read(trie.path(node)[:-1])
        if here and rule.may_end(state, here[1]):
            nodes.append(node)
    return places, tuple(nodes)
