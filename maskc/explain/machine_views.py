"""What can be seen of a machine's hypothesis, whichever parser it has.

:mod:`maskc.explain.readings` asks the same of all: which lookaheads the parser takes, what is left
if the open lexeme becomes a terminal, and which productions are being read. Here are the answers of
the LALR machine, which has one stack and perhaps blocks of indentation, and of the general one,
which has a set of stacks and no productions to show: its table has all actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from maskc.compiler.lalr import ItemSets, build_item_sets
from maskc.errors import GrammarError
from maskc.explain import Names
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource, load_source, source_from_header
from maskc.frontends.texts import find_dialect
from maskc.grammar import LalrGrammar, is_written, name_part, string_of, write_production
from maskc.ids import (
    DEAD,
    IGNORED,
    NO_EVENT,
    NO_LINE,
    ROOT,
    BoundaryId,
    ContextId,
    LayoutContextId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.artifact import Artifact
from maskc.runtime.glr import GlrHypothesis, GlrMachine
from maskc.runtime.glr.queries import LAYOUT_CONTEXT
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet
from maskc.runtime.machine import Machine
from maskc.runtime.scanner import Lookaheads, OpenLexeme, ScannerTables

_MAX_PATTERN = 24  # characters of one that is shown beside the name of its rule


class GrammarNames:
    """Names of terminals and items, from the grammar that the artifact's header carries.

    It is built again; numbers are canonical, so they agree. Where the grammar was written in
    another notation than Lark's, a terminal is called after the rule that it is part of.
    """

    def __init__(self, artifact: Artifact) -> None:
        """Build the grammar again."""
        source = source_from_header(artifact.header["grammar"])
        self._grammar = grammar = load_grammar(source)[0]
        self._rules = _name_rules(source)
        self._texts = (source.text, *source.imports.values())
        self._is_rules = find_dialect(source.dialect).takes_start
        self._item_sets: ItemSets | None = None
        is_same = len(grammar.bnf.terminals) == artifact.header["sizes"]["T"]
        if isinstance(grammar, LalrGrammar):
            self._item_sets = build_item_sets(grammar)
            n_states = len(artifact.contents.arrays["lalr_context"])
            is_same = is_same and len(grammar.lalr.states) == n_states
        if not is_same:
            raise GrammarError(
                source.name, "this version of Lark builds other tables for it; compile it again"
            )

    def terminal(self, terminal: int) -> str:
        """Return a terminal's name, or its text in quotes if Lark named it: ``"["``, not LSQB."""
        name = self._grammar.bnf.terminals[terminal]
        pattern = self._grammar.lexer.patterns[terminal] or ""
        text = string_of(pattern)
        if text is not None and (name in self._rules or not is_written(name, self._texts)):
            return f'"{text}"'
        if name not in self._rules:
            return name
        is_short = self._is_rules and len(pattern) <= _MAX_PATTERN
        return f"{self._rules[name]} /{pattern}/" if is_short else self._rules[name]

    def literal(self, terminal: int) -> str:
        """Return the text of a string terminal in quotes, if its name does not say it."""
        text = string_of(self._grammar.lexer.patterns[terminal])
        quoted = "" if text is None else f'"{text}"'
        return "" if quoted == self.terminal(terminal) else quoted

    def terminals(self, terminals: Iterable[int]) -> Names:
        """Return the names of terminals in the order of their numbers."""
        return tuple(self.terminal(t) for t in sorted(set(terminals)))

    def items(self, lalr_state: int) -> Names:
        """Return a state's kernel items, as ``X -> A . B``; without rules there are none."""
        sets = self._item_sets
        if sets is None or not self._is_rules:
            return ()
        return tuple(self._item(sets, *item) for item in sets.kernels[lalr_state])

    def _item(self, sets: ItemSets, production: int, dot: int) -> str:
        bnf = self._grammar.bnf
        left = "$root" if production == ROOT else self._name(-1 - bnf.productions[production].lhs)
        return write_production(left, map(self._name, sets.right_sides[production]), dot)

    def _name(self, symbol: int) -> str:
        nonterminals = self._grammar.bnf.nonterminals
        return self.terminal(symbol) if symbol >= 0 else name_part(nonterminals[-1 - symbol])


def _name_rules(source: GrammarSource) -> Mapping[str, str]:
    """Return terminal → the rule that its author calls it; empty for Lark's own notation."""
    if source.original is None:
        return {}
    dialect = find_dialect(source.dialect)
    if not dialect.takes_start:
        return {"PATTERN": "the pattern"}
    translation = load_source(
        f"{source.original}\n", dialect=source.dialect, start=source.start
    ).translation
    return translation.rule_of if translation is not None else {}


class AnyHypothesis(Protocol):
    """A machine's hypothesis."""

    state: ScannerStateId


H = TypeVar("H", bound=AnyHypothesis)


@dataclass(frozen=True, slots=True)
class ParserPosition:
    """Where the parser is."""

    taken: int  # the lookaheads that it takes, as a bit set
    # layout_context, context: of the scanner
    layout_context: LayoutContextId
    context: ContextId
    items: Names  # the productions that are being read


class MachineView(ABC, Generic[H]):
    """What can be seen of the hypotheses of one artifact; without indentation, unless said."""

    newline: TerminalId = NO_EVENT  # the terminal of a line's end, if it counts

    def __init__(self, machine: Machine[H], scanner: ScannerTables, lookaheads: Lookaheads) -> None:
        self.machine, self.scanner, self.lookaheads = machine, scanner, lookaheads

    @abstractmethod
    def position(self, h: H) -> ParserPosition:
        """Return where the parser is, before the open lexeme."""

    @abstractmethod
    def end(self, h: H, terminal: TerminalId) -> H | None:
        """Return what is left if the open lexeme becomes a terminal, ``None`` if it is refused."""

    @abstractmethod
    def stacks(self, h: H) -> Hashable:
        """Return the stacks: the same object as long as no terminal was read."""

    def goes_on(self, before: H, after: H) -> bool:
        """Return whether a lexeme goes on, if the scanner's state is one in which it may."""
        del before, after
        return True  # where readings meet in one, one of them goes on

    def blocks(self, h: H) -> tuple[int, ...]:
        """Return the columns of the open blocks where a newline would count, else nothing."""
        del h
        return ()

    def ignored_newlines(self, h: H, lexeme: OpenLexeme) -> tuple[BoundaryId, ...]:
        """Return the boundaries after newlines that are ignored, as between brackets."""
        del h, lexeme
        return ()


class LalrView(MachineView[Hypothesis]):
    """Of an LALR machine."""

    def __init__(self, machine: LalrMachine, names: GrammarNames) -> None:
        super().__init__(machine, machine.scanner, machine.lookaheads)
        self._lalr, self._names, self._tables = machine, names, machine.tables
        if self._tables.layout is not None:
            self.newline = self._tables.layout.newline

    def position(self, h: Hypothesis) -> ParserPosition:
        state, tables = h.stack.state, self._tables
        return ParserPosition(
            tables.taken[state],
            tables.layout_context[state],
            tables.context[state],
            self._names.items(tables.lalr_state[state]),
        )

    def end(self, h: Hypothesis, terminal: TerminalId) -> Hypothesis | None:
        end = self._lalr.lexemes.end
        ended = end(h.stack, h.indents, terminal, h.column, ReadSet(0))
        return None if ended is None else Hypothesis(DEAD, *ended, NO_LINE)

    def stacks(self, h: Hypothesis) -> Hashable:
        return h.stack

    def goes_on(self, before: Hypothesis, after: Hypothesis) -> bool:
        return after.stack is before.stack

    def blocks(self, h: Hypothesis) -> tuple[int, ...]:
        if self.newline < 0 or self._tables.enclosed[h.stack.state]:
            return ()
        taken = self._lalr.effects.shift(h.stack, self.newline, ReadSet(0)) is not None
        return h.indents if taken else ()

    def ignored_newlines(self, h: Hypothesis, lexeme: OpenLexeme) -> tuple[BoundaryId, ...]:
        return lexeme.newlines if self._tables.enclosed[h.stack.state] else ()


class GlrView(MachineView[GlrHypothesis]):
    """Of the machine of a general grammar."""

    def __init__(self, machine: GlrMachine) -> None:
        super().__init__(machine, machine.scanner, machine.lookaheads)
        self._gss = machine.gss

    def position(self, h: GlrHypothesis) -> ParserPosition:
        return ParserPosition(self._gss.taken(h.stacks), LAYOUT_CONTEXT, ContextId(0), ())

    def end(self, h: GlrHypothesis, terminal: TerminalId) -> GlrHypothesis | None:
        after = h.stacks if terminal == IGNORED else self._gss.shift(h.stacks, terminal)
        return None if after is None else GlrHypothesis(DEAD, after)

    def stacks(self, h: GlrHypothesis) -> Hashable:
        return h.stacks
