"""Where do two states of an automaton differ in what they read of a vocabulary?

Two states that lead to the same state on a byte read alike below it. So only the nodes of the trie
are looked at up to which they lead to different ones: mostly few, as after two letters and after
three of ``[a-z]{2,9}``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from maskc.runtime.link.automata.automaton import ByteAutomaton
from maskc.runtime.link.automata.walk import Turn, add_turn
from maskc.runtime.schema.tries.trie import ROOT, Trie

_MOST_DIFFERENT = 2_000  # nodes at which two states differ
_SOME_DIFFERENT = 200


class Differences(NamedTuple):
    """How the first state differs from the second one.

    Attributes:
        gone: nodes that it does not reach, and the second one does.
        fresh: nodes that it reaches, and the second one does not, each with its state there.
        turned: nodes that both reach, where one of them accepts.
        turns: labels of its states at nodes that both reach, each with the node.
        lost: labels of the second one's states there, likewise.
    """

    gone: list[int]
    fresh: list[tuple[int, int]]
    turned: list[int]
    turns: list[Turn]
    lost: set[Turn]


def find_differences(
    automaton: ByteAutomaton[Any], trie: Trie, at: int, other: int
) -> Differences | None:
    """Return where two states differ, ``None`` if they do in many places.

    Args:
        automaton: of the states.
        trie: of the vocabulary, from whose root both begin.
        at: the first state.
        other: the second one.
    """
    gone, fresh, turned = list[int](), list[tuple[int, int]](), list[int]()
    turns, lost = list[Turn](), set[Turn]()
    open_, n_left, n_alike = [(ROOT, at, other)], _MOST_DIFFERENT, 0
    while open_:
        node, here, there = open_.pop()
        moves, others = automaton.moves(here), automaton.moves(there)
        for child, byte in trie.children(node, None):
            after, beside = moves.get(byte, -1), others.get(byte, -1)
            if after == beside:
                n_alike += 1
                continue
            n_left -= 1
            # Where most are different, there are many of them.
            if n_left < 0 or n_left < _MOST_DIFFERENT - _SOME_DIFFERENT - n_alike:
                return None
            if after < 0:
                gone.append(child)
            elif beside < 0:
                fresh.append((child, after))
            else:
                if automaton.accepts(after) != automaton.accepts(beside):
                    turned.append(child)
                if automaton.has_labels:
                    add_turn(turns, automaton, trie, child, after)
                    lost.add((automaton.label(beside), child))
                open_.append((child, after, beside))
    return Differences(gone, fresh, turned, turns, lost)
