"""The keys of an object: what a prefix of one can become, which were there, and which are left.

Each state of the keys' automaton leads to some labels, and to endlessly many keys of some of them.
With the keys ``a`` and ``^c.*$`` the prefix ``a`` becomes one key, ``c`` endlessly many.

Keys that no rule names are kept as one text. A set is an object that Python's garbage collector
looks at each time it runs, for every state that is remembered; a text is none, and knows its hash.
The keys lie in it in ascending order, each between two separators, so equal sets are equal texts.
Of b and a it is a separator, ``a``, a separator, ``b``, a separator.

A class may have few keys, as of ``^[a-z]{1,2}$``, and a beginning of a key may lead to few of an
endless class. What was used is kept by the keys that were there, and made of what was used before
the last one: a key costs the same however many came before it. Of ``^[ab]{1,2}$`` and the keys
``a``, ``aa`` and ``ab``, the beginning ``a`` is spent.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, NewType

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.step_budget import charge_steps

OtherKeys = NewType("OtherKeys", str)

# Halves of surrogate pairs, which are in no key that can be read.
_SEPARATOR: Final = chr(0xDFFE)
UNREAD: Final = chr(0xDFFF)  # a key that is not known

NO_KEYS: Final = OtherKeys("")
_LABELS: Final = 10_000  # whose bits are one step for a state
_STATES_AT_ONCE: Final = 64  # that are one step
_UNKNOWN: Final = -1
_MOST_SHARED: Final = 4  # prefixes of words that a state stands for, on average
_KEY_STEPS: Final = 10  # that each character of a key counts for
_MOST_CHARACTERS: Final = 4_000_000  # of the keys that are remembered


def unread_key(label: int) -> str:
    """Return a key of a label that stands for any that cannot be read, or was not there before."""
    return f"{UNREAD}{label}"


def label_of_unread(key: str) -> int | None:
    """Return the label of what :func:`unread_key` made, ``None`` of another key."""
    return int(key[1:]) if len(key) > 1 and key[0] == UNREAD else None


def has_key(others: OtherKeys, key: str) -> bool:
    return bool(others) and _SEPARATOR + key + _SEPARATOR in others


def list_keys(others: OtherKeys) -> list[str]:
    return others.split(_SEPARATOR)[1:-1]


def list_begun(others: OtherKeys, prefix: str) -> list[str]:
    """Return those of them that begin with a text, in ascending order.

    >>> list_begun(join_keys(["a", "ab", "b"]), "a")
    ['a', 'ab']
    """
    first = others.find(_SEPARATOR + prefix)
    if first < 0:
        return []
    last = others.find(_SEPARATOR, others.rfind(_SEPARATOR + prefix, 0, len(others) - 1) + 1)
    return others[first + 1 : last].split(_SEPARATOR)


def count_begun(others: OtherKeys, prefix: str) -> int:
    """Return how many of them begin with a text.

    >>> count_begun(join_keys(["a", "ab", "b"]), "a")
    2
    """
    if not prefix:
        return max(others.count(_SEPARATOR) - 1, 0)
    return others.count(_SEPARATOR + prefix)


def add_key(others: OtherKeys, key: str) -> OtherKeys:
    """Return them with one more.

    >>> list_keys(add_key(add_key(NO_KEYS, "b"), "a"))
    ['a', 'b']
    """
    if has_key(others, key):
        return others
    keys = list_keys(others)
    insort(keys, key)
    return join_keys(keys)


def join_keys(keys: Iterable[str]) -> OtherKeys:
    """Return some keys, which are different and in ascending order."""
    found = _SEPARATOR.join(keys)
    return OtherKeys(_SEPARATOR + found + _SEPARATOR)


@mypyc_attr(acyclic=True)
class Keys:
    """Which labels a prefix of a key can lead to; those below ``n_names`` are names.

    If it is flat, every state leads to endlessly many keys of one class, of all without a name.

    Attributes:
        infinite: state → those of them that it leads to endlessly many keys of; never names.
    """

    def __init__(self, dfa: CharDfa, n_names: int, *, is_flat: bool) -> None:
        self.dfa = dfa
        self.names = (1 << n_names) - 1
        charge_steps(dfa.n_states * (1 + n_names // _LABELS))
        may_be_words = is_flat or dfa.defaults[dfa.start] == DEAD
        self._has_words = may_be_words and order_names(dfa) is not None
        if not self._has_words:
            own = [0 if label == NO_LABEL else 1 << label for label in dfa.labels]
            self._reach, self.infinite = _propagate(dfa, own, self.names)
            return
        infinite = 1 << n_names if is_flat else 0
        self.infinite = [0] + [infinite] * (dfa.n_states - 1)
        # Of 20,000 names all bits take 50 MB; few states are asked about.
        self._reach = [_UNKNOWN] * dfa.n_states
        self._n_label_bytes = max(dfa.labels) // 8 + 1

    def labels_after(self, state: int) -> int:
        """Return the labels that a state leads to, as bits.

        A state is found of those below it that were asked about before, so ask about these first.
        """
        found = self._reach[state]
        if found == _UNKNOWN:
            found = self._reach[state] = self._collect(state)
        return found

    def _collect(self, state: int) -> int:
        """Return the labels that a state of words leads to; the words' states have no circles."""
        dfa = self.dfa
        rows, labels, default = dfa.rows, dfa.labels, dfa.defaults[state]
        found, n_states = 0, 0
        own = bytearray(self._n_label_bytes)
        seen = {state, default}
        worklist = [state, default] if state != default else [state]
        for here in worklist:  # it grows meanwhile
            n_states += 1
            if self._reach[here] != _UNKNOWN:
                found |= self._reach[here]
                continue
            label = labels[here]
            if label != NO_LABEL:
                own[label >> 3] |= 1 << (label & 7)
            for target in rows[here].values():
                if target not in seen:
                    seen.add(target)
                    worklist.append(target)
        charge_steps(n_states // _STATES_AT_ONCE)
        return found | int.from_bytes(own, "little")

    def reach_of(self, states: Iterable[int]) -> int:
        found = 0
        for state in states:
            found |= self.labels_after(state)
        return found

    @property
    def has_finite_prefix(self) -> bool:
        """Whether some prefix of a key without a name can become few keys only."""
        start, names = self.dfa.start, self.names
        # All that a state leads to, the start does, and words are infinite nowhere or everywhere.
        states = [start] if self._has_words else range(self.dfa.n_states)
        return any(self.labels_after(s) & ~self.infinite[s] & ~names for s in states)

    def is_surely_live(self, states: Iterable[int], labels: int) -> bool:
        """Return whether a prefix in one of some states can become a key of endlessly many."""
        return any(
            self.labels_after(state) & labels & (self.names | self.infinite[state])
            for state in states
        )

    def reach_left(self, state: int, prefix: str, others: OtherKeys) -> int:
        """Return the labels of keys that a prefix can become, and that are not among the others."""
        left = self.labels_after(state)
        open_ = left & ~(self.names | self.infinite[state])
        if not open_:
            return left
        n_begun = count_begun(others, prefix)
        while open_:
            low = open_ & -open_
            open_ ^= low
            label = low.bit_length() - 1
            if self.dfa.count(state, label, n_begun + 1) > n_begun:
                continue
            charge_steps(n_begun)
            taken = sum(
                other.startswith(prefix) and self.dfa.labels[self.dfa.read(other)] == label
                for other in list_keys(others)
            )
            if self.dfa.count(state, label, taken + 1) <= taken:
                left ^= low
        return left


def order_names(dfa: CharDfa) -> list[int] | None:
    """Return the states but the sink, each before those that it leads to (Kahn, 1962).

    ``None`` unless all defaults are one sink, or dead, and all else leads to words, of which there
    are not many more than states.
    """
    if dfa.order is None:
        dfa.order = (_find_order(dfa),)
    return dfa.order[0]


def _find_order(dfa: CharDfa) -> list[int] | None:
    start, rows = dfa.start, dfa.rows
    if dfa.texts is not None:  # each state was made before those that it leads to
        return list(range(start, dfa.n_states))
    sink = dfa.defaults[start]
    if rows[sink] or any(target != sink for target in dfa.defaults[1:]):
        return None
    n_before = [0] * dfa.n_states
    for row in rows:
        for target in row.values():
            n_before[target] += 1
    if sink != DEAD and n_before[DEAD] or n_before[start] and start != sink:
        return None
    n_characters = dfa.count_characters()
    most = _MOST_SHARED * dfa.n_states
    n_prefixes = [0] * dfa.n_states
    n_prefixes[start] = 1
    order = [start] if start != sink else []
    for state in order:
        n_here = n_prefixes[state]
        most -= n_here
        if most < 0:
            return None
        for kind, target in rows[state].items():
            n_before[target] -= 1
            n_prefixes[target] += n_here * n_characters.get(kind, 0)
            if not n_before[target] and target != sink:
                order.append(target)
    return order if len(order) == dfa.n_states - 1 - (sink != DEAD) else None


def _propagate(dfa: CharDfa, own: list[int], names: int) -> tuple[list[int], list[int]]:
    """Return for each state the labels that it leads to, and those of endlessly many keys.

    By strongly connected components (Tarjan, 1972, with a stack of our own): each is found after
    all that it leads to.
    """
    reach, infinite = [0] * len(own), [0] * len(own)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    work: list[tuple[int, Iterator[int]]] = []

    for root in range(1, dfa.n_states):
        entered = DEAD if root in index else root
        while entered != DEAD or work:
            if entered != DEAD:
                index[entered] = low[entered] = len(index)
                stack.append(entered)
                inside.add(entered)
                work.append((entered, iter(dfa.successors(entered))))
            state, after = work[-1]
            entered = next(after, DEAD)
            if entered != DEAD:
                if entered in index:
                    if entered in inside:
                        low[state] = min(low[state], index[entered])
                    entered = DEAD
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[state])
            if low[state] == index[state]:
                members = [stack.pop()]
                while members[-1] != state:
                    members.append(stack.pop())
                inside.difference_update(members)
                labels = many = 0
                is_cyclic = len(members) > 1
                for member in members:
                    labels |= own[member]
                    for target in dfa.successors(member):
                        labels |= reach[target]
                        many |= infinite[target]
                        is_cyclic |= target == member
                for member in members:
                    reach[member], infinite[member] = labels, labels & ~names if is_cyclic else many
    return reach, infinite


class Used(NamedTuple):
    """How many keys of each finite class were there, and the beginnings that are spent.

    These lead to no other key of some labels; with each are the labels that are left, as bits.
    """

    counts: tuple[int, ...]
    spent: frozenset[tuple[str, int]]


class UsedKeys:
    """What keys without a name have used, of classes that are finite."""

    def __init__(self, keys: Keys, finite: tuple[int, ...]) -> None:
        self._keys, self._finite = keys, finite
        self._known: dict[OtherKeys, Used] = {}
        self._n_characters = 0
        self._none = Used((0,) * len(finite), frozenset())

    def of(self, others: OtherKeys) -> Used:
        if not others:
            return self._none
        found = self._known.get(others)
        if found is None:
            found = self._none
            for key in list_keys(others):
                found = self._use(found, others, key)
            self._keep(others, found)
        return found

    def add(self, before: OtherKeys, key: str) -> OtherKeys:
        """Return some keys with one more, and remember what they have used."""
        others = add_key(before, key)
        if others not in self._known and others != before:
            self._keep(others, self._use(self.of(before), others, key))
        return others

    def _keep(self, others: OtherKeys, used: Used) -> None:
        self._n_characters += len(others)
        if self._n_characters > _MOST_CHARACTERS:
            # Those that were made last are asked for again.
            kept = list(self._known.items())[len(self._known) // 2 :]
            self._known = dict(kept)
            self._n_characters = len(others) + sum(len(known) for known, _ in kept)
        self._known[others] = used

    def _use(self, used: Used, others: OtherKeys, key: str) -> Used:
        """Return what is used with one key more, which is among the others."""
        dfa = self._keys.dfa
        charge_steps(_KEY_STEPS * (1 + len(key)))
        label, spent = label_of_unread(key), used.spent
        if label is None:
            label = dfa.labels[dfa.read(key)]
            more = self._spend(others, key)
            spent = spent.union(more) if more else spent
        counts = used.counts
        if label in self._finite:
            counts = tuple(n + (k == label) for k, n in zip(self._finite, counts, strict=True))
        return Used(counts, spent)

    def _spend(self, others: OtherKeys, key: str) -> list[tuple[str, int]]:
        """Return the beginnings of a key that lead to no other key of some labels."""
        keys, state = self._keys, self._keys.dfa.start
        found = []
        for n in range(len(key) + 1):
            left = keys.reach_left(state, key[:n], others)
            if left != keys.labels_after(state):
                found.append((key[:n], left))
            if not left:
                break
            if n < len(key):
                state = keys.dfa.step(state, ord(key[n]))
        return found
