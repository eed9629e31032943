"""An artifact of a link: its plan as expressions, and its machine.

Expressions are made when a text comes near them, so of an artifact with hundreds of tools only what
is called is made into machines.

Example: the artifact of a tag with a schema in it makes the schema's machine when its begin has
been read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from maskc.artifact.container import decode
from maskc.artifact.model import Contents
from maskc.artifact.sections import is_link, is_schema
from maskc.runtime.cache import Budget
from maskc.runtime.fields import PlanError
from maskc.runtime.link.automata import TabledAutomaton
from maskc.runtime.link.joining import LinkMachine, LinkResults
from maskc.runtime.link.joining.boundaries import PieceBoundaries
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.joining.grammar_piece import MachinePiece
from maskc.runtime.link.joining.pieces import SchemaPiece
from maskc.runtime.link.plan.composing import Composer, Constant, Item, Keep, Late
from maskc.runtime.link.plan.members import Alternatives, Parameters
from maskc.runtime.link.plan.plan import LinkPlan
from maskc.runtime.link.plan.records import in_ranges
from maskc.runtime.machine import Machine
from maskc.runtime.pool import MaskPool
from maskc.runtime.schema.opening import MaskedSchemaMachine
from maskc.runtime.vocabulary import TOKEN_ARRAYS, index_of

# Contents of a grammar's artifact → its machine.
OpenGrammar = Callable[[Contents], Machine[Any]]


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
                return compose.boundaries.as_expression(self._grammar(grammar))
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
        return Late(partial(self._expression, item))

    def _schema(self, number: int) -> SchemaPiece:
        make = partial(self._make_schema, number)
        found: SchemaPiece = self._compose.keep("plan", self._plan.name_of(number), make)
        return found

    def _make_schema(self, number: int) -> SchemaPiece:
        results = self._results
        plan = self._plan.schema(number, results.budget)
        return SchemaPiece(MaskedSchemaMachine(plan, results.text_of, results.mixes))

    def _grammar(self, number: int) -> MachinePiece:
        contents, boundaries = read_grammar(self._contents, number), self._compose.boundaries
        machine = self._open_grammar(contents)
        return MachinePiece(contents, machine, self._ends, boundaries.scanner)


def open_link(
    contents: Contents,
    text_of: Callable[[int], bytes | None],
    budget: Budget,
    pool: MaskPool,
    *,
    open_grammar: OpenGrammar,
) -> LinkMachine:
    """Return the machine of a checked artifact; its arguments are those of the other machines.

    Grammars in it are opened by ``open_grammar``.
    """
    boundaries = PieceBoundaries(
        index_of(*(contents.arrays[name] for name in TOKEN_ARRAYS)), budget
    )
    results = LinkResults(boundaries, pool, text_of)
    ends = frozenset(contents.header["tokenizer"]["eos_ids"])
    composer = Composer(boundaries, _keep_all())
    opener = LinkOpener(contents, composer, results, ends, open_grammar)
    return LinkMachine(boundaries.rest(opener.root(), boundaries.end), results)


def _keep_all() -> Keep:
    kept: dict[tuple[str, Hashable], Any] = {}

    def keep(kind: str, key: Hashable, make: Callable[[], Any]) -> Any:
        found = kept.get((kind, key))
        return kept.setdefault((kind, key), make()) if found is None else found

    return keep


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
