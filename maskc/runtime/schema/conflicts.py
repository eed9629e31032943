"""Which tokens make a string one that was there, or could?

The keys of an object differ, and so do the items of some arrays. A token that ends an open string
as one of those is illegal; one that ends inside of what could become one of them is read to find
out.

Example: after ``{"ab": 1, "a`` the token ``b"`` is illegal, and ``b`` is not: ``abc`` may come.
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.runtime.schema.characters import of_words
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.nodes import KEY, Configuration, Node
from maskc.runtime.schema.spelled import CLOSES, Spelled, child_of
from maskc.runtime.schema.spelling import split_body
from maskc.runtime.schema.stepping import step_body
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import ROOT

Places = list[int]


def find_conflicts(
    machine: SchemaMachine, index: TokenIndex, spelled: Spelled, node: Node
) -> tuple[Places, Places]:
    """Return the tokens that make a string one that was there, and those that could, by place.

    The latter have to be read.

    Args:
        machine: that moves the node.
        index: the vocabulary.
        spelled: what it writes inside a string.
        node: an open string or key.
    """
    raw = node.state[4]
    words: Iterable[str] = ()
    if node.state[0] == KEY:
        words = node.state[2].others
    elif raw is not None:
        values = machine.unique_of(node.parents) or ()
        words = [value[1] for value in values if value[0] == "string"]
    if not words:
        return [], []
    prefix, begun = split_body(raw)
    left = sorted({word[len(prefix) :] for word in words if word.startswith(prefix)})
    if not left:
        return [], []
    if not begun and _is_endless(machine, node):
        return _closed_as(index, spelled, left), []
    body = Body(of_words(left), minimal=False)
    state = body.start
    for byte in begun:
        state = body.step(state, byte)
    found = step_body(index.tokens, body, state, (ROOT,)) if state else None
    if found is None:
        return [], []
    closing = [p for quote, _, _ in found.ended for p in index.quotes_of(quote)[0]]
    return closing, list(found.places)


def _is_endless(machine: SchemaMachine, node: Node) -> bool:
    """Return whether a string can become endlessly many, whatever is read of it."""
    plan = machine.plan
    if node.state[0] == KEY:
        return not plan.objects[node.state[1]].may_run_out
    return plan.strings[node.state[1]].is_endless


def _closed_as(index: TokenIndex, spelled: Spelled, words: Iterable[str]) -> Places:
    """Return the tokens that close a string after one of some texts, by place."""
    found: Places = []
    for word in words:
        at = 0
        for character in word:
            at = child_of(spelled, at, ord(character))
            if at < 0:
                break
        else:
            for item in spelled.own_items(at):
                if spelled.kinds[item] == CLOSES:
                    found += index.quotes_of(spelled.places[item])[0]
    return found


def reads(machine: SchemaMachine, node: Node, text: bytes, token: bytes) -> bool:
    """Return whether a token is legal with a node on top, by reading it byte by byte.

    Args:
        machine: that moves the node.
        node: alone on top.
        text: what has been captured.
        token: its bytes.
    """
    here = Configuration((node,), 0, text)
    following = node.following
    for n_read, byte in enumerate(token):
        if following and machine.has_ended(here) and following.reads(token[n_read:]):
            return True
        after = machine.read(here, byte)
        if after is None:
            return False
        here = after
    return True
