r"""What was frozen of a link: its pieces and what joins them, read from an artifact and checked.

The plan is one JSON text in an array of the artifact. Expressions are *nodes*, by number; one that
is entered at once has a smaller number than the one that it stands in, and one that a text turns to
later may have any. A *word* is a list of texts, one character for each byte, and of tokens by id.

Everything that a machine indexes with is checked here, once, and so is that no expression leads
back to itself before a byte is read, and that none has too many beginnings. A plan that someone
made up can be wrong, but never makes the machine fail.

Example: ``{"nodes": [["words", ["yes", "no"]]], "root": 0, …}``.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, NamedTuple

from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.counts.encoding import (
    ascends,
    read_automaton,
    read_bits,
    read_bytes,
    read_list,
    read_number,
    read_ranges,
)
from maskc.runtime.link.counts.positions import read_counter
from maskc.runtime.link.joining.expressions import MAX_DEPTH
from maskc.runtime.link.joining.switching import ATOM, Word
from maskc.runtime.link.plan.members import Counts
from maskc.runtime.link.text.barred_schema import may_be_barred
from maskc.runtime.schema.plan.entries import PlanError
from maskc.runtime.schema.plan.plan import FrozenPlan, Layout, Plan

# Composing parameters adds some levels.
MOST_LEVELS = MAX_DEPTH - 10
MOST_ENTRIES = 1 << 14
MOST_COUNT = 1 << 31
_MOST_NAMES = 1 << 12


class FrozenTable(NamedTuple):
    """Parameters: see :class:`maskc.runtime.link.plan.members.Parameters`.

    Attributes:
        counts: which there must be, and may be.
        blanks: a node.
        ways: of each number, and last of others: items, each a node or words.
    """

    counts: Counts
    blanks: int
    ways: list[list[list[int | list[Word]]]]


class FrozenText(NamedTuple):
    """Free text: see :class:`maskc.runtime.link.text.free_text.FreeText`."""

    triggers: tuple[Word, ...]
    unused: tuple[Word, ...]
    barred: tuple[bytes, ...]


class LinkPlan:
    """What an artifact of a link follows.

    Args:
        data: the plan as JSON.
        vocab_size: number of tokens.
        ends: tokens that end the sequence.
        n_grammars: how many grammars the artifact holds.

    Attributes:
        nodes: each a kind and what it is made of.
        root: the node of the whole.
        texts: free texts.
        tables: parameters.
        counters: patterns with counted loops.
        automata: tables of automata, each as :class:`TabledAutomaton` takes them.

    Raises:
        PlanError: it is damaged.
    """

    def __init__(
        self, data: bytes, *, vocab_size: int, ends: frozenset[int], n_grammars: int
    ) -> None:
        raw = _parse(data)
        self._vocab_size, self._ends = vocab_size, ends
        self._schemas = [read_list(entry, 5) for entry in read_list(raw.get("schemas"))]
        self.automata = [read_automaton(entry) for entry in read_list(raw.get("automata"))]
        # Older artifacts have none.
        self.counters = [read_counter(entry) for entry in read_list(raw.get("counters", []))]
        self.texts = [self._read_text(entry) for entry in read_list(raw.get("texts"))]
        entries = read_list(raw.get("nodes"))
        self._n_nodes, self._n_tables = len(entries), len(read_list(raw.get("tables")))
        self._n_grammars = n_grammars
        self.nodes = [read_list(entry) for entry in entries]
        self.tables = [self._read_table(entry) for entry in read_list(raw.get("tables"))]
        self.root = read_number(raw.get("root"), self._n_nodes)
        levels, n_entries = list[int](), list[int]()
        for number, node in enumerate(self.nodes):
            depth, n_begins = self._check_node(number, node, levels, n_entries)
            if depth > MOST_LEVELS or n_begins > MOST_ENTRIES:
                raise PlanError(f"node {number} of the link has too many levels or beginnings")
            levels.append(depth)
            n_entries.append(n_begins)
        for number, table in enumerate(self.tables):
            if self.nodes[table.blanks][0] != "automaton":
                raise PlanError(f"the blanks of table {number} of the link are no automaton")

    def name_of(self, number: int) -> tuple[str, ...]:
        """Return what is the same only for the same schema."""
        return tuple(self._schemas[number])

    def schema(self, number: int, budget: Budget) -> Plan:
        """Return the plan of a schema.

        Raises:
            PlanError: it is damaged.
        """
        *layout, text = self._schemas[number]
        if not all(isinstance(part, str) for part in (*layout, text)):
            raise PlanError("a schema of the link is no text")
        frozen = FrozenPlan(text.encode(errors="replace"))
        return Plan(frozen, Layout(*layout), budget)

    def check_schemas(self) -> None:
        """Refuse plans of schemas that are damaged, and what their nodes ask of none."""
        found = [
            (len(plan.strings), plan.layout.escapes)
            for plan in (self.schema(number, Budget(0)) for number in range(len(self._schemas)))
        ]
        for node in self.nodes:
            if node[0] == "raw text":
                read_number(node[2], found[node[1]][0])
            elif node[0] == "barred schema" and found[node[1]][1] != "any":
                raise PlanError("JSON of the link lacks words and has few escapes")

    def _check_node(
        self, number: int, node: list[Any], levels: list[int], n_entries: list[int]
    ) -> tuple[int, int]:
        """Return how many levels a node has, and with how many pieces it may begin, at most."""
        kind, *fields = node or [None]
        if kind in ("sequence", "choice", "repeat"):
            inner = self._inner_of(kind, fields, number)
            n_begins = sum(n_entries[n] for n in inner)
            return 1 + max(levels[n] for n in inner), n_begins
        self._check_leaf(kind, fields)
        # What a table begins with: blanks, and one switch over its parameters.
        return 1, 2 if kind == "parameters" else 1

    def _check_leaf(self, kind: Any, fields: list[Any]) -> None:
        match kind:
            case "nothing":
                read_list(fields, 0)
            case "stop":
                if read_number(read_list(fields, 1)[0], self._vocab_size) not in self._ends:
                    raise PlanError("a token of the link does not end the sequence")
            case "words":
                self._check_words(fields)
            case "automaton":
                read_number(read_list(fields, 1)[0], len(self.automata))
            case "counter":
                read_number(read_list(fields, 1)[0], len(self.counters))
            case "name":
                for name in read_list(read_list(fields, 1)[0]):
                    read_bytes(name)
            case "raw text":
                self._check_raw_text(fields)
            case "schema":
                read_number(read_list(fields, 1)[0], len(self._schemas))
            case "barred schema":
                self._check_barred(fields)
            case "grammar":
                read_number(read_list(fields, 1)[0], self._n_grammars)
            case "tokens":
                self._check_tokens(fields)
            case "switch":
                self._check_switch(fields)
            case "free text":
                self._check_free_text(fields)
            case "limited text":
                self._check_limited(fields)
            case "parameters":
                read_number(read_list(fields, 1)[0], self._n_tables)
            case _:
                raise PlanError("a node of the link is of no known kind")

    def _inner_of(self, kind: str, fields: list[Any], number: int) -> list[int]:
        """Return the nodes that a node is made of."""
        if kind == "repeat":
            body, low, high = read_list(fields, 3)
            low = read_number(low, MOST_COUNT)
            if high is not None:
                read_number(high, MOST_COUNT, max(low, 1))
            return [read_number(body, number)]
        (listed,) = read_list(fields, 1)
        inner = [read_number(n, number) for n in read_list(listed)]
        if not inner:
            raise PlanError(f"node {number} of the link is made of nothing")
        return inner

    def _check_words(self, fields: list[Any]) -> None:
        (texts,) = read_list(fields, 1)
        found = [read_bytes(text) for text in read_list(texts)]
        if not found or not ascends(found):
            raise PlanError("words of the link are none, or not in order")

    def _check_raw_text(self, fields: list[Any]) -> None:
        schema, _, barred = read_list(fields, 3)
        read_number(schema, len(self._schemas))
        if not all(read_bytes(word) for word in read_list(barred)):
            raise PlanError("a string of the link is barred from the empty text")

    def _check_barred(self, fields: list[Any]) -> None:
        schema, barred = read_list(fields, 2)
        read_number(schema, len(self._schemas))
        words = tuple(map(read_bytes, read_list(barred)))
        if not words or not ascends(words) or not all(map(may_be_barred, words)):
            raise PlanError("JSON of the link cannot be without a word")

    def _check_tokens(self, fields: list[Any]) -> None:
        (ranges,) = read_list(fields, 1)
        ids = read_ranges([read_number(n, self._vocab_size + 1) for n in read_list(ranges)])
        if not ids or ids & self._ends:
            raise PlanError("tokens of the link are none, or end the sequence")

    def _check_switch(self, fields: list[Any]) -> None:
        words, targets = read_list(fields, 2)
        found = [self.word(word) for word in read_list(words)]
        if not found or not all(found) or not ascends(found):
            raise PlanError("a switch of the link has no words, or not in order")
        self._check_targets(targets, len(found))

    def _check_free_text(self, fields: list[Any]) -> None:
        text, targets, loops = read_list(fields, 3)
        self._check_targets(targets, len(self.texts[read_number(text, len(self.texts))].triggers))
        if not isinstance(loops, bool):
            raise PlanError("a free text of the link does not say whether it loops")

    def _check_limited(self, fields: list[Any]) -> None:
        barred, *limits = read_list(fields, 3)
        if self.texts[read_number(barred, len(self.texts))][:2] != ((), ()):
            raise PlanError("a limited text of the link has triggers")
        for limit in limits:
            if limit is not None:
                read_number(limit, MOST_COUNT, 1)

    def _check_targets(self, targets: Any, n: int) -> None:
        for target in read_list(targets, n):
            read_number(target, self._n_nodes)

    def _read_text(self, entry: Any) -> FrozenText:
        triggers, unused, barred = read_list(entry, 3)
        words = [tuple(map(self.word, read_list(part))) for part in (triggers, unused)]
        texts = tuple(map(read_bytes, read_list(barred)))
        if not all(map(ascends, (*words, texts))) or not all((*words[0], *words[1], *texts)):
            raise PlanError("words of a free text of the link are empty, or not in order")
        ordered = sorted((*words[0], *words[1]))
        if any(after[: len(word)] == word for word, after in itertools.pairwise(ordered)):
            raise PlanError("a trigger of the link is the beginning of another one")
        return FrozenText(words[0], words[1], texts)

    def _read_table(self, entry: Any) -> FrozenTable:
        n_names, required, possible, low, high, is_ordered, blanks, ways = read_list(entry, 8)
        n_names = read_number(n_names, _MOST_NAMES)
        listed = read_list(ways, n_names + 1)
        if not isinstance(is_ordered, bool):
            raise PlanError("a table of the link does not say whether it is ordered")
        counts = Counts(
            n_names,
            read_bits(required, n_names),
            read_bits(possible, n_names),
            read_number(low, MOST_COUNT),
            None if high is None else read_number(high, MOST_COUNT),
            is_ordered=is_ordered,
            has_others=listed[-1] is not None,
        )
        read = [[self._read_way(way) for way in read_list(one or [])] for one in listed]
        return FrozenTable(counts, read_number(blanks, self._n_nodes), read)

    def _read_way(self, entry: Any) -> list[int | list[Word]]:
        found = [
            [self.word(word) for word in item]
            if isinstance(item, list)
            else read_number(item, self._n_nodes)
            for item in read_list(entry)
        ]
        # So a parameter reads a symbol before the next one is looked for.
        if not found or isinstance(found[0], int) or not all(found[0]):
            raise PlanError("a parameter of the link begins with nothing")
        for item in found:
            if isinstance(item, list) and (not item or not all(item)):
                raise PlanError("a parameter of the link has an empty word")
        return found

    def word(self, entry: Any) -> Word:
        """Return a word of a node.

        Raises:
            PlanError: it is none.
        """
        symbols: list[int] = []
        for part in [entry] if isinstance(entry, str) else read_list(entry):
            if isinstance(part, str):
                symbols += read_bytes(part)
            else:
                token = read_number(part, self._vocab_size)
                if token in self._ends:
                    raise PlanError("a word of the link has a token that ends the sequence")
                symbols.append(ATOM + token)
        return tuple(symbols)


def _parse(data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise PlanError("the link is not JSON") from None
    if not isinstance(raw, dict):
        raise PlanError("the link is no object")
    return raw
