r"""Strings that are or end in a host name: an automaton, and a reader of what it leaves free.

In place of the number of characters a state has what was read of the host name, and the bytes of
a character that is not whole. So a state is whole by itself: nothing has to be kept for it.

Example: of ``\"a@例え`` the automaton is in its sink, and the reader has the label ``例え``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings.characters import DEAD
from maskc.runtime.schema.strings.hosts import START, Host, accepts, hosts_of
from maskc.runtime.schema.strings.spelling import Ranges, decode_body, ranges_after
from maskc.runtime.schema.strings.strings import Body

_TRIED = "abcdefghijklmnopqrstuvwxyz0123456789."


class Read(NamedTuple):
    """What was read.

    Attributes:
        host: of the host name, if it has begun.
        begun: the bytes of a character that is not whole.
    """

    host: Host
    begun: bytes


BEGIN = Read(START, b"")


class HostedRule(StringRule):
    """What is asked of such a string. No length is: none that is longer or shorter would fit.

    Args:
        body: how its characters are written.
        minimal: whether strings are written with no more escapes than they need.

    Attributes:
        hosts: reads host names.
        sink: the state of the automaton that leaves all to it.
    """

    def __init__(self, body: Body, *, minimal: bool) -> None:
        super().__init__(body, 0, None)
        self._minimal = minimal
        self.hosts, self.sink = hosts_of(body.dfa.hosts), body.dfa.sink
        self.begin: Any = BEGIN

    def may_end(self, state: int, count: Any) -> bool:
        """Return whether a string may end in a state of the automaton."""
        return super().may_end(state, 0) and (state != self.sink or self.hosts.may_end(count.host))

    def move(self, at: int, count: Any, byte: int) -> tuple[int, Any] | None:
        """Return where a string is after a byte, ``None`` if none that fits begins so."""
        body = self.body
        after = body.step(at, byte)
        if not after:
            return None
        begun = count.begun + bytes([byte])
        if body.characters[after] < 0:
            ranges = ranges_after(begun, minimal=self._minimal)
            lives = bool(body.targets[after] - {self.sink}) or self.hosts.leads_on(
                count.host, ranges
            )
            return (after, Read(count.host, begun)) if lives else None
        host = self.follow(body.characters[after], count.host, ord(decode_body(begun)))
        return None if host is None else (after, Read(host, b""))

    def follow(self, state: int, host: Host, code: int) -> Host | None:
        """Return what is read of the host name after a character, ``None`` if none begins so.

        Args:
            state: of the automaton after it.
            host: what was read before.
            code: the character.
        """
        if state == DEAD:
            return None
        return self.hosts.step(host, code) if state == self.sink else host

    def leads_into(
        self, state: int, host: Host, ranges: Ranges, *, is_measured: bool = True
    ) -> bool:
        """Return whether some character of some ranges may come next.

        Args:
            state: of the automaton.
            host: what was read.
            ranges: of what a character can become of which something was read.
            is_measured: whether lengths count.
        """
        targets = self.body.dfa.targets_of(state, ranges)
        if targets - {self.sink}:
            return True
        return bool(targets) and self.hosts.leads_on(host, ranges, is_measured=is_measured)

    def has_many(self, at: int, count: Any) -> bool:
        """Return whether more strings can come of what was read than any text has."""
        dfa = self.body.dfa
        return any(
            self.hosts.has_many(count.host) if state == self.sink else dfa.is_endless(state)
            for state in self.body.targets[at]
        )

    def has(self, text: str) -> bool:
        """Return whether a string fits."""
        return accepts(self.body.dfa, text)

    def has_other(self, state: int, count: Any, prefix: str, texts: Sequence[str]) -> bool:
        """Return whether a prefix can become a string that is not among some; see the base."""
        first = bisect_left(texts, prefix)
        taken = {text for text in texts[first:] if text.startswith(prefix) and self.has(text)}
        return any(text not in taken for text in self._list_some(state, count.host, prefix))

    def _list_some(self, state: int, host: Host, prefix: str) -> Iterator[str]:
        """Yield strings that fit and begin with a prefix, shorter ones first."""
        level = [(state, host, prefix)]
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
