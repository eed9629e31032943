"""The terminals that legal tokens belong to.

A token belongs to the first terminal of the text that it reads a part of, other than what is
ignored: after ``{"a": `` the token ``1}`` belongs to NUMBER, and `` "`` to STRING. A token of which
several terminals can be made belongs to each: ``sel`` to NAME and SELECT. Tokens that read nothing
but what is ignored are a group of their own.

The tokens are read along the tree of their bytes, and what a byte does to a configuration is worked
out once, so a vocabulary of 128,000 tokens takes less than a second.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic

from maskc.explain import TokenGroup
from maskc.explain.machine_views import H
from maskc.ids import IGNORED
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    KEY,
    LITERAL,
    NUMBER,
    OBJECT,
    READS,
    STATE,
    STRING,
    Configuration,
)
from maskc.runtime.schema.numbers.spellings import NUMBER_BYTES
from maskc.runtime.schema.plan.blanks import BLANK_BYTES

if TYPE_CHECKING:
    from maskc.explain.readings import ExplainReader, OpenHypothesis

# Terminals that the token has ended so far, of which it reads a part; ``None``: no byte of the open
# lexeme is the token's.
_Ended = frozenset[int] | None
_NOTHING: frozenset[int] = frozenset()

Named = dict[str | None, list[bytes]]


def group_tokens(
    reader: ExplainReader[Any], readings: tuple[OpenHypothesis[Any], ...], tokens: Iterable[bytes]
) -> tuple[TokenGroup, ...]:
    """Return the groups of legal tokens, those with the most tokens first."""
    walk = _Walk(reader, readings)
    found: dict[int, list[bytes]] = {}
    path, before = [0], b""
    for token in sorted(tokens):
        shared = 0
        while shared < min(len(token), len(before)) and token[shared] == before[shared]:
            shared += 1
        del path[shared + 1 :]
        for byte in token[shared:]:
            path.append(walk.step(path[-1], byte))
        before = token
        found.setdefault(path[-1], []).append(token)
    by_name: Named = {}
    literals = dict[str, str]()
    for number, group in found.items():
        for name, literal in walk.names(number):
            by_name.setdefault(name, []).extend(group)
            if name is not None:
                literals[name] = literal
    return list_groups(by_name, literals)


def list_groups(
    by_name: Named, literals: Mapping[str, str] | None = None
) -> tuple[TokenGroup, ...]:
    """Return groups of tokens by name, the largest first; ``None``: only what is ignored."""
    known = literals or {}
    groups = [
        TokenGroup(name, tuple(sorted(group, key=lambda t: (len(t), t))), known.get(name or "", ""))
        for name, group in by_name.items()
    ]
    # What is ignored comes last: it is legal nearly everywhere.
    return tuple(sorted(groups, key=lambda g: (g.name is None, -len(g.tokens), g.name or "")))


class _Walk(Generic[H]):
    """Configurations by number: hypotheses, each with the terminals that it has ended."""

    def __init__(self, reader: ExplainReader[H], readings: tuple[OpenHypothesis[H], ...]) -> None:
        self._reader, self._view = reader, reader.view
        # The bytes of one group do the same everywhere.
        self._group_of = {
            byte: number
            for number, group in enumerate(self._view.machine.byte_groups)
            for byte in group
        }
        self._numbers: dict[frozenset[tuple[Hashable, _Ended]], int] = {}
        self._held: list[list[tuple[H, _Ended]]] = []
        self._after: dict[tuple[int, int], int] = {}
        self._number([(reading.hypothesis, None) for reading in readings])

    def step(self, number: int, byte: int) -> int:
        key = (number, self._group_of[byte])
        found = self._after.get(key)
        if found is None:
            after = [x for held in self._held[number] for x in self._step(*held, byte)]
            found = self._after[key] = self._number(after)
        return found

    def names(self, number: int) -> set[tuple[str | None, str]]:
        """Return names and texts of the terminals of tokens that end here; ``None``: ignored."""
        terminals: set[int] = set()
        for h, ended in self._held[number]:
            terminals |= ended or self._reader.become(h)
        names = self._reader.names
        return {(names.terminal(t), names.literal(t)) for t in terminals} or {(None, "")}

    def _number(self, held: list[tuple[H, _Ended]]) -> int:
        """Return the number of a configuration; hypotheses are told by their machine."""
        identify = self._view.machine.identify
        key = frozenset(
            (identify(h), None if ended is None else frozenset(ended)) for h, ended in held
        )
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._held)
            self._held.append(held)
        return found

    def _step(self, h: H, ended: _Ended, byte: int) -> list[tuple[H, _Ended]]:
        after = self._view.machine.step((h,), bytes([byte]))
        if ended:
            return [(x, ended) for x in after]
        scanner, byte_class = self._view.scanner, self._view.scanner.byte_classes[byte]
        goes_on = scanner.next(h.state)[byte_class]
        found: list[tuple[H, _Ended]] = []
        for x in after:
            terminals = set()
            for terminal, boundary in scanner.ends(h.state) if ended is not None else ():
                left = self._view.end(h, terminal) if terminal != IGNORED else None
                if left is not None:
                    entry = scanner.entry(boundary, self._view.position(left).context)
                    if entry[byte_class] == x.state:
                        terminals.add(terminal)
            is_same = self._view.stacks(x) is self._view.stacks(h) or (
                x.state == goes_on and self._view.goes_on(h, x)
            )
            found.append((x, _NOTHING if is_same else frozenset(terminals)))
        return found


_BLANKS = bytes(sorted(BLANK_BYTES))
_QUOTE = 0x22
_SIGNS = frozenset(b"{}[],:")
_DIGITS = frozenset(b"-0123456789")
_INSIDE = {KEY: "key", STRING: "string", LITERAL: "literal"}


def group_texts(
    machine: SchemaMachine, here: Configuration, tokens: Iterable[bytes]
) -> tuple[TokenGroup, ...]:
    """Return the groups of legal tokens by the part of a JSON text that they read first.

    Parts are a key, a string, a number, a literal, and the brackets, commas and colons by
    themselves. Blanks before a part do not count. The largest group comes first.

    Example: after ``{"a": 1`` the token ``0`` is of a number, and `` ,"`` is of a comma.
    """
    found: Named = {}
    after: dict[bytes, Configuration] = {b"": here}
    for token in tokens:
        blanks = find_blanks(here, token)
        if len(blanks) == len(token):
            found.setdefault(None, []).append(token)
            continue
        if blanks not in after:
            (after[blanks],) = machine.step((here,), blanks)
        for name in name_parts(after[blanks], token[len(blanks)]):
            found.setdefault(name, []).append(token)
    return list_groups(found)


def find_blanks(here: Configuration, token: bytes) -> bytes:
    """Return the blanks that a token begins with, where blanks stand between parts."""
    if here.nodes[0][STATE][0] in (KEY, STRING):
        return b""
    return token[: len(token) - len(token.lstrip(_BLANKS))]


def name_parts(here: Configuration, byte: int) -> set[str]:
    kinds = {node[STATE][0] for node in here.nodes if byte in READS[node[STATE][0]]}
    return {_name_part(kind, byte) for kind in kinds}


def _name_part(kind: int, byte: int) -> str:
    if kind in _INSIDE:
        return _INSIDE[kind]
    if kind == NUMBER and byte in NUMBER_BYTES:
        return "number"
    if byte == _QUOTE:
        return "key" if kind == OBJECT else "string"
    if byte in _SIGNS:
        return chr(byte)
    return "number" if byte in _DIGITS else "literal"
