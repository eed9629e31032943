"""The spellings of a number that must differ from others, such as the items before it.

Most texts stay legal whichever values are excluded. So what the rule alone allows is found once,
and of that we look at two kinds of texts: those that write an excluded value, and those that write
no value of the rule, as these depend on what may follow.

Example: with 5 excluded from 0 to 9, of the ten digits ``5`` alone is looked at.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.effort import spend, spend_at_once
from maskc.runtime.schema.numbers.excluded import Decimal
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, START, Numbers, State
from maskc.runtime.schema.scans.digits import (
    Walked,
    follow_rule,
    leads_out,
    part_of,
    walk_number,
)
from maskc.runtime.schema.tries.summary import Part, bits_of
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Nodes, Trie


class Spelled(NamedTuple):
    """Texts after which a number is, and nodes at which it may end.

    Attributes:
        places: texts by place, with the state after each.
        exits: nodes.
    """

    places: list[tuple[int, State]]
    exits: list[int]


class Written(NamedTuple):
    """What a number that begins writes in a trie, by the rule alone.

    Attributes:
        walked: all of it.
        by_value: value → its texts and exits.
        unended: texts that write no value of the rule.
    """

    walked: Walked
    by_value: dict[Decimal, Spelled]
    unended: list[tuple[int, State]]


def follow_number(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> Walked:
    """Return what a number does to the texts after some nodes.

    Args:
        index: whose memory is used.
        trie: of it.
        numbers: what is asked of the number.
        state: of the number, at all nodes.
        nodes: where the walk begins; texts that end there do not count.
    """
    base = numbers.base
    if base is None:
        return follow_rule(index, trie, numbers, state, nodes)
    if state[1] == START and numbers.tells_digits:
        return _exclude(index, trie, numbers, _find_written(index, trie, base, nodes))
    # Nobody asks for it again: the next item has one more value that is excluded.
    runs, more, exits = walk_number(index, trie, numbers, state, nodes)
    return Walked(runs, more, part_of(index, runs, more, is_rests=trie is index.rests), exits)


def _find_written(index: TokenIndex, trie: Trie, base: Numbers, nodes: Nodes) -> Written:
    key = (Written, base.identity, nodes, trie is index.rests)
    found: Written | None = index.shared.get(key)
    if found is not None:
        return found
    by_value: dict[Decimal, Spelled] = {}
    unended: list[tuple[int, State]] = []
    open_ = [(node, base.start) for node in nodes]
    while open_:
        node, here = open_.pop()
        children = trie.children(node, None)
        spend(1 + len(children))
        for child, byte in children:
            after = base.step(here, byte) if byte in NUMBER_BYTES else None
            if after is None:
                continue
            low = trie.low[child]
            ending = [(place, after) for place in range(low, low + trie.n_ending[child])]
            if base.may_end(after):
                spelled = by_value.setdefault(base.value_of(after), Spelled([], []))
                spelled.places.extend(ending)
                if leads_out(trie, child):
                    spelled.exits.append(child)
            else:
                unended += ending
            if trie.has_children(child):
                open_.append((child, after))
    walked = follow_rule(index, trie, base, base.start, nodes)
    found = Written(walked, by_value, unended)
    index.shared.put(key, found, 400 * (len(by_value) + len(unended)) + 500)
    return found


def _exclude(index: TokenIndex, trie: Trie, numbers: Numbers, written: Written) -> Walked:
    """Return what is left without the values that are excluded."""
    walked = written.walked
    gone_exits: set[int] = set()
    asked = list(written.unended)
    spend_at_once(len(written.by_value))
    for value in written.by_value.keys() & numbers.excluded.values():
        spelled = written.by_value[value]
        asked += spelled.places
        gone_exits.update(spelled.exits)
    spend(len(asked))
    gone = {place for place, state in asked if not numbers.is_live(state)}
    if not gone and not gone_exits:
        return walked
    exits = tuple([node for node in walked.exits if node not in gone_exits])
    if not gone:
        return walked._replace(exits=exits)
    more = tuple([place for place in walked.list_places() if place not in gone])
    if trie is index.rests:
        return Walked((), more, Part(bits=bits_of(more)), exits)
    ids = sorted(index.ids[place] for place in gone)
    words = index.mix(walked.part.rows, walked.part.few, ids)
    return Walked((), more, Part((words,)), exits)
