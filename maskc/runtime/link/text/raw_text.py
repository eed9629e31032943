"""A string that is written as it is, up to its delimiter: no quotes and no escapes.

The characters are read by an automaton over characters, as those of a JSON string are, with bounds
on their number; words such as the delimiter do not stand in the text. Inside of a character a state
is what has been read of it, or where it leads if all that it can become leads there.

Example: ``^[a-z]+$`` before ``</parameter>`` reads ``oslo``.
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.errors import LimitError
from maskc.runtime.link.automata.automaton import START, ByteAutomaton
from maskc.runtime.link.text.free_text import FreeText, Position
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.transitions import DEAD

_MOST_LOOKED_AT = 50_000
_NO_CODE = -1
_CONTINUATION_BITS = 6
# State of the automaton over characters, or what all of the character leads to; how many characters
# there are; where the words that must not stand in the text are; what was read of a character.
_Place = tuple[int, int, Position, int]


class RawText(ByteAutomaton[_Place]):
    """Reads a string.

    Args:
        plan: of a schema with such a string.
        number: of the rule of strings in it.
        barred: words that do not stand in the string.

    Attributes:
        plan, number, barred: these.
    """

    def __init__(self, plan: Plan, number: int, barred: Iterable[bytes]) -> None:
        self.plan, self.number, self.barred = plan, number, tuple(barred)
        rule = plan.strings[number]
        self._rule, self._dfa = rule, rule.body.dfa
        self._words = FreeText({}, self.barred)
        text = b"".join(self.barred).decode(errors="replace")
        self._named = sorted({ord(character) for character in text})
        self._steps: dict[Position, dict[int, Position]] = {}
        self._live: dict[tuple[int, int, Position], bool] = {}
        super().__init__((self._dfa.start, 0, self._words.name_of(START), _NO_CODE))

    @property
    def is_empty(self) -> bool:
        """Whether it reads no text at all."""
        state, count, position, _ = self.name_of(START)
        return not self._is_live(state, count, position)

    def find_moves(self, name: _Place) -> dict[int, _Place]:
        """Return what each byte leads to; see the base class."""
        state, count, position, code = name
        found = {}
        for byte, after in self._among_words(position).items():
            moved = self._step(state, count, position, code, byte, after)
            if moved is not None:
                found[byte] = moved
        return found

    def _step(
        self, state: int, count: int, before: Position, code: int, byte: int, after: Position
    ) -> _Place | None:
        left = after[1]
        if before[1] == 0:
            count = self._rule.cap(count + 1)
            n_bits = (7, 5, 4, 3)[_n_missing(left)]
            code = byte & ((1 << n_bits) - 1)
        elif code != _NO_CODE:
            code = code << _CONTINUATION_BITS | byte & 0x3F
        if code != _NO_CODE:
            n_left = _n_missing(left) * _CONTINUATION_BITS
            low, high = _range(code << n_left, (code + 1 << n_left) - 1, left)
            targets = self._dfa.targets(state, low, high)
            if len(targets) == 1:
                state, code = next(iter(targets)), _NO_CODE
            elif not any(self._leads_on(target, count, after) for target in targets):
                return None
        if code == _NO_CODE and not self._leads_on(state, count, after):
            return None
        return (state, count, after, code)

    def _leads_on(self, state: int, count: int, position: Position) -> bool:
        """Return whether a character that is begun, or ends here, leads to what is live."""
        open_, seen = [position], {position}
        for here in open_:
            if here[1] == 0:
                if self._is_live(state, count, here):
                    return True
                continue
            for after in self._among_words(here).values():
                if after not in seen:
                    seen.add(after)
                    open_.append(after)
        return False

    def _among_words(self, position: Position) -> dict[int, Position]:
        """Return where each byte leads among the words."""
        found = self._steps.get(position)
        if found is None:
            found = self._steps[position] = self._words.find_moves(position)
        return found

    def is_accepting(self, name: _Place) -> bool:
        """Return whether the text may end here."""
        state, count, position, _ = name
        return self._words.is_accepting(position) and self._rule.may_end(state, count)

    def _is_live(self, state: int, count: int, position: Position) -> bool:
        """Return whether some text leads from between two characters to an end: a search, once."""
        if state == DEAD:
            return False
        start = (state, count, position)
        known = self._live.get(start)
        if known is not None:
            return known
        before: dict[tuple[int, int, Position], tuple[int, int, Position] | None] = {start: None}
        open_ = [start]
        while open_:
            here = open_.pop()
            if self._live.get(here) or (
                self._words.is_accepting(here[2]) and self._rule.may_end(here[0], here[1])
            ):
                way: tuple[int, int, Position] | None = here
                while way is not None:
                    self._live[way] = True
                    way = before[way]
                return True
            if len(before) > _MOST_LOOKED_AT:
                raise LimitError("states of a string", _MOST_LOOKED_AT, "lower its length")
            for after in self._characters_after(here):
                if after not in before and self._live.get(after) is not False:
                    before[after] = here
                    open_.append(after)
        self._live.update(dict.fromkeys(before, False))
        return False

    def _characters_after(self, here: tuple[int, int, Position]) -> list[tuple[int, int, Position]]:
        """Return where characters lead: those of the words, and one of each other kind."""
        state, count, position = here
        count = self._rule.cap(count + 1)
        if not self._rule.leads_on([state], here[1]):
            return []
        found = []
        for code in [*self._named, *self._list_others(state)]:
            target = self._dfa.step(state, code)
            after: Position | None = position
            for byte in chr(code).encode():
                after = self._among_words(after).get(byte) if after is not None else None
            if target != DEAD and after is not None:
                found.append((target, count, after))
        return found

    def _list_others(self, state: int) -> list[int]:
        """Return a character of each kind that no word has, as far as there is one."""
        found = []
        for kind in {*self._dfa.rows[state], *self._dfa.classes}:
            for low, high in self._dfa.ranges_of({kind}):
                few = range(low, min(high, low + len(self._named) + 1))
                code = next((code for code in few if self._is_other(code)), None)
                if code is not None:
                    found.append(code)
                    break
        return found

    def _is_other(self, code: int) -> bool:
        return code not in self._named and not 0xD800 <= code <= 0xDFFF


def _n_missing(left: int) -> int:
    """Return how many bytes a character that is begun lacks, by what is left of it."""
    return (0, 1, 2, 3, 2, 2, 3, 3)[left]


def _range(low: int, high: int, left: int) -> tuple[int, int]:
    """Return the characters that a beginning can become: not overlong, and no surrogate."""
    if left == 4:
        return max(low, 0x800), high
    if left == 5:
        return low, min(high, 0xD7FF)
    if left == 6:
        return max(low, 0x10000), high
    if left == 7:
        return low, min(high, 0x10FFFF)
    return low, high
