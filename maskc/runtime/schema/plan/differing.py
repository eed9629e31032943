"""Can the items that an array must still have all differ, each from each?

Items come in groups: so many items that may be any of the same values. A group is given its values
one by one; where all of them are held, a group that holds one is asked to take another (a maximum
bipartite matching by augmenting paths; Kuhn, 1955), breadth first and without recursion.

Example: two items of 1, 2 and one of 2 can differ: no; two of 1, 2 and one of 2, 3: yes.

Limits: after ``MOST_STEPS`` the answer is yes. A grammar of ours takes far fewer; what somebody
made up may then reach a dead end, but comes to an end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Sequence

Group = tuple[int, Collection[Hashable]]  # how many items, and what each may be
MOST_STEPS = 1 << 18


def can_differ(groups: Sequence[Group]) -> bool:
    """Return whether all items of all groups can be different values.

    >>> can_differ([(2, "ab"), (1, "b")]), can_differ([(2, "ab"), (1, "bc")])
    (False, True)
    """
    n_items = sum(n for n, _ in groups)
    if all(len(values) >= n_items for n, values in groups if n):
        return True  # whichever the others take, enough is left
    distinct = {value for _, values in groups for value in values}
    if any(len(values) < n for n, values in groups) or len(distinct) < n_items:
        return False
    holder: dict[Hashable, int] = {}
    n_left = MOST_STEPS
    for number, (n, _) in enumerate(groups):
        for _ in range(n):
            found, n_steps = _give(number, groups, holder)
            n_left -= n_steps
            if n_left < 0:
                return True
            if not found:
                return False
    return True


def _give(number: int, groups: Sequence[Group], holder: dict[Hashable, int]) -> tuple[bool, int]:
    """Give one more value to a group; return whether there was one, and how many were looked at.

    Every group is looked at once: its items do not differ in what they may be.
    """
    wanted_by: dict[Hashable, int] = {}  # value → the group that would take it
    seen_from: dict[int, Hashable | None] = {number: None}  # group → the value that it would lose
    open_ = deque([number])
    n_steps = 0
    while open_:
        group = open_.popleft()
        for value in groups[group][1]:
            n_steps += 1
            if value in wanted_by:
                continue
            wanted_by[value] = group
            other = holder.get(value)
            if other is None:
                taken: Hashable | None = value
                while taken is not None:
                    taker = wanted_by[taken]
                    holder[taken] = taker
                    taken = seen_from[taker]
                return True, n_steps
            if other not in seen_from:
                seen_from[other] = value
                open_.append(other)
    return False, n_steps
