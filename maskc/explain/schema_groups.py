"""Groups tokens by the part of a JSON text that they read first.

Parts are called as JSON calls them: a key, a string, a number, a literal, and the brackets, commas
and colons by themselves. A token belongs to the first part that it reads any of; blanks before it
do not count, and a token of blanks alone belongs to nothing.

Example: after ``{"a": 1`` the token ``0`` is of a number, and `` ,"`` is of a comma.
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.explain.groups import Named, list_groups
from maskc.explain.model import TokenGroup
from maskc.runtime.schema.machine.machine import SchemaMachine
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

_BLANKS = bytes(sorted(BLANK_BYTES))
_QUOTE = 0x22
_SIGNS = frozenset(b"{}[],:")
_DIGITS = frozenset(b"-0123456789")
_INSIDE = {KEY: "key", STRING: "string", LITERAL: "literal"}


def group_texts(
    machine: SchemaMachine, here: Configuration, tokens: Iterable[bytes]
) -> tuple[TokenGroup, ...]:
    """Return the groups of legal tokens, those with the most tokens first.

    Args:
        machine: of the schema.
        here: where the text is.
        tokens: the bytes of tokens that are legal there.
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
    """Return the parts that a byte, no blank between parts, may be of."""
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
