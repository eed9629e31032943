r"""Atomic groups: a path counts only if no earlier path through the group matches.

``(?>X)`` keeps the first match of ``X`` whatever follows. Paths through ``X`` are tried in the
order of their choices; so a path is the first that matches iff at each choice none of the earlier
ones could have been continued to the end of ``X``. That is a negative look-ahead: ``(?>a|ab|c)``
is ``a|(?!a)ab|(?!a|ab)c``. The look-aheads run in a copy of the group with an end of its own, and
start where the choice is made: a repetition that has read nothing in this pass is left there too.

Example: ``(?>a*)b``: the choice to leave the loop counts only if no ``a`` follows.

Limits: each atomic group doubles what stands inside it; the bound on nodes applies.
"""

from __future__ import annotations

from maskc.automata.nodes import Accept, Arena, Split, targets_of, with_targets


def seal(arena: Arena, start: int, following: int) -> int:
    """Make the nodes from ``start`` to ``following`` an atomic group; return its start."""
    copy_of = {following: arena.add(Accept(0))}
    inside: list[int] = []
    pending = [start]
    while pending:
        number = pending.pop()
        if number not in copy_of:
            copy_of[number] = arena.add(arena.nodes[number])
            inside.append(number)
            pending += targets_of(arena.nodes[number])
    for number in inside:
        node = arena.nodes[number]
        arena.nodes[copy_of[number]] = with_targets(node, [copy_of[t] for t in targets_of(node)])
    for number in inside:
        node = arena.nodes[number]
        # Where a group inside this one has chosen, nothing is left to choose.
        if isinstance(node, Split) and not node.rivals:
            node.rivals = tuple(copy_of[target] for target in node.targets)
    return start
