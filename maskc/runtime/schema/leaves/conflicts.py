"""Which tokens make a string one that was there, or could?

The keys of an object differ, and so do the items of some arrays. A token that ends an open string
as one of those is illegal; one that ends inside of what could become one of them is read to find
out.

Example: after ``{"ab": 1, "a`` the token ``b"`` is illegal, and ``b`` is not: ``abc`` may come.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from maskc.runtime.effort import spend
from maskc.runtime.schema.machine.fresh import list_frames
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    IS_BOUND,
    IS_ROOMY,
    ITEM,
    KEY,
    STATE,
    Configuration,
    Node,
    read_members,
)
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.values import read_unfinished
from maskc.runtime.schema.scans.spelled import BETWEEN, CLOSES, Spelled, spell
from maskc.runtime.schema.strings.other_keys import list_begun
from maskc.runtime.schema.strings.spelling import split_body
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
    machine: SchemaMachine, index: TokenIndex, words: Spelled, node: Node
) -> Conflicts:
    """Return the tokens that make a key one that was there, and those that have to be read.

    Args:
        machine: that moves the node.
        index: the vocabulary.
        words: what it writes inside a string.
        node: an open key.
    """
    _, number, _, _, raw = node[STATE]
    members = read_members(node[STATE])
    rule, others = machine.plan.objects[number], members[OTHERS]
    if not others:
        return _NONE
    prefix, begun = split_body(raw)
    if begun:
        left = [key[len(prefix) :] for key in list_begun(others, prefix)]
        return _find_begun(index, words, left, begun, only_closing=not rule.may_run_out)
    closing = _closed_as(index, words, [key[len(prefix) :] for key in list_begun(others, prefix)])
    if not rule.may_run_out:
        return Conflicts(closing, [])
    labels, n_prefix = rule.open_labels(members), len(prefix)
    inside: set[int] = set()
    spent_of_all = rule.used.of(others).spent
    spend(len(spent_of_all))
    for spent, reached in spent_of_all:
        if reached & labels or len(spent) <= n_prefix or not spent.startswith(prefix):
            continue
        above = words.find(spent[n_prefix:-1])
        if above < 0:
            continue
        inside.update(words.becoming(above, ord(spent[-1])))
        below = words.find(spent[n_prefix:])
        if below >= 0:
            closing += _all_below(index, words, below)
    return Conflicts(closing, list(inside))


def _all_below(index: TokenIndex, spelled: Spelled, node: int) -> Iterable[tuple[int, int]]:
    """Return the tokens whose texts lead through a node; of those that stay inside no rest."""
    for item in range(spelled.low[node], spelled.high[node]):
        place = spelled.places[item]
        if spelled.kinds[item] == CLOSES:
            yield from _below(index, place)
        else:
            yield place, 0


def find_equal(
    machine: SchemaMachine, index: TokenIndex, known: Spelled, node: Node, text: bytes
) -> Conflicts:
    """Return the tokens that may make an item one that was there before.

    Args:
        machine: that moves the node.
        index: the vocabulary.
        known: what it writes inside a string.
        node: an open string or key.
        text: that its arrays have captured.
    """
    frames = list_frames(node)
    words = {w for frame in frames for w in machine.distinct.words(frame, node, text)}
    if not words:
        return _NONE
    raw = read_unfinished(text[frames[0][STATE][ITEM] :], inside=True).rest
    is_endless = node[IS_ROOMY] or not node[IS_BOUND] and _is_endless(machine, node)
    prefix, begun = split_body(raw)
    left = sorted({word[len(prefix) :] for word in words if word.startswith(prefix)})
    if not begun and is_endless:
        return Conflicts(_closed_as(index, known, left), [])
    return _find_begun(index, known, left, begun, only_closing=is_endless)


def _find_begun(
    index: TokenIndex, words: Spelled, left: list[str], begun: bytes, *, only_closing: bool
) -> Conflicts:
    """Return the tokens that make a string one of some texts, of which a character is begun."""
    if not left:
        return _NONE
    spend(sum(map(len, left)))
    spelled = words
    if begun:
        spelled = spell(index, index.tokens, (ROOT,), minimal=words.minimal, before=begun)
    closing: Closing = []
    inside: set[int] = set()
    for word in left:
        node = 0
        for character in word:
            inside.update(spelled.becoming(node, ord(character)))
            node = spelled.child(node, ord(character))
            if node < 0:
                break
            own = spelled.own_items(node)
            inside.update([spelled.places[i] for i in own if spelled.kinds[i] == BETWEEN])
        else:
            for item in spelled.closing_items(node):
                closing += _below(index, spelled.places[item])
    return Conflicts(closing, [] if only_closing else list(inside))


def _is_endless(machine: SchemaMachine, node: Node) -> bool:
    """Return whether a string or key can become endlessly much, whatever is read of it."""
    plan, number = machine.plan, int(node[STATE][1])
    if node[STATE][0] == KEY:
        return plan.objects[number].is_open
    return plan.strings[number].is_endless


def _closed_as(index: TokenIndex, words: Spelled, texts: Iterable[str]) -> Closing:
    """Return the tokens that close a string after one of some texts."""
    found: Closing = []
    for text in texts:
        spend(1)
        node = words.find(text)
        if node >= 0:
            for item in words.closing_items(node):
                found += _below(index, words.places[item])
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
        spend(1)
        here = path[-1]
        if following and machine.has_ended(here) and following.reads(token[n_read:]):
            return True
        after = machine.read(here, token[n_read])
        if after is None:
            return False
        path.append(after)
    return True
