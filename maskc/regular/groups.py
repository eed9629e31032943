r"""Conditionals on groups: one copy of the NFA for each set of groups that have matched.

``(?(q)b|c)`` asks whether the path so far has left group ``q``. A pattern has finitely many groups,
so we walk its nodes together with the groups matched, and at a conditional go where they say.

- A look-around is atomic, and its groups stay matched after it. If that differs from path to
  path, we ask once for each outcome, whether the first match leaves exactly these groups.
- A group entered anew is refused inside itself: ``re`` then compares where it was entered and
  where it was left last, which is not what its documentation says.

Example: ``(?P<q>a)?b(?(q)c|d)`` is ``abc|bd``, and ``b`` stands twice in the NFA.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.errors import UnsupportedTerminalError
from maskc.regular.nodes import (
    Accept,
    Arena,
    LookAround,
    Mark,
    Node,
    SplitNode,
    Test,
    targets_of,
    with_targets,
)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Groups that have matched, and those that were entered again since."""

    matched: frozenset[int] = frozenset()
    entered: frozenset[int] = frozenset()

    def pass_mark(self, mark: Mark) -> _Groups:
        group = frozenset([mark.group])
        if mark.leaves:
            return _Groups(self.matched | group, self.entered - group)
        return _Groups(self.matched, self.entered | (group & self.matched))


# A node, the groups so far, and the groups its pattern must end with (if that is asked).
_Copied = tuple[int, _Groups, _Groups | None]


def resolve_groups(arena: Arena, terminal: str, start: int) -> int:
    """Return the start of the same pattern without ``Mark`` and ``Test``.

    Raises:
        UnsupportedTerminalError: a conditional asks for a group that is being matched again.
    """
    return _Resolution(arena, terminal).copy(start, _Groups(), None)


class _Resolution:
    def __init__(self, arena: Arena, terminal: str) -> None:
        self.arena, self.terminal = arena, terminal
        self.copy_of: dict[_Copied, int] = {}
        self.look_behind_of: dict[int, int] = {}

    def copy(self, start: int, groups: _Groups, ending: _Groups | None) -> int:
        pending: list[_Copied] = []

        def reach(number: int, groups: _Groups, ending: _Groups | None) -> int:
            copied = (number, groups, ending)
            if copied not in self.copy_of:
                self.copy_of[copied] = self.arena.add(SplitNode([]))
                pending.append(copied)
            return self.copy_of[copied]

        copy = reach(start, groups, ending)
        while pending:
            copied = number, groups, ending = pending.pop()
            node = self.arena.nodes[number]
            made: Node
            match node:
                case Mark():
                    made = SplitNode([reach(node.next, groups.pass_mark(node), ending)])
                case Test():
                    made = SplitNode([reach(self.branch(node, groups), groups, ending)])
                case LookAround(positive=True):
                    made = SplitNode(
                        [
                            self.look(node, groups, after, reach(node.next, after, ending))
                            for after in self.outcomes(node.start, groups)
                        ]
                    )
                case LookAround():
                    made = SplitNode(
                        [self.look(node, groups, None, reach(node.next, groups, ending))]
                    )
                case Accept() if ending is not None and groups != ending:
                    made = SplitNode([])
                case _:
                    made = with_targets(node, [reach(t, groups, ending) for t in targets_of(node)])
                    if isinstance(made, SplitNode):
                        made.rivals = tuple(reach(r, groups, None) for r in made.rivals)
            self.arena.nodes[self.copy_of[copied]] = made
        return copy

    def branch(self, test: Test, groups: _Groups) -> int:
        if test.group in groups.entered:
            raise UnsupportedTerminalError(
                self.terminal,
                f"conditional on group {test.group} inside that group, when it repeats, depends "
                "on where the group ended before",
                "move the conditional out of the group",
            )
        return test.present if test.group in groups.matched else test.absent

    def outcomes(self, start: int, groups: _Groups) -> list[_Groups]:
        """Return the groups with which a look-around can end."""
        found: dict[_Groups, None] = {}
        pending, seen = [(start, groups)], {(start, groups)}
        while pending:
            number, here = pending.pop()
            node = self.arena.nodes[number]
            match node:
                case Accept():
                    found[here] = None
                    continue
                case Mark():
                    reached = [(node.next, here.pass_mark(node))]
                case Test():
                    reached = [(self.branch(node, here), here)]
                case LookAround(positive=True):
                    reached = [(node.next, after) for after in self.outcomes(node.start, here)]
                case _:
                    reached = [(target, here) for target in targets_of(node)]
            for copied in reached:
                if copied not in seen:
                    seen.add(copied)
                    pending.append(copied)
        return list(found)

    def look(
        self, look: LookAround, groups: _Groups, ending: _Groups | None, following: int
    ) -> int:
        start = self.copy(look.start, groups, ending)
        if not look.ahead:
            if start not in self.look_behind_of:
                self.look_behind_of[start] = len(self.arena.look_behinds)
                self.arena.look_behinds.append(start)
            start = self.look_behind_of[start]
        return self.arena.add(LookAround(look.ahead, look.positive, start, following))
