"""Tokens that make a string equal to one that was there, or may lead to one.

The keys of an object differ, and so do the items of some arrays. A token that ends an open string
as one of those is illegal; one that ends inside of what could become one of them is read.

Example: after ``{"ab": 1, "a`` the token ``b"`` is illegal, and ``b`` is not: ``abc`` may come.
"""

from __future__ import annotations

from collections.abc import Iterable
from os.path import commonprefix
from typing import Final, NamedTuple

from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    HAS_SLACK,
    ITEM,
    KEY,
    MUST_EQUAL,
    STATE,
    Configuration,
    Node,
    list_frames,
    read_members,
)
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.plan.values import read_unfinished
from maskc.runtime.schema.scans.character_trie import (
    BETWEEN,
    CLOSES,
    CharacterTrie,
    build_character_trie,
)
from maskc.runtime.schema.strings import split_body
from maskc.runtime.schema.strings.keys import list_begun
from maskc.runtime.schema.tries import ROOT, TokenIndex
from maskc.runtime.schema.tries.summary import Following
from maskc.runtime.step_budget import charge_steps

Closing = list[tuple[int, int]]


class Conflicts(NamedTuple):
    """Tokens, by text index, that make a string or a key one of some words, or could.

    Those that end it have the rest after the quote; the others end inside of it.
    """

    closing: Closing
    inside: list[int]


_NONE: Final = Conflicts([], [])


def find_used_keys(
    machine: SchemaMachine, index: TokenIndex, words: CharacterTrie, node: Node
) -> Conflicts:
    """Return the tokens that make a key one that was there, and those that have to be read."""
    _, number, _, _, raw = node[STATE]
    members = read_members(node[STATE])
    rule, others = machine.plan.objects[number], members[OTHERS]
    if not others:
        return _NONE
    prefix, begun = split_body(raw)
    left = [key[len(prefix) :] for key in list_begun(others, prefix)]
    is_begun = bool(begun) and rule.tracks_used_keys
    found = _find_words(index, words, left, begun, only_closing=not is_begun)
    if begun or not rule.tracks_used_keys:
        return found
    closing = found.closing
    labels, n_prefix = rule.open_labels(members), len(prefix)
    inside: set[int] = set()
    spent_of_all = rule.used.of(others).spent
    charge_steps(len(spent_of_all))
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


def _all_below(
    index: TokenIndex, character_trie: CharacterTrie, node: int
) -> Iterable[tuple[int, int]]:
    """Return the tokens whose texts lead through a node; of those that stay inside no rest."""
    for item in range(character_trie.low[node], character_trie.high[node]):
        origin = character_trie.origins[item]
        if character_trie.kinds[item] == CLOSES:
            yield from _below(index, origin)
        else:
            yield origin, 0


def find_equal(
    machine: SchemaMachine, index: TokenIndex, known: CharacterTrie, node: Node, text: bytes
) -> Conflicts:
    """Return the tokens that may make an item one that was there before."""
    frames = list_frames(node)
    words = {w for frame in frames for w in machine.distinct.words(frame, node, text)}
    if not words:
        return _NONE
    raw = read_unfinished(text[frames[0][STATE][ITEM] :], inside=True).rest
    is_infinite = node[HAS_SLACK] or not node[MUST_EQUAL] and _is_infinite(machine, node)
    prefix, begun = split_body(raw)
    left = sorted({word[len(prefix) :] for word in words if word.startswith(prefix)})
    return _find_words(index, known, left, begun, only_closing=is_infinite)


def _find_words(
    index: TokenIndex, words: CharacterTrie, left: list[str], begun: bytes, *, only_closing: bool
) -> Conflicts:
    """Return the tokens that make a string one of some texts, of which a character may be begun."""
    character_trie = words
    if begun and left:
        character_trie = build_character_trie(
            index, index.tokens, (ROOT,), escapes=words.escapes, before=begun
        )
    closing: Closing = []
    inside: set[int] = set()
    for word in left:
        charge_steps(1)
        node = character_trie.find(word)
        if node >= 0:
            for item in character_trie.closing_items(node):
                closing += _below(index, character_trie.origins[item])
        if only_closing:
            continue
        charge_steps(len(word))
        node = 0
        for character in word:
            inside.update(character_trie.becoming(node, ord(character)))
            node = character_trie.child(node, ord(character))
            if node < 0:
                break
            own = character_trie.own_items(node)
            inside.update(
                [character_trie.origins[i] for i in own if character_trie.kinds[i] == BETWEEN]
            )
    return Conflicts(closing, list(inside))


def _is_infinite(machine: SchemaMachine, node: Node) -> bool:
    plan, number = machine.plan, int(node[STATE][1])
    if node[STATE][0] == KEY:
        return plan.objects[number].is_open
    return plan.strings[number].is_infinite


def _below(index: TokenIndex, quote: int) -> Iterable[tuple[int, int]]:
    return zip(*index.quotes_of(quote), strict=True)


def read_each(
    machine: SchemaMachine, node: Node, text: bytes, tokens: Iterable[bytes]
) -> list[bool]:
    """Return of each token whether it is legal with a node on top, by reading it byte by byte."""
    # After so many bytes of the last token, as far as these are legal.
    path, following = [Configuration((node,), 0, text)], machine.following_of(node)
    last, found = b"", list[bool]()
    for token in tokens:
        # What follows is asked after each byte what it makes of all the others.
        n_shared = 0 if following else len(commonprefix([last, token]))  # noqa: RUF071
        if n_shared >= len(path):
            found.append(False)
            continue
        del path[n_shared + 1 :]
        last = token
        found.append(_read_on(machine, path, token, following))
    return found


def _read_on(
    machine: SchemaMachine, path: list[Configuration], token: bytes, following: Following | None
) -> bool:
    """Return whether a token is legal, and add what it leads to, byte by byte."""
    for n_read in range(len(path) - 1, len(token)):
        charge_steps(1)
        here = path[-1]
        if following and machine.has_ended(here) and following.reads(token[n_read:]):
            return True
        after = machine.read(here, token[n_read])
        if after is None:
            return False
        path.append(after)
    return True
