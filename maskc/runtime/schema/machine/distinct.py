"""Can what has been read of an array's item still become one that may come there?

An item that must differ may not become one of those that were there, nor one that items after it
cannot do without (:mod:`maskc.runtime.schema.plan.rules`). What has been read is compared with each
of them, bracket by bracket from the outside: where they have the same so far, either what is open
inside can become something else, or it is as there and the rest is looked at
(:mod:`maskc.runtime.schema.machine.choices`). So no value is tried that is not among them.

Nodes of which endlessly much can become need no look (:mod:`maskc.runtime.schema.machine.variety`);
a node that does is *tight*.

Example: with items ``{"a": …, "b": …}`` of Booleans, after ``[{"a": true, "b": true}, {"a": true``
the text can go on with ``, "b": false}``, and after ``…, "b": t`` not at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.runtime.schema.machine.choices import Choices
from maskc.runtime.schema.machine.nodes import (
    KEY,
    STATE,
    STRING,
    Node,
)
from maskc.runtime.schema.machine.questions import INSIDE, Question, Values, take_apart
from maskc.runtime.schema.machine.room import place_of
from maskc.runtime.schema.machine.unfinished import Unfinished, read_unfinished
from maskc.runtime.schema.machine.variety import Variety
from maskc.runtime.schema.numbers.numbers import Numbers
from maskc.runtime.schema.numbers.numbers import State as NumberState
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.values import Value
from maskc.runtime.schema.strings.spelling import begins


class Distinct:
    """Says whether a text can be finished.

    Args:
        plan: what is asked.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.variety = Variety(plan)
        self.choices = Choices(plan, self.variety)
        self._scarce: dict[int, bool] = {}

    def is_scarce(self, number: int) -> bool:
        """Return whether the items of an array may be used up, by the number of its rule."""
        found = self._scarce.get(number)
        if found is None:
            splits = (self._plan.arrays[number].unique or {}).values()
            found = self._scarce[number] = any(
                split.values or not self.variety.of_position(split.endless) for split in splits
            )
        return found

    def is_live(self, node: Node, text: bytes) -> bool:
        """Return whether a text can be finished with a node on top.

        Args:
            node: on top, as far as it looks at nothing below.
            text: that its arrays have captured.
        """
        return Question(self._plan, self.choices, node, text).is_live()

    def numbers(self, node: Node, text: bytes) -> list[tuple[Numbers, NumberState]]:
        """Return the numbers that an open number may become, each with its state there.

        Args:
            node: on top: a number, as far as it looks at nothing below.
            text: that its arrays have captured.
        """
        question = _NumberQuestion(self._plan, self.choices, node, text)
        question.is_live()
        return question.found

    def words(self, frame: Node, node: Node, text: bytes) -> Iterator[str]:
        """Yield what an open string or key is in the items that may still become the one under way.

        Once for each such item, with nothing where no string or key is open.

        Args:
            frame: of the array.
            node: on top.
            text: that its arrays have captured.
        """
        array, place = self._plan.arrays[frame[STATE][1]], place_of(frame)
        values = place.values if array.repeats else array.barred(place)
        if values:
            kind = node[STATE][0]
            read = read_unfinished(text[frame[STATE][6] :], inside=kind in INSIDE)
            for value in values:
                yield from _list_words(value, read, kind)


def _list_words(value: Value, read: Unfinished, kind: int) -> Iterator[str]:
    """Yield what an open string or key is in a value that has what has been read of another.

    Args:
        value: that is compared.
        read: of the other.
        kind: of the node on top.
    """
    here = value
    for opened in read.open:
        parts = take_apart(here, opened, is_array=opened.keys is None)
        if parts is None:
            return
        part, rest = parts
        if part is None:
            # Nothing of the next item has been read, or of the value of the next member.
            if kind != KEY:
                yield ""
            else:
                yield from (key for key in rest if begins(key, read.rest, minimal=False))
            return
        here = part
    if kind != STRING:
        yield ""
    elif here[0] == "string" and begins(here[1], read.rest, minimal=False):
        yield here[1]


class _NumberQuestion(Question):
    """Which numbers may the one on top become? Finds all ways in which it may, and asks for none.

    Attributes:
        found: the numbers, each with its state after what was read.
    """

    def __init__(self, plan: Plan, choices: Choices, top: Node, text: bytes) -> None:
        super().__init__(plan, choices, top, text)
        self.found: list[tuple[Numbers, NumberState]] = []

    def _top_is_other(
        self,
        values: Values,
        read: Unfinished | None,
        depth: int,  # noqa: ARG002  # a number has no brackets
    ) -> bool:
        _, number, state, unique = self._top[STATE]
        if read is None:
            self.found.append((self._plan.numbers_without(number, unique), state))
        else:
            self._add(self._plan.numbers_without(number, frozenset(values)), read.rest)
        return False

    def _top_may_be(
        self,
        value: Value,
        read: Unfinished,
        depth: int,  # noqa: ARG002  # a number has no brackets
    ) -> bool:
        if value[0] == "number":
            self._add(self._plan.numbers_only(self._top[STATE][1], value), read.rest)
        return False

    def _add(self, numbers: Numbers | None, text: bytes) -> None:
        state = None if numbers is None else numbers.read(text)
        if numbers is not None and state is not None:
            self.found.append((numbers, state))
