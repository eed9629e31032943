"""What ``maskc analyze`` is asked, and the answers.

Each answer is a value: what was asked, in names, and what was found. What is true of the grammar's
productions and what is true of the language that Lark parses are kept apart: where Lark resolved
a conflict by shifting, the second can be smaller.

Names are terminals', ``$END`` for the end of the text, or the exact text of a string terminal:
``+=`` for the terminal that Lark calls ``__ANON_2``.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from maskc.compiler.lalr import find_conflicts
from maskc.compiler.lalr.refine import build_table_without_lexer
from maskc.compiler.pushdown.debt_automaton import Verdict
from maskc.compiler.pushdown.dft import DftAutomaton, build_dft
from maskc.compiler.pushdown.interchangeable import (
    Classes,
    find_classes,
    find_production_classes,
    map_to_representatives,
)
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.compiler.pushdown.table_debts import TableDebts
from maskc.errors import LimitError, UnknownSymbolError
from maskc.grammar import Grammar, LalrGrammar
from maskc.grammar.sets import reduce_grammar
from maskc.ids import END, TerminalId

N_NEAREST = 3

# Why two sequences are jointly legal.
EXCHANGED = "equal up to interchangeable terminals"
SAME_STACKS = "legal on the same stacks"

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NeverAnswer:
    """``never X S…``: true of Lark's language, too; ``unused`` are names that are in no text."""

    x: str
    sequence: Names
    never_legal: bool
    unused: Names


@dataclass(frozen=True, slots=True)
class AlwaysAnswer:
    """``always X S…``."""

    x: str
    sequence: Names
    verdict: str  # on which stacks the sequence is legal, by the productions
    lalr_verdict: str | None  # likewise by Lark's table; None if a general parser reads the grammar
    # whether it is proven for the language that Lark parses; None: unknown
    always_legal: bool | None
    n_conflicts: int  # cells of the table where Lark gave up a reduction


@dataclass(frozen=True, slots=True)
class JointAnswer:
    """``joint X "S1…" "S2…"``; ``None``: unknown."""

    x: str
    one: Names
    other: Names
    jointly_legal: bool | None  # whether it is proven by the productions
    reason: str | None  # why, EXCHANGED or SAME_STACKS
    lalr_jointly_legal: bool | None  # whether it is proven for the language that Lark parses
    n_conflicts: int  # cells of the table where Lark gave up a reduction


@dataclass(frozen=True, slots=True)
class FollowAnswer:
    """``follow X``: the terminals, and ``$END``, that come right after a symbol in some text."""

    symbol: str
    followers: Names


@dataclass(frozen=True, slots=True)
class ClassesAnswer:
    """``classes``, and for each name the text of a string in quotes, or a pattern in slashes."""

    classes: tuple[Names, ...]
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OverviewAnswer:
    """No question: counts of symbols and productions, and of pairs of terminals by verdict."""

    counts: Mapping[str, int]
    pairs: Mapping[str, int]


class GrammarQueries:
    """A grammar to ask about; what an answer needs is made when it is first asked for."""

    def __init__(self, grammar: Grammar, name: str) -> None:
        self._grammar = grammar
        self._name = name
        self.reduced = reduce_grammar(grammar.bnf)
        self._debts = ProductionDebts(self.reduced)

    @property
    def dft(self) -> DftAutomaton:
        return build_dft(self.reduced)

    @cached_property
    def _n_conflicts(self) -> int:
        # A general parser keeps every action.
        return len(find_conflicts(self._grammar)) if isinstance(self._grammar, LalrGrammar) else 0

    @cached_property
    def _classes(self) -> Classes:
        if isinstance(self._grammar, LalrGrammar):
            return find_classes(self._grammar, self.reduced)
        return find_production_classes(self.reduced.productions)

    @cached_property
    def _table(self) -> TableDebts | None:
        """The table's stacks; ``None`` if they are too many to tell apart, or there is none."""
        if not isinstance(self._grammar, LalrGrammar):
            return None
        try:
            table = build_table_without_lexer(self._grammar)
        except LimitError:
            return None
        return TableDebts(self._grammar, table, {t: t for t in range(len(self._terminals))})

    @property
    def _terminals(self) -> Names:
        return self._grammar.bnf.terminals

    def ask_never(self, x: str, sequence: Sequence[str]) -> NeverAnswer:
        """Return whether the sequence is never-legal after ``x``.

        Raises:
            UnknownSymbolError: a name is not a terminal's.
        """
        terminal, symbols = self._find(x), self._find_all(sequence)
        unused = {
            t for t in (terminal, *symbols) if t != END and t not in self.reduced.used_terminals
        }
        return NeverAnswer(
            self._terminals[terminal],
            self._name_all(symbols),
            self._debts.is_never_legal(terminal, symbols),
            self._name_all(sorted(unused)),
        )

    def ask_always(self, x: str, sequence: Sequence[str]) -> AlwaysAnswer:
        """Return whether the sequence is proven always-legal after ``x``.

        Raises:
            UnknownSymbolError: a name is not a terminal's.
        """
        terminal, symbols = self._find(x), self._find_all(sequence)
        verdict = self._debts.decide(terminal, symbols)
        lalr = self._decide_lalr(terminal, symbols)
        proven = lalr is Verdict.ALWAYS or (not self._n_conflicts and verdict is Verdict.ALWAYS)
        return AlwaysAnswer(
            x=self._terminals[terminal],
            sequence=self._name_all(symbols),
            verdict=verdict.value,
            lalr_verdict=lalr.value if isinstance(self._grammar, LalrGrammar) else None,
            always_legal=True if proven else None,
            n_conflicts=self._n_conflicts,
        )

    def ask_joint(self, x: str, one: Sequence[str], other: Sequence[str]) -> JointAnswer:
        """Return whether two sequences are proven jointly legal after ``x``.

        Raises:
            UnknownSymbolError: a name is not a terminal's.
        """
        terminal, left, right = self._find(x), self._find_all(one), self._find_all(other)
        first_of = map_to_representatives(self._classes)
        first, second = (
            tuple(first_of.get(TerminalId(t), t) for t in sequence) for sequence in (left, right)
        )
        is_exchanged = first == second
        holds = is_exchanged or self._debts.compare(terminal, first, second)
        holds_by_table = self._table is not None and (
            is_exchanged or self._table.compare_after(terminal, first, second)
        )
        return JointAnswer(
            x=self._terminals[terminal],
            one=self._name_all(left),
            other=self._name_all(right),
            jointly_legal=True if holds else None,
            reason=(EXCHANGED if is_exchanged else SAME_STACKS) if holds else None,
            lalr_jointly_legal=holds_by_table or (holds and not self._n_conflicts) or None,
            n_conflicts=self._n_conflicts,
        )

    def ask_follow(self, symbol: str) -> FollowAnswer:
        """Return what comes right after a terminal or a nonterminal.

        Raises:
            UnknownSymbolError: the name is no symbol's.
        """
        if symbol in self._grammar.bnf.nonterminals:
            found = -1 - self._grammar.bnf.nonterminals.index(symbol)
        else:
            found = self._find(symbol, kind="symbol", others=self._grammar.bnf.nonterminals)
        followers = [
            t
            for t in (*sorted(self.reduced.used_terminals), END)
            if self._debts.decide(found, [t]) is not Verdict.NEVER
        ]
        return FollowAnswer(self._grammar.bnf.symbol_name(found), self._name_all(followers))

    def ask_classes(self) -> ClassesAnswer:
        classes = self._classes
        return ClassesAnswer(
            tuple(self._name_all(members) for members in classes),
            {
                self._terminals[t]: _show_pattern(self._grammar.lexer.patterns[t] or "")
                for members in classes
                for t in members
            },
        )

    def ask_overview(self) -> OverviewAnswer:
        """Return counts, and what the pairs of terminals are."""
        used = sorted(self.reduced.used_terminals)
        pairs = Counter(self._debts.decide(x, [y]).value for x in used for y in used)
        table = {}
        if isinstance(self._grammar, LalrGrammar):
            table["LALR states"] = len(self._grammar.lalr.states)
            table["conflicts resolved by Lark"] = self._n_conflicts
        return OverviewAnswer(
            {
                "terminals in texts": len(used),
                "nonterminals in texts": len(self.reduced.used_nonterminals),
                "productions in texts": len(self.reduced.productions),
                "productions in no text": len(self._grammar.bnf.productions)
                - len(self.reduced.productions),
                **table,
                "interchangeability classes": len(self._classes),
            },
            {verdict.value: pairs[verdict.value] for verdict in Verdict},
        )

    def _decide_lalr(self, x: int, symbols: Sequence[int]) -> Verdict:
        if not isinstance(self._grammar, LalrGrammar):
            return self._debts.decide(x, symbols)  # a general parser reads what productions say
        return self._table.decide_after(x, symbols) if self._table else Verdict.UNKNOWN

    def _name_all(self, symbols: Sequence[int]) -> Names:
        return tuple(self._grammar.bnf.symbol_name(symbol) for symbol in symbols)

    def _find_all(self, names: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._find(name) for name in names)

    def _find(self, name: str, *, kind: str = "terminal", others: Names = ()) -> int:
        if name in self._terminals:
            return self._terminals.index(name)
        text = name[1:-1] if len(name) > 2 and name[0] == name[-1] == '"' else name
        by_text = [t for t, p in enumerate(self._grammar.lexer.patterns) if p == re.escape(text)]
        if len(by_text) == 1:
            return by_text[0]
        known = {known.lower(): known for known in (*self._terminals, *others)}
        nearest = difflib.get_close_matches(name.lower(), sorted(known), N_NEAREST, cutoff=0.4)
        raise UnknownSymbolError(self._name, kind, name, tuple(known[found] for found in nearest))


def _show_pattern(pattern: str) -> str:
    text = re.sub(r"\\(.)", r"\1", pattern)
    return f'"{text}"' if re.escape(text) == pattern else f"/{pattern}/"
