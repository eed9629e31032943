"""Which keys can a prefix of a key become, and how many of them?

Each state of the keys' automaton leads to some labels, and to endlessly many keys of some of them.

Example: with the keys ``a`` and ``^c.*$`` the prefix ``a`` becomes one key, ``c`` endlessly many.
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.runtime.effort import spend
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.other_keys import OtherKeys, count_begun, list_keys
from maskc.runtime.schema.strings.transitions import DEAD

_LABELS = 10_000  # whose bits are one step for a state
_MOST_SHARED = 4  # prefixes of words that a state stands for, on average


class Keys:
    """Which labels a prefix of a key can lead to.

    Args:
        dfa: labels keys.
        n_names: labels below it are names, others are classes.
        is_flat: whether every state leads to endlessly many keys of one class, which has all keys
            without a name.
    """

    def __init__(self, dfa: CharDfa, n_names: int, *, is_flat: bool) -> None:
        self.dfa = dfa
        self.names = (1 << n_names) - 1
        spend(dfa.n_states * (1 + n_names // _LABELS))
        own = [0 if label == NO_LABEL else 1 << label for label in dfa.labels]
        order = order_names(dfa) if is_flat else None
        if order is not None:
            self.reach = _propagate_names(dfa, own, order)
            self.endless = [0] + [1 << n_names] * (dfa.n_states - 1)
            return
        order = order_words(dfa)
        if order is not None:
            self.reach, self.endless = _propagate_names(dfa, own, order), [0] * dfa.n_states
            return
        self.reach = _propagate(dfa, own)
        cyclic = _find_cyclic(dfa)
        self.endless = _propagate(
            dfa, [self.reach[s] & ~self.names if s in cyclic else 0 for s in range(dfa.n_states)]
        )

    def reach_of(self, states: Iterable[int]) -> int:
        """Return the labels that some states lead to, as bits."""
        found = 0
        for state in states:
            found |= self.reach[state]
        return found

    @property
    def may_run_out(self) -> bool:
        """Whether some prefix of a key without a name can become few keys only."""
        names = self.names
        pairs = zip(self.reach, self.endless, strict=True)
        return any(reach & ~endless & ~names for reach, endless in pairs)

    def is_surely_live(self, states: Iterable[int], labels: int) -> bool:
        """Return whether a prefix in one of some states can become a key of endlessly many.

        Or one of a name that may come.
        """
        return any(
            self.reach[state] & labels & (self.names | self.endless[state]) for state in states
        )

    def reach_left(self, state: int, prefix: str, others: OtherKeys) -> int:
        """Return the labels of keys that a prefix can become, and that are not among the others.

        Args:
            state: of the automaton.
            prefix: what has been read.
            others: keys of classes that were there.
        """
        left = self.reach[state]
        open_ = left & ~(self.names | self.endless[state])
        if not open_:
            return left
        n_begun = count_begun(others, prefix)
        while open_:
            low = open_ & -open_
            open_ ^= low
            label = low.bit_length() - 1
            if self.dfa.count(state, label, n_begun + 1) > n_begun:
                continue
            spend(n_begun)
            taken = sum(
                other.startswith(prefix) and self.dfa.labels[self.dfa.read(other)] == label
                for other in list_keys(others)
            )
            if self.dfa.count(state, label, taken + 1) <= taken:
                left ^= low
        return left


def order_names(dfa: CharDfa) -> list[int] | None:
    """Return the states but the sink, each before those that it leads to (Kahn, 1962).

    ``None`` unless all defaults are one sink, and all else leads to words, of which there are not
    many more than states.
    """
    if dfa.order is None:
        dfa.order = (_find_order(dfa),)
    return dfa.order[0]


def _find_order(dfa: CharDfa) -> list[int] | None:
    start, rows = dfa.start, dfa.rows
    sink = dfa.defaults[start]
    if sink == DEAD or rows[sink] or any(target != sink for target in dfa.defaults[1:]):
        return None
    n_before = [0] * dfa.n_states
    for row in rows:
        for target in row.values():
            n_before[target] += 1
    if n_before[DEAD] or n_before[start] and start != sink:
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
    return order if len(order) == dfa.n_states - 2 else None


def order_words(dfa: CharDfa) -> list[int] | None:
    """Return the states, each before those that it leads to; ``None`` if some lead in a circle.

    Or if most characters lead somewhere, as where the keys are not few words.
    """
    rows, n_states = dfa.rows, dfa.n_states
    if any(dfa.defaults):
        return None
    n_before = [0] * n_states
    for row in rows:
        for target in row.values():
            n_before[target] += 1
    order = [state for state in range(1, n_states) if not n_before[state]]
    for state in order:
        for target in rows[state].values():
            n_before[target] -= 1
            if not n_before[target] and target != DEAD:
                order.append(target)
    return order if len(order) == n_states - 1 else None


def _propagate_names(dfa: CharDfa, own: list[int], order: list[int]) -> list[int]:
    """Return the same as :func:`_propagate` where at most defaults lead in circles."""
    default = dfa.defaults[dfa.start]
    found = list(own)
    for state in reversed(order):
        bits = found[default] | found[state]
        for target in dfa.rows[state].values():
            bits |= found[target]
        found[state] = bits
    return found


def _propagate(dfa: CharDfa, own: list[int]) -> list[int]:
    """Return for each state the bits of all states that it leads to."""
    before: list[list[int]] = [[] for _ in own]
    for state in range(1, len(own)):
        for target in dfa.successors(state):
            before[target].append(state)
    found = list(own)
    open_ = [state for state in range(1, len(own)) if own[state]]
    while open_:
        state = open_.pop()
        bits = found[state]
        for earlier in before[state]:
            if bits & ~found[earlier]:
                found[earlier] |= bits
                open_.append(earlier)
    return found


def _find_cyclic(dfa: CharDfa) -> set[int]:
    """Return the states that lead back to themselves (Tarjan, 1972, with a stack of our own)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    cyclic: set[int] = set()
    for root in range(1, dfa.n_states):
        if root in index:
            continue
        work = [(root, iter(dfa.successors(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        inside.add(root)
        while work:
            state, after = work[-1]
            target = next(after, DEAD)
            if target == DEAD:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == index[state]:
                    members = []
                    while True:
                        members.append(stack.pop())
                        inside.discard(members[-1])
                        if members[-1] == state:
                            break
                    if len(members) > 1 or state in dfa.successors(state):
                        cyclic.update(members)
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                inside.add(target)
                work.append((target, iter(dfa.successors(target))))
            elif target in inside:
                low[state] = min(low[state], index[target])
    return cyclic
