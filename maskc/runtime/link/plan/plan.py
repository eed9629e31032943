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
from typing import Any

from maskc.runtime.cache import Budget
from maskc.runtime.fields import PlanError, Scope, parse_plan, read_list, read_number
from maskc.runtime.link.joining.expressions import MAX_DEPTH
from maskc.runtime.link.plan.records import (
    AUTOMATON,
    COUNTER,
    MOST_COUNT,
    TABLE,
    TEXT,
    FrozenTable,
    read_node,
)
from maskc.runtime.link.text import FreeWords
from maskc.runtime.link.text.forbidding_schema import may_be_forbidden
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout, Plan

PARTS = ("automata", "counters", "nodes", "schemas", "tables", "texts")
# Composing parameters adds some levels.
MOST_LEVELS = MAX_DEPTH - 10
MOST_ENTRIES = 1 << 14


class LinkPlan:
    """What an artifact of a link follows; raises a PlanError if it is damaged."""

    def __init__(
        self, data: bytes, *, vocab_size: int, ends: frozenset[int], n_grammars: int
    ) -> None:
        raw = parse_plan(data)
        raw.setdefault("counters", [])  # older artifacts have none
        lists = {name: read_list(raw.get(name)) for name in PARTS}
        sizes = {"tokens": vocab_size, "grammars": n_grammars}
        scope = Scope(sizes | {name: len(listed) for name, listed in lists.items()}, ends)
        self._schemas = [read_list(entry, 5) for entry in lists["schemas"]]
        self.automata = [AUTOMATON.read(entry, scope) for entry in lists["automata"]]
        self.counters = [COUNTER.read(entry, scope) for entry in lists["counters"]]
        self.texts: list[FreeWords] = [TEXT.read(entry, scope) for entry in lists["texts"]]
        self.tables: list[FrozenTable] = [TABLE.read(entry, scope) for entry in lists["tables"]]
        self.root = read_number(raw.get("root"), len(lists["nodes"]))  # the node of the whole
        self.nodes: list[tuple[Any, ...]] = []  # each a kind and what NODES declares for it
        levels, n_entries = list[int](), list[int]()
        for number, entry in enumerate(lists["nodes"]):
            scope.sizes["inner"] = number
            node = read_node(entry, scope)
            self._check_node(*node)
            depth, n_begins = _measure(node, levels, n_entries)
            if depth > MOST_LEVELS or n_begins > MOST_ENTRIES:
                raise PlanError(f"node {number} of the link has too many levels or beginnings")
            self.nodes.append(node)
            levels.append(depth)
            n_entries.append(n_begins)
        for text in self.texts:
            _check_text(text)
        for table in self.tables:
            self._check_table(table)

    def name_of(self, number: int) -> tuple[str, ...]:
        return tuple(self._schemas[number])

    def schema(self, number: int, budget: Budget) -> Plan:
        *layout, text = self._schemas[number]
        if not all(isinstance(part, str) for part in (*layout, text)):
            raise PlanError("a schema of the link is not text")
        frozen = FrozenPlan(text.encode(errors="replace"))
        return Plan(frozen, JsonLayout(*layout), budget)

    def check_schemas(self) -> None:
        """Refuse plans of schemas that are damaged, and what their nodes ask of none."""
        found = [
            (len(plan.strings), plan.layout.escapes)
            for plan in (self.schema(number, Budget(0)) for number in range(len(self._schemas)))
        ]
        for node in self.nodes:
            if node[0] in ("raw text", "quoted text"):
                read_number(node[2], found[node[1]][0])
            elif node[0] == "barred schema" and found[node[1]][1] != "any":
                raise PlanError("JSON of the link lacks words and has few escapes")

    def _check_node(self, kind: str, *values: Any) -> None:
        """Refuse values of a node that do not fit each other."""
        match kind, *values:
            case (("sequence" | "choice"), inner):
                if not inner:
                    raise PlanError("a node of the link is made of nothing")
            case "repeat", _, low, high:
                if high is not None:
                    read_number(high, MOST_COUNT, max(low, 1))
            case (("raw text" | "quoted text"), _, _, forbidden, *_):
                if not all(forbidden):
                    raise PlanError("a string of the link forbids the empty text")
            case "barred schema", _, words:
                if not all(map(may_be_forbidden, words)):
                    raise PlanError("JSON of the link cannot be without a word")
            case "switch", words, targets:
                read_list(targets, len(words))
            case "free text", text, targets, _:
                read_list(targets, len(self.texts[text].triggers))
            case "limited text", text, _, _:
                if self.texts[text][:2] != ((), ()):
                    raise PlanError("a limited text of the link has triggers")

    def _check_table(self, table: FrozenTable) -> None:
        counts = table.counts
        read_list(table.alternatives, counts.n_names + 1)
        if (counts.required | counts.possible) >> counts.n_names:
            raise PlanError("a table of the link has fewer parameters than it names")
        if self.nodes[table.blanks][0] != "automaton":
            raise PlanError("the blanks of a table of the link are no automaton")
        every = (each for alternatives in table.alternatives for each in alternatives or ())
        for alternative in every:
            # So a parameter reads a symbol before the next one is looked for.
            if not alternative or isinstance(alternative[0], int):
                raise PlanError("a parameter of the link begins with nothing")
            if any(not isinstance(item, int) and not (item and all(item)) for item in alternative):
                raise PlanError("a parameter of the link has an empty word")


def _measure(node: tuple[Any, ...], levels: list[int], n_entries: list[int]) -> tuple[int, int]:
    """Return how many levels a node has, and with how many pieces it may begin, at most."""
    kind, *values = node
    if kind not in ("sequence", "choice", "repeat"):
        # What a table begins with: blanks, and one switch over its parameters.
        return 1, 2 if kind in ("parameters", "separated") else 1
    inner: list[int] = [values[0]] if kind == "repeat" else values[0]
    return 1 + max(levels[n] for n in inner), sum(n_entries[n] for n in inner)


def _check_text(text: FreeWords) -> None:
    for word, after in itertools.pairwise(sorted((*text.triggers, *text.unused))):
        if after[: len(word)] == word:
            raise PlanError("a trigger of the link is the beginning of another one")
