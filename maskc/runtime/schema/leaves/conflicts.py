"""Which tokens make a string one that was there, or could?

The keys of an object differ, and so do the items of some arrays. A token that ends an open string
as one of those is illegal; one that ends inside of what could become one of them is read to find
out.

Example: after ``{"ab": 1, "a`` the token ``b"`` is illegal, and ``b`` is not: ``abc`` may come.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from maskc.runtime.schema.machine.fresh import list_frames
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    IS_BOUND,
    IS_ROOMY,
    KEY,
    STATE,
    Configuration,
    Node,
    read_members,
)
from maskc.runtime.schema.machine.unfinished import read_unfinished
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled, child_of
from maskc.runtime.schema.scans.stepping import step_body
from maskc.runtime.schema.strings.characters import of_words
from maskc.runtime.schema.strings.other_keys import list_keys
from maskc.runtime.schema.strings.spelling import split_body
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.summary import Following
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT

Places = list[int]
Closing = list[tuple[int, int]]


class Conflicts(NamedTuple):
    """Tokens by place that make a string or a key one of some words, or could.

    Attributes:
        closing: they end it as one of them, with the rest after the quote.
        inside: they end inside of it, and it could become one of them.
    """

    closing: Closing
    inside: Places


_NONE = Conflicts([], [])


def find_used_keys(
    machine: SchemaMachine, index: TokenIndex, spelled: Spelled, node: Node
) -> Conflicts:
    """Return the tokens that make a key one that was there, and those that have to be read.

    Args:
        machine: that moves the node.
        index: the vocabulary.
        spelled: what it writes inside a string.
        node: an open key.
    """
    _, number, _, _, raw = node[STATE]
    is_endless = not machine.plan.objects[number].may_run_out
    others = list_keys(read_members(node[STATE])[OTHERS])
    return _find(index, spelled, others, raw, only_closing=is_endless)


def find_equal(
    machine: SchemaMachine, index: TokenIndex, spelled: Spelled, node: Node, text: bytes
) -> Conflicts:
    """Return the tokens that may make an item one that was there before.

    Args:
        machine: that moves the node.
        index: the vocabulary.
        spelled: what it writes inside a string.
        node: an open string or key.
        text: that its arrays have captured.
    """
    frames = list_frames(node)
    words = {w for frame in frames for w in machine.distinct.words(frame, node, text)}
    if not words:
        return _NONE
    raw = read_unfinished(text[frames[0][STATE][6] :], inside=True).rest
    is_endless = node[IS_ROOMY] or not node[IS_BOUND] and _is_endless(machine, node)
    return _find(index, spelled, words, raw, only_closing=is_endless)


def _find(
    index: TokenIndex, spelled: Spelled, words: Iterable[str], raw: bytes, *, only_closing: bool
) -> Conflicts:
    """Return the tokens that make a string of which something was read one of some words."""
    if not words:
        return _NONE
    prefix, begun = split_body(raw)
    left = sorted({word[len(prefix) :] for word in words if word.startswith(prefix)})
    if not left:
        return _NONE
    if not begun and only_closing:
        return Conflicts(_closed_as(index, spelled, left), [])
    body = Body(of_words(left), minimal=False)
    state = body.start
    for byte in begun:
        state = body.step(state, byte)
    found = step_body(index.tokens, body, state, (ROOT,)) if state else None
    if found is None:
        return _NONE
    closing = [pair for quote, _, _ in found.ended for pair in _below(index, quote)]
    return Conflicts(closing, [] if only_closing else list(found.places))


def _is_endless(machine: SchemaMachine, node: Node) -> bool:
    """Return whether a string or key can become endlessly much, whatever is read of it."""
    plan, number = machine.plan, int(node[STATE][1])
    if node[STATE][0] == KEY:
        return plan.objects[number].is_open
    return plan.strings[number].is_endless


def _closed_as(index: TokenIndex, spelled: Spelled, words: Iterable[str]) -> Closing:
    """Return the tokens that close a string after one of some texts."""
    found: Closing = []
    for word in words:
        at = 0
        for character in word:
            at = child_of(spelled, at, ord(character))
            if at < 0:
                break
        else:
            for item in spelled.own_items(at):
                if spelled.kinds[item] == CLOSES:
                    found += _below(index, spelled.places[item])
    return found


def _below(index: TokenIndex, quote: int) -> Iterable[tuple[int, int]]:
    return zip(*index.quotes_of(quote), strict=True)


def read_each(
    machine: SchemaMachine, node: Node, text: bytes, tokens: Iterable[bytes]
) -> list[bool]:
    """Return of each token whether it is legal with a node on top, by reading it byte by byte.

    Bytes that a token begins with as the one before it does are not read again.

    Args:
        machine: that moves the node.
        node: alone on top.
        text: what has been captured.
        tokens: their bytes.
    """
    # After so many bytes of the last token, as far as these are legal.
    path, following = [Configuration((node,), 0, text)], machine.following_of(node)
    last, found = b"", list[bool]()
    for token in tokens:
        # What follows is asked after each byte what it makes of all the others.
        n_shared = 0 if following else _count_shared(last, token)
        if n_shared >= len(path):
            found.append(False)
            continue
        del path[n_shared + 1 :]
        last = token
        found.append(_read_on(machine, path, token, following))
    return found


def _count_shared(left: bytes, right: bytes) -> int:
    """Return with how many equal bytes two texts begin."""
    n_shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        n_shared += 1
    return n_shared


def _read_on(
    machine: SchemaMachine, path: list[Configuration], token: bytes, following: Following | None
) -> bool:
    """Return whether a token is legal, and add what it leads to, byte by byte."""
    for n_read in range(len(path) - 1, len(token)):
        here = path[-1]
        if following and machine.has_ended(here) and following.reads(token[n_read:]):
            return True
        after = machine.read(here, token[n_read])
        if after is None:
            return False
        path.append(after)
    return True
