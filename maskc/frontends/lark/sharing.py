"""Lark's lexers and LALR table with one copy of what contexts and rows have in common.

Lark takes classes of ours for a lexer and a parser (``_plugins``). Their methods are Lark's own,
but for a name or two that Lark gives no way to change: a copy of such a method has other globals,
and Lark's module stays as it is, for all threads.

- Lexers. Where interegular is installed, Lark looks for terminals that collide, and only logs them;
  it raises an AttributeError if interegular reads none of several terminals, as with ``/a++/`` and
  ``/(?>b)/``. So these lexers do not look. Lark makes a lexer for each set of terminals that a
  state acts on, and each checks and sorts its patterns anew: of 30 rules the 90 contexts have 60
  terminals, checked 1,400 times. Their order is one of all terminals, names last, so that of a part
  is the whole one's; and a pattern that is refused in one context is refused in all.
- Table. With n keywords beside a name most states only reduce one rule, each on the same n
  lookaheads; Lark writes n rows of n entries, twice, and 2,000 keywords take 1.6 GB. Nothing can
  conflict in such a state, so its row is made from the rule and one set of names that all of them
  share. States and lookaheads are found in numbers (:mod:`maskc.grammar.lr0`), since Lark hashes
  names, rules and items anew whenever it looks one up; which rule or shift wins a conflict is still
  decided by Lark's own code.

Source: Lark 1.3, ``lexer.py``: ``ContextualLexer``, ``BasicLexer``; ``parsers/lalr_analysis.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from types import FunctionType, SimpleNamespace
from typing import Any, cast

from lark.grammar import NonTerminal, Rule, Terminal
from lark.lexer import BasicLexer, ContextualLexer
from lark.parsers.grammar_analysis import GrammarAnalyzer, LR0ItemSet, RulePtr
from lark.parsers.lalr_analysis import LALR_Analyzer, Reduce, Shift
from lark.parsers.lalr_parser import LALR_Parser

from maskc import bits
from maskc.frontends.lark.roles import create_unless
from maskc.grammar.lr0 import Lr0Rules, build_lr0, find_lookaheads
from maskc.grammar.sets import Terminals
from maskc.ids import END, ProductionId


def rebound(function: Any, **names: object) -> Any:
    """Return a copy of a function in which some global names stand for other values."""
    made = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__doc__ = function.__qualname__, function.__doc__
    return made


class PlainLexer(BasicLexer):
    """Looks for no collisions, and renames lexemes to the roles that they play."""

    __init__ = rebound(BasicLexer.__init__, has_interegular=False)
    _build_scanner = rebound(BasicLexer._build_scanner, _create_unless=create_unless)


class PlainContexts(ContextualLexer):
    BasicLexer = PlainLexer
    __init__ = rebound(ContextualLexer.__init__, has_interegular=False, BasicLexer=PlainLexer)


class SharingContexts(ContextualLexer):
    """Makes the lexers of contexts as parts of one lexer of all terminals."""

    def __init__(
        self, conf: Any, states: Mapping[int, Collection[str]], always_accept: Collection[str] = ()
    ) -> None:
        everywhere = {*conf.ignore, *always_accept}
        accepted = {state: frozenset(accepts) for state, accepts in states.items()}
        checked = copy(conf)
        looked_for = everywhere.union(*accepted.values())
        # What no state acts on is looked for nowhere, and Lark does not check it.
        checked.terminals = [t for t in conf.terminals if t.name in looked_for]
        whole = PlainLexer(checked)
        if len(checked.terminals) < len(conf.terminals):
            unchecked = copy(conf)
            unchecked.skip_validation = True
            whole = PlainLexer(unchecked)
        self.root_lexer = whole
        parts: dict[frozenset[str], BasicLexer] = {}
        self.lexers = cast(Any, {})
        for state, accepts in accepted.items():
            if accepts not in parts:
                parts[accepts] = _take_part(whole, accepts | everywhere)
            self.lexers[state] = parts[accepts]


def _take_part(whole: BasicLexer, names: frozenset[str]) -> BasicLexer:
    """Return a lexer of some of the terminals of another one, which has made no scanner yet."""
    part = copy(whole)
    part.terminals = [t for t in whole.terminals if t.name in names]
    return part


# What Lark is given as ``_plugins``.
PLAIN: Mapping[str, type] = {"BasicLexer": PlainLexer, "ContextualLexer": PlainContexts}
SHARING_CONTEXTS: Mapping[str, type] = {**PLAIN, "ContextualLexer": SharingContexts}


Action = tuple[Any, Any]  # (Shift, state) or (Reduce, rule), as Lark has it


class SharedRow(Mapping[str, Action]):
    """A row of Lark's table: some moves, and one reduction on names that many rows share."""

    __slots__ = ("moves", "names", "reduction")

    def __init__(self, moves: dict[str, Action], reduction: Action, names: dict[str, None]) -> None:
        self.moves, self.reduction, self.names = moves, reduction, names

    def __getitem__(self, name: str) -> Action:
        if name in self.names:
            return self.reduction
        return self.moves[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self.moves, *self.names])

    def __len__(self) -> int:
        return len(self.moves) + len(self.names)


class _End:
    """The items of a state, of which Lark's table asks for roots that end; each is itself alone."""

    __slots__ = ("items",)

    def __init__(self, items: list[RulePtr]) -> None:
        self.items = items

    def __iter__(self) -> Iterator[RulePtr]:
        return iter(self.items)


def _find_no_sets(rules: Any) -> tuple[dict[Any, Any], dict[Any, Any], set[Any]]:
    del rules
    return {}, {}, set()


class _SharingAnalyzer(LALR_Analyzer):
    """Analyses in numbers, and keeps lookaheads that many states share out of Lark's rows."""

    # Of what is found by name on the way, nothing is used.
    __init__ = rebound(
        LALR_Analyzer.__init__,
        GrammarAnalyzer=SimpleNamespace(
            __init__=rebound(GrammarAnalyzer.__init__, calculate_sets=_find_no_sets)
        ),
    )

    def expand_rule(self, source_rule: Any, rules_by_origin: Any = None) -> Any:
        del source_rule, rules_by_origin
        return ()

    def compute_lalr(self) -> None:
        rules, written, symbols = _number(self.lr0_rules_by_origin, self.lr0_start_states)
        states = build_lr0(rules)
        lookaheads = find_lookaheads(rules, states, is_larks=True)
        item_sets = [cast(Any, LR0ItemSet)((), ()) for _ in states]
        names: dict[Terminals, dict[str, None]] = {}
        shared: dict[int, tuple[Rule, dict[str, None]]] = {}
        for number, (state, reduced, item_set) in enumerate(
            zip(states, lookaheads, item_sets, strict=True)
        ):
            ends = [RulePtr(written[p], d) for p, d in state.kernel if d and p in rules.roots]
            item_set.closure = _End(ends)
            item_set.transitions = {
                symbols[s]: item_sets[target] for s, target in state.moves.items()
            }
            shifted = sum(1 << s for s in state.moves if s >= 0)
            for production, terminals in reduced.items():
                rule = written[production]
                if len(reduced) == 1 and not terminals & shifted:
                    if terminals not in names:
                        on = sorted(str(symbols[t].name) for t in bits.iterate(terminals))
                        names[terminals] = dict.fromkeys(on)
                    shared[number] = rule, names[terminals]
                    continue
                for terminal in bits.iterate(terminals):
                    item_set.lookaheads[symbols[terminal]].add(rule)
        # Lark numbers states as it walks them, and takes conflicts to priorities.
        self.lr0_itemsets = cast(Any, item_sets)
        starts: Any = dict(zip(self.lr0_start_states, item_sets, strict=False))
        self.lr0_start_states = starts
        self.compute_lalr1_states()
        rows: Any = self.parse_table.states
        for number, (rule, looked_for) in shared.items():
            rows[number] = SharedRow(rows[number], (Reduce, rule), looked_for)


class SharingParser(LALR_Parser):
    """Lark's parser with a table of shared rows."""

    __init__ = rebound(LALR_Parser.__init__, LALR_Analyzer=_SharingAnalyzer)


# What Lark is given as ``_plugins``.
SHARING_ROWS: Mapping[str, type] = {"LALR_Parser": SharingParser}


def _number(
    by_origin: Mapping[Any, Sequence[Rule]], starts: Mapping[str, Any]
) -> tuple[Lr0Rules, list[Rule], dict[int, Any]]:
    """Number the rules, those of one nonterminal after the other, and their symbols.

    Returns the numbers, production → Lark's rule, and number → Lark's symbol.
    """
    end = cast(Any, Terminal)("$END")  # Lark 1.2 gives its constructor no types
    number = {end: END, **{origin: -1 - n for n, origin in enumerate(by_origin)}}
    written: list[Rule] = []
    of_nonterminal: dict[int, list[ProductionId]] = {}
    for n, rules in enumerate(by_origin.values()):
        last = len(written) + len(rules)
        of_nonterminal[n] = [ProductionId(p) for p in range(len(written), last)]
        written += rules
        for symbol in (symbol for rule in rules for symbol in rule.expansion):
            number.setdefault(symbol, len(number) - len(by_origin))
    lhs = [n for n, productions in of_nonterminal.items() for _ in productions]
    right_sides = [tuple(number[symbol] for symbol in rule.expansion) for rule in written]
    roots = [of_nonterminal[-1 - number[NonTerminal(f"$root_{start}")]][0] for start in starts]
    in_numbers = Lr0Rules(lhs, right_sides, of_nonterminal, roots)
    return in_numbers, written, {n: symbol for symbol, n in number.items()}


def read_row(row: Mapping[str, Action]) -> tuple[dict[str, int], dict[str, Rule], SharedRow | None]:
    """Return what a row shifts or goes to, what it reduces, and the row itself if it is shared.

    What a shared row reduces is its reduction on all of its names.
    """
    shared = row if isinstance(row, SharedRow) else None
    items = sorted((row if shared is None else shared.moves).items())
    return (
        {name: argument for name, (action, argument) in items if action is Shift},
        {name: argument for name, (action, argument) in items if action is not Shift},
        shared,
    )
