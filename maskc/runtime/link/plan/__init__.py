r"""An artifact of a link: its plan, read and checked, as expressions, and its machine.

The plan is one JSON text in an array of the artifact: its pieces and what joins them. Expressions
are *nodes*, by number; one that is entered at once has a smaller number than the one that it stands
in, and one that a text turns to later may have any. A *word* is a list of texts, one character for
each byte, and of tokens by id.

Everything that a machine indexes with is checked here, once, and so is that no expression leads
back to itself before a byte is read, and that none has too many beginnings. A plan that someone
made up can be wrong, but never makes the machine fail.

Expressions are made when a text comes near them, so of an artifact with hundreds of tools only what
is called is made into machines.

Example: ``{"nodes": [["words", ["yes", "no"]]], "root": 0, …}``. The artifact of a tag with a
schema in it makes the schema's machine when its begin has been read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from maskc.artifact.container import decode
from maskc.artifact.model import Contents
from maskc.artifact.sections import is_link, is_schema
from maskc.runtime.cache import Budget
from maskc.runtime.fields import PlanError, Scope, parse_plan, read_list, read_number
from maskc.runtime.link.automata import TabledAutomaton
from maskc.runtime.link.joining import LinkMachine, LinkResults, PieceBoundaries
from maskc.runtime.link.joining.expressions import MAX_DEPTH, Expression
from maskc.runtime.link.joining.machine_pieces import MachinePiece, SchemaPiece
from maskc.runtime.link.plan.composing import (
    Alternatives,
    Composer,
    Constant,
    Item,
    Parameters,
)
from maskc.runtime.link.plan.records import (
    AUTOMATON,
    COUNTER,
    MOST_COUNT,
    TABLE,
    TEXT,
    FrozenTable,
    in_ranges,
    read_node,
)
from maskc.runtime.link.text import FreeWords
from maskc.runtime.link.text.without_words import may_be_forbidden
from maskc.runtime.machine import Machine
from maskc.runtime.pool import MaskPool
from maskc.runtime.schema.opening import MaskedSchemaMachine
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout, Plan
from maskc.runtime.vocabulary import TOKEN_ARRAYS, index_of

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
            words = sorted((*text.triggers, *text.unused))
            if any(after[: len(word)] == word for word, after in itertools.pairwise(words)):
                raise PlanError("a trigger of the link is the beginning of another one")
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


# Contents of a grammar's artifact → its machine.
OpenGrammar = Callable[[Contents, Budget, MaskPool], Machine[Any]]


class LinkOpener:
    """Makes the expressions of an artifact that was checked, each when it is asked for."""

    def __init__(
        self,
        contents: Contents,
        composer: Composer,
        results: LinkResults,
        ends: frozenset[int],
        open_grammar: OpenGrammar,
    ) -> None:
        self._contents, self._compose, self._results = contents, composer, results
        self._plan, self._ends, self._open_grammar = read_link(contents), ends, open_grammar
        self._known: dict[int, Expression] = {}
        self._tables: dict[tuple[int, bool], Parameters] = {}

    def root(self) -> Expression:
        return self._expression(self._plan.root)

    def _expression(self, number: int) -> Expression:
        found = self._known.get(number)
        if found is None:
            kind, *fields = self._plan.nodes[number]
            found = self._known[number] = self._make(kind, *fields)
        return found

    def _make(self, kind: str, *fields: Any) -> Expression:
        compose, plan = self._compose, self._plan
        match kind, *fields:
            case ("nothing",):
                return compose.boundaries.nothing
            case "sequence", parts:
                return compose.boundaries.sequence([self._expression(n) for n in parts])
            case "choice", parts:
                return compose.boundaries.choice([self._expression(n) for n in parts])
            case "repeat", body, low, high:
                return compose.boundaries.repetition(self._expression(body), low, high)
            case "words", texts:
                return compose.words(list(texts))
            case "automaton", automaton:
                return compose.boundaries.as_expression(
                    compose.boundaries.regular(TabledAutomaton(plan.automata[automaton]))
                )
            case "counter", counter:
                return compose.counter(plan.counters[counter])
            case "name", names:
                return compose.other_name(names)
            case (("raw text" | "quoted text"), schema, rule, forbidden, *quote):
                read = plan.schema(schema, self._results.budget)
                return compose.raw_text(compose.raw_string(read, rule, forbidden, *quote))
            case "schema", schema:
                return compose.boundaries.as_expression(self._schema(schema))
            case "barred schema", schema, forbidden:
                return compose.forbidding_schema(self._schema(schema), forbidden)
            case "grammar", grammar:
                contents = read_grammar(self._contents, grammar)
                results, scanner = self._results, compose.boundaries.scanner
                machine = self._open_grammar(contents, results.budget, results.pool)
                return compose.boundaries.as_expression(
                    MachinePiece(contents, machine, self._ends, scanner)
                )
            case "tokens", ranges:
                return compose.tokens(("ranges", *ranges), lambda: in_ranges(ranges))
            case "stop", token:
                return compose.stop(token)
            case "switch", words, targets:
                return compose.switch(words, self._targets(targets))
            case "free text", text, targets, loops:
                return compose.free_text(plan.texts[text], self._targets(targets), loops=loops)
            case "limited text", text, max_tokens, max_characters:
                return compose.limited_text(plan.texts[text].forbidden, max_tokens, max_characters)
            case (("parameters" | "separated"), table):
                return self._parameters(table, separates=kind == "separated").after(0)
        raise ValueError(f"{kind} is no node")

    def _targets(self, numbers: list[int]) -> list[Callable[[], Expression]]:
        return [partial(self._expression, number) for number in numbers]

    def _parameters(self, number: int, *, separates: bool) -> Parameters:
        found = self._tables.get((number, separates))
        if found is None:
            table = self._plan.tables[number]
            blanks = self._expression(table.blanks)
            alternatives = partial(self._list_alternatives, number)
            found = Parameters(
                table.counts, alternatives, blanks, self._compose, separates=separates
            )
            self._tables[number, separates] = found
        return found

    def _list_alternatives(self, table: int, number: int | None) -> Alternatives:
        alternatives = self._plan.tables[table].alternatives[-1 if number is None else number]
        return [[self._item(item) for item in alternative] for alternative in alternatives or ()]

    def _item(self, item: Any) -> Item:
        if isinstance(item, list):
            return Constant(tuple(item))
        return partial(self._expression, item)

    def _schema(self, number: int) -> SchemaPiece:
        results = self._results

        def make() -> SchemaPiece:
            plan = self._plan.schema(number, results.budget)
            return SchemaPiece(MaskedSchemaMachine(plan, results.text_of, results.mixes))

        found: SchemaPiece = self._compose.keep("plan", self._plan.name_of(number), make)
        return found


def open_link(
    contents: Contents,
    text_of: Callable[[int], bytes | None],
    budget: Budget,
    pool: MaskPool,
    *,
    open_grammar: OpenGrammar,
) -> LinkMachine:
    """Return the machine of a checked artifact; its arguments are those of the other machines.

    Grammars in it are opened by ``open_grammar``, with the same budget and pool.
    """
    boundaries = PieceBoundaries(
        index_of(*(contents.arrays[name] for name in TOKEN_ARRAYS)), budget
    )
    results = LinkResults(boundaries, pool, text_of)
    ends = frozenset(contents.header["tokenizer"]["eos_ids"])
    kept: dict[tuple[str, Hashable], Any] = {}

    def keep(kind: str, key: Hashable, make: Callable[[], Any]) -> Any:
        found = kept.get((kind, key))
        return kept.setdefault((kind, key), make()) if found is None else found

    composer = Composer(boundaries, keep)
    opener = LinkOpener(contents, composer, results, ends, open_grammar)
    return LinkMachine(boundaries.rest(opener.root(), boundaries.end), results)


def read_link(contents: Contents) -> LinkPlan:
    return LinkPlan(
        contents.arrays["link_plan"].tobytes(),
        vocab_size=len(contents.arrays["token_first"]) - 1,
        ends=frozenset(contents.header["tokenizer"]["eos_ids"]),
        n_grammars=len(contents.arrays["link_grammar_first"]) - 1,
    )


def read_grammar(contents: Contents, number: int) -> Contents:
    """Return the artifact of a grammar in an artifact of a link, with the tokens of the latter."""
    first = contents.arrays["link_grammar_first"]
    data = contents.arrays["link_grammar_bytes"][first[number] : first[number + 1]].tobytes()
    header, arrays = decode(data, f"grammar {number} of the link")
    tokens = {name: contents.arrays[name] for name in TOKEN_ARRAYS}
    return Contents(header, {**arrays, **tokens})


def check_link_plan(
    contents: Contents, check_grammar: Callable[[Contents, str], object]
) -> str | None:
    """Return what is wrong with the plan, ``None`` if nothing is.

    ``check_grammar`` raises an ``ArtifactError`` if a grammar is damaged.
    """
    try:
        plan = read_link(contents)
        plan.check_schemas()
    except PlanError as error:
        return str(error)
    tokenizer = contents.header["tokenizer"]
    for number in range(len(contents.arrays["link_grammar_first"]) - 1):
        grammar = read_grammar(contents, number)
        name = f"grammar {number} of the link"
        if is_schema(grammar.header) or is_link(grammar.header):
            return f"{name} is no grammar"
        check_grammar(grammar, name)
        if grammar.header["tokenizer"]["eos_ids"] != tokenizer["eos_ids"]:
            return f"{name} is for another tokenizer"
    return None
