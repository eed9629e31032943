r"""Strings that an automaton leaves to a reader, such as host names: all of them, or their ends.

In place of the number of characters a state has what the reader has read, and the bytes of a
character that is not whole. So a state is whole by itself: nothing has to be kept for it.

Example: of ``\"a@例え`` the automaton is in its sink, and the reader has the label ``例え``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings.readers import accepts, reader_of
from maskc.runtime.schema.strings.spelling import Ranges, decode_body, ranges_after
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.strings.transitions import DEAD

_TRIED = "abcdefghijklmnopqrstuvwxyz0123456789."


class Read(NamedTuple):
    """What was read.

    Attributes:
        part: by the reader: a :class:`~maskc.runtime.schema.strings.hosts.Host`, say.
        begun: the bytes of a character that is not whole.
    """

    part: Any
    begun: bytes


class HostedRule(StringRule):
    """What is asked of such a string. No length is: none that is longer or shorter would fit.

    Args:
        body: how its characters are written.
        minimal: whether strings are written with no more escapes than they need.

    Attributes:
        reader: reads what is left to it.
        sink: the state of the automaton that leaves all to it.
    """

    def __init__(self, body: Body, *, minimal: bool) -> None:
        super().__init__(body, 0, None)
        self._minimal = minimal
        self.reader, self.sink = reader_of(body.dfa.reader), body.dfa.sink
        self.begin: Any = Read(self.reader.start, b"")

    def may_end(self, state: int, count: Any) -> bool:
        """Return whether a string may end in a state of the automaton."""
        return super().may_end(state, 0) and (state != self.sink or self.reader.may_end(count.part))

    def move(self, at: int, count: Any, byte: int) -> tuple[int, Any] | None:
        """Return where a string is after a byte, ``None`` if none that fits begins so."""
        body = self.body
        after = body.step(at, byte)
        if not after:
            return None
        begun = count.begun + bytes([byte])
        if body.characters[after] < 0:
            ranges = ranges_after(begun, minimal=self._minimal)
            lives = bool(body.targets[after] - {self.sink}) or self.reader.leads_on(
                count.part, ranges
            )
            return (after, Read(count.part, begun)) if lives else None
        part = self.follow(body.characters[after], count.part, ord(decode_body(begun)))
        return None if part is None else (after, Read(part, b""))

    def follow(self, state: int, part: Any, code: int) -> Any:
        """Return what the reader has read after a character, ``None`` if none begins so.

        Args:
            state: of the automaton after it.
            part: what its reader has read before.
            code: the character.
        """
        if state == DEAD:
            return None
        return self.reader.step(part, code) if state == self.sink else part

    def leads_into(
        self, state: int, part: Any, ranges: Ranges, *, is_measured: bool = True
    ) -> bool:
        """Return whether some character of some ranges may come next.

        Args:
            state: of the automaton.
            part: what its reader has read.
            ranges: of what a character can become of which something was read.
            is_measured: whether lengths count.
        """
        targets = self.body.dfa.targets_of(state, ranges)
        if targets - {self.sink}:
            return True
        return bool(targets) and self.reader.leads_on(part, ranges, is_measured=is_measured)

    def has_many(self, at: int, count: Any) -> bool:
        """Return whether more strings can come of what was read than any text has."""
        dfa = self.body.dfa
        return any(
            self.reader.has_many(count.part) if state == self.sink else dfa.is_endless(state)
            for state in self.body.targets[at]
        )

    def has(self, text: str) -> bool:
        """Return whether a string fits."""
        return accepts(self.body.dfa, text)

    def has_other(self, state: int, count: Any, prefix: str, texts: Sequence[str]) -> bool:
        """Return whether a prefix can become a string that is not among some; see the base."""
        if state == self.sink and self.reader.has_many(count.part):
            return True
        first = bisect_left(texts, prefix)
        taken = {text for text in texts[first:] if text.startswith(prefix) and self.has(text)}
        return any(text not in taken for text in self._list_some(state, count.part, prefix))

    def _list_some(self, state: int, part: Any, prefix: str) -> Iterator[str]:
        """Yield strings that fit and begin with a prefix, shorter ones first."""
        level = [(state, part, prefix)]
        while level:
            after = []
            for here, read, text in level:
                if self.may_end(here, Read(read, b"")):
                    yield text
                for character in _TRIED:
                    target = self.body.dfa.step(here, ord(character))
                    made = self.follow(target, read, ord(character))
                    if made is not None:
                        after.append((target, made, text + character))
            level = after
