"""Traces a parser stack: the span of each symbol on it, and the completed symbols.

The machine of an artifact caches what a terminal does to a stack, however many reductions it takes.
Here the reductions are made one by one: beside the stack runs a list of *extents*, where the symbol
that pushed each state begins and ends, and each reduction of a rule that is asked for is a *span*.

A symbol's extent is from its first lexeme to the end of its last: blanks around it, and whatever
else is ignored, do not count. A rule that derived nothing has no extent, and is no span; neither
have the INDENTs and DEDENTs that an indenter adds.

Example: of ``pair: STRING ":" value``, when ``}`` has been read after ``{"a": 1``, the reduction
pops three states with the extents (1, 4), (4, 5) and (6, 7), and pushes one with (1, 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from maskc.artifact.sections import is_general
from maskc.compiler.pushdown.interchangeable import Classes, find_table_classes
from maskc.errors import CaptureError, GrammarError, UnknownSymbolError
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import source_from_header
from maskc.grammar import LalrGrammar
from maskc.ids import END, LalrStateId, NonterminalId, ProductionId, RefinedStateId, TerminalId
from maskc.kinds import kind_of
from maskc.runtime.artifact import Artifact
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import ReadSet, Stack

_N_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Symbols:
    """The rules and terminals that are captured, by the grammar of the header, built again."""

    grammar: str  # what the grammar is called
    rules: Mapping[NonterminalId, str]  # number of a nonterminal → its name
    terminals: Mapping[TerminalId, str]  # number of a terminal → its name
    # of the LALR table, the state in which the parser is done when the text has ended
    end_state: LalrStateId

    def check(self, name: str) -> None:
        """Raise an ``UnknownSymbolError`` if a name is not captured."""
        names = {*self.rules.values(), *self.terminals.values()}
        if name not in names:
            _refuse_unknown(self.grammar, "captured symbol", name, names)


def find_symbols(artifact: Artifact, names: Iterable[str]) -> Symbols:
    """Return the rules and terminals with some names.

    Raises:
        CaptureError: the artifact was not made from a grammar with an LALR table, the lexer drops a
            terminal, or another one stands for it or for a word of a rule.
        GrammarError, PostlexError: this version of Lark reads the grammar differently.
        UnknownSymbolError: a name is neither a rule nor a terminal.
    """
    _check_kind(artifact)
    grammar = _load_grammar(artifact)
    terminals = {name: TerminalId(n) for n, name in enumerate(grammar.bnf.terminals) if n}
    rules = {name: NonterminalId(n) for n, name in enumerate(grammar.bnf.nonterminals)}
    title = _title_of(artifact)
    groups = artifact.header.get("merged_words", ())
    merged = {name: len(group) for group in groups for name in group}
    found_rules: dict[NonterminalId, str] = {}
    found_terminals: dict[TerminalId, str] = {}
    for name in names:
        if name in rules:
            found_rules[rules[name]] = name
        elif name not in terminals:
            _refuse_unknown(title, "rule or terminal", name, {*rules, *terminals})
        elif terminals[name] in grammar.lexer.ignored:
            raise CaptureError(
                title,
                f"{name} is ignored, so it never reaches the parser",
                "take it out of %ignore, or capture a rule around it",
            )
        elif name in merged:
            raise CaptureError(
                title,
                f"the artifact joins {name} with others to one terminal of {merged[name]} words",
                "capture a rule around it",
            )
        else:
            found_terminals[terminals[name]] = name
    if groups:
        numbers = [frozenset(terminals[name] for name in group) for group in groups]
        for rule, name in found_rules.items():
            _check_words(title, name, find_table_classes(grammar, apart=[rule]), numbers)
    return Symbols(
        title,
        MappingProxyType(found_rules),
        MappingProxyType(found_terminals),
        grammar.lalr.end_state,
    )


def _check_words(
    title: str, rule: str, classes: Classes, merged: Iterable[frozenset[TerminalId]]
) -> None:
    for group in merged:
        if not any(group.issubset(members) for members in classes):
            raise CaptureError(
                title,
                f"the artifact joins {len(group)} words, of {rule} and of other rules, to one "
                "terminal",
                "capture a rule around it",
            )


def _check_kind(artifact: Artifact) -> None:
    title = _title_of(artifact)
    no_rules = kind_of(artifact.header).no_rules
    if no_rules is not None:
        raise CaptureError(title, *no_rules)
    if is_general(artifact.header):
        raise CaptureError(
            title,
            "a general parser reads it, so its texts may have several readings",
            "compile it with parser=lalr if Lark's LALR parser takes it",
        )


def _load_grammar(artifact: Artifact) -> LalrGrammar:
    source = source_from_header(artifact.header["grammar"])
    grammar = load_lalr_grammar(source)[0]
    sizes = artifact.header["sizes"]
    numbers = (len(grammar.bnf.terminals), len(grammar.bnf.nonterminals), len(grammar.lalr.states))
    n_states = len(artifact.contents.arrays["lalr_context"])
    if numbers != (sizes["T"], sizes["N"], n_states):
        raise GrammarError(
            source.name, "this version of Lark builds other tables for it; compile it again"
        )
    return grammar


def _title_of(artifact: Artifact) -> str:
    grammar = artifact.header.get("grammar")
    return str(grammar.get("name")) if isinstance(grammar, dict) else "<artifact>"


def _refuse_unknown(grammar: str, kind: str, name: str, known: set[str]) -> NoReturn:
    nearest = get_close_matches(name, sorted(known), _N_NEAREST, cutoff=0.3)
    raise UnknownSymbolError(grammar, kind, name, tuple(nearest))


NOWHERE = -1


class Span(NamedTuple):
    """Where a rule or a terminal stands in the text."""

    name: str  # of the rule or the terminal
    start: int  # where its first byte is
    end: int  # one past its last byte


# Spans in the order in which they were completed, newest first, as linked pairs.
Spans = Any


class Extents:
    """Where the symbol of a stack's top begins and ends, and what lies below. Never changes.

    Attributes:
        start, end: bytes of the text; ``NOWHERE`` for a symbol that derived nothing.
        below: of the rest of the stack, ``None`` at the bottom.
    """

    __slots__ = ("below", "end", "start")

    def __init__(self, start: int, end: int, below: Extents | None) -> None:
        self.start, self.end, self.below = start, end, below


class Parse(NamedTuple):
    """What the parser has made of some lexemes."""

    stack: Stack
    extents: Extents
    spans: Spans


class Tracer:
    """Follows the parser of one artifact, reduction by reduction."""

    def __init__(self, machine: LalrMachine, symbols: Symbols) -> None:
        self._tables, self._effects = machine.tables, machine.effects
        self._lookaheads = machine.lookaheads
        self._symbols = symbols
        # Of each production its rule's name, ``None`` if that is not asked for.
        self._names = [symbols.rules.get(lhs) for lhs in self._tables.production_lhs]
        self._forced: dict[RefinedStateId, ProductionId | None] = {}

    def shift(self, parse: Parse, terminal: TerminalId, start: int, end: int) -> Parse | None:
        """Return the parse after a terminal, ``None`` if the parser refuses it.

        Its lexeme is from ``start`` to ``end``; both are ``NOWHERE`` if it has none.
        """
        # In tables that somebody else made, only this says whether the reductions end.
        if self._effects.shift(parse.stack, terminal, ReadSet(parse.stack.depth)) is None:
            return None
        stack, extents, spans = self.reduce_before(parse, terminal)
        name = self._symbols.terminals.get(terminal)
        if name is not None and start != NOWHERE:
            spans = (Span(name, start, end), spans)
        target = self._tables.shifts(stack.state)[terminal]
        return Parse(Stack(target, stack), Extents(start, end, extents), spans)

    def finish(self, parse: Parse) -> Parse:
        """Return the parse when the text has ended."""
        return self.reduce_before(parse, END)

    def settle(self, parse: Parse) -> Parse:
        """Return the parse after the reductions that follow whatever comes next.

        A reduction is forced where every terminal with which the stack leads to an end has it.
        """
        return self._reduce_while(parse, self._find_forced)

    def reduce_before(self, parse: Parse, terminal: TerminalId) -> Parse:
        """Return the parse after the reductions that a terminal brings about."""
        return self._reduce_while(parse, lambda state: self._find_reduction(state, terminal))

    def _reduce_while(
        self, parse: Parse, find: Callable[[RefinedStateId], ProductionId | None]
    ) -> Parse:
        pushed = _Pushed()
        while (production := find(parse.stack.state)) is not None:
            parse = self._reduce(parse, production)
            if pushed.repeats(parse.stack):
                raise self._fault()
        return parse

    def _reduce(self, parse: Parse, production: ProductionId) -> Parse:
        stack, extents, spans = parse
        start = end = NOWHERE
        for _ in range(self._tables.production_length[production]):
            if extents.start != NOWHERE:
                start = extents.start
                if end == NOWHERE:
                    end = extents.end
            if stack.below is None or extents.below is None:
                raise self._fault()
            stack, extents = stack.below, extents.below
        name = self._names[production]
        if name is not None and start != NOWHERE:
            spans = (Span(name, start, end), spans)
        goto = self._tables.gotos(stack.state).get(self._tables.production_lhs[production])
        if goto is None:
            raise self._fault()
        return Parse(Stack(goto, stack), Extents(start, end, extents), spans)

    def _find_reduction(self, state: RefinedStateId, terminal: TerminalId) -> ProductionId | None:
        """Return what a state on top reduces before a terminal, ``None`` if nothing."""
        lalr_state = self._tables.lalr_state[state]
        # Lark is done there, though it may have a reduction: of `start: start | "a"` or the like.
        if terminal == END and lalr_state == self._symbols.end_state:
            return None
        return self._tables.reduces(lalr_state).get(terminal)

    def _find_forced(self, state: RefinedStateId) -> ProductionId | None:
        """Return the production by which a state is left in any case, ``None`` if there is none."""
        if state not in self._forced:
            taken = self._tables.taken[state]
            found = {
                self._find_reduction(state, TerminalId(terminal))
                for terminal, lookaheads in enumerate(self._lookaheads.of_terminal)
                if lookaheads & taken
            }
            self._forced[state] = found.pop() if len(found) == 1 else None
        return self._forced[state]

    def _fault(self) -> CaptureError:
        return CaptureError(
            self._symbols.grammar,
            "its tables were not made by maskc: the parser would never stop",
            "compile it again",
        )


class _Pushed:
    """What reductions have pushed onto which states, as long as these are on the stack.

    What follows a push depends on both alone until the state below is popped. So if both come again
    before that, they will over and over; only tables that maskc did not make have that.
    """

    def __init__(self) -> None:
        self._pairs: set[tuple[RefinedStateId, RefinedStateId]] = set()
        self._order: list[tuple[int, tuple[RefinedStateId, RefinedStateId]]] = []

    def repeats(self, stack: Stack) -> bool:
        """Return whether what has just been pushed was there before, onto the same state."""
        while self._order and self._order[-1][0] > stack.depth:
            self._pairs.discard(self._order.pop()[1])
        below = stack.below
        if below is None:
            return False
        pair = (below.state, stack.state)
        if pair in self._pairs:
            return True
        self._pairs.add(pair)
        self._order.append((stack.depth, pair))
        return False
