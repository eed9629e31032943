"""What did Lark make of a grammar: productions, LALR table and lexer, with numbers of our own.

Lark numbers states and names as its hashes have it; here all numbers depend on names only
(:mod:`maskc.frontends.translation`). A grammar for Earley has no table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from lark import Lark
from lark.lexer import TerminalDef

from maskc.compiler.lalr.brackets import split_by_brackets
from maskc.frontends.lark.build import build_with_imports
from maskc.frontends.lark.contexts import (
    is_dynamic,
    lexer_of,
    read_context,
    read_contexts,
    read_layout,
    read_ranks,
    read_rewrites,
)
from maskc.frontends.lark.patterns import find_flags, write_pattern
from maskc.frontends.lark.roles import list_roles
from maskc.frontends.lark.sharing import SHARING_CONTEXTS, SHARING_ROWS, SharedRow, read_row
from maskc.frontends.lark.versions import keyword_tail
from maskc.frontends.postlex import Indentation, PostlexRules
from maskc.frontends.settings import Postlex
from maskc.frontends.source import GrammarSource
from maskc.frontends.translation import Numbering, number_names
from maskc.grammar.model import (
    Context,
    Grammar,
    IndenterLayout,
    LalrGrammar,
    LalrState,
    LalrTable,
    LexerSpec,
    Production,
    Reduction,
)
from maskc.ids import ContextId, LalrStateId, ProductionId, TerminalId
from maskc.regular.matching import KeywordMatcher

_Row = tuple[dict[str, int], dict[str, Any], SharedRow | None]


def read_grammar(source: GrammarSource) -> tuple[Grammar, GrammarSource]:
    """Return what Lark makes of a grammar, and the source with the texts that it imported."""
    imports: dict[str, str] = {}
    lark = build_with_imports(source, imports, {**SHARING_CONTEXTS, **SHARING_ROWS})
    start = source.start.split(",")[0]
    if source.parser == "earley":
        grammar = _read_general(lark, start)
    else:
        grammar = _read_lalr(lark, start, source.postlex)
    return grammar, replace(source, imports=dict(sorted(imports.items())))


def _read_lalr(lark: Lark, start: str, postlex: Postlex | None) -> LalrGrammar:
    table = cast(Any, lark.parser.parser)._parse_table
    rows: dict[int, _Row] = {number: read_row(row) for number, row in table.states.items()}
    rules = _list_rules(lark, rows.values())
    numbering = number_names(
        _list_terminals(lark, rows.values(), rules, postlex),
        (str(rule.origin.name) for rule in rules),
    )
    produced = {rule: _produce(numbering, rule) for rule in rules}
    bnf = numbering.make_bnf(start, produced.values())
    number = {p: ProductionId(i) for i, p in enumerate(bnf.productions)}
    order = _number_states(rows, table.start_states[start])
    states = _read_states(rows, order, numbering, {r: number[p] for r, p in produced.items()})
    contexts, context_of = read_contexts(lark, order, numbering.terminal_id)
    ids = numbering.terminal_id
    layout = read_layout(postlex, ids) if isinstance(postlex, Indentation) else None
    after = _list_contexts_after(states, context_of)
    ranks = read_ranks(lark, bnf.terminals)
    lexer = _read_lexer(lark, numbering, ranks, contexts, context_of[0], after, layout)
    end_state = order[table.end_states[start]]
    grammar = LalrGrammar(bnf, lexer, LalrTable(states, end_state, context_of))
    if not isinstance(postlex, PostlexRules):
        return grammar
    grammar = replace(grammar, lexer=replace(lexer, rewrites=read_rewrites(postlex, ids)))
    return split_by_brackets(grammar, {ids[a]: ids[b] for a, b in postlex.brackets})


def _read_general(lark: Lark, start: str) -> Grammar:
    """Return a grammar without a table; its lexer has one context, before and after everything."""
    symbols = [symbol for rule in lark.rules for symbol in rule.expansion]
    numbering = number_names(
        {str(t.name) for t in lark.terminals} | {str(s.name) for s in symbols if s.is_term},
        {start}
        | {str(rule.origin.name) for rule in lark.rules}
        | {str(s.name) for s in symbols if not s.is_term},
    )
    bnf = numbering.make_bnf(start, (_produce(numbering, rule) for rule in lark.rules))
    every = tuple(map(TerminalId, range(1, len(bnf.terminals))))
    ranks, context = (0,) * len(bnf.terminals), Context(every, ())
    if not is_dynamic(lark):
        ranks = read_ranks(lark, bnf.terminals)
        context = read_context(lexer_of(lark), numbering.terminal_id, KeywordMatcher())
    after: dict[int, frozenset[ContextId]] = dict.fromkeys(every, frozenset([ContextId(0)]))
    return Grammar(bnf, _read_lexer(lark, numbering, ranks, (context,), ContextId(0), after, None))


def _read_lexer(
    lark: Lark,
    numbering: Numbering,
    ranks: tuple[int, ...],
    contexts: tuple[Context, ...],
    first_context: ContextId,
    contexts_after: Mapping[int, frozenset[ContextId]],
    layout: IndenterLayout | None,
) -> LexerSpec:
    ids = numbering.terminal_id
    by_name: dict[str, TerminalDef] = {str(t.name): t for t in lark.terminals}
    has_keywords = any(context.keywords for context in contexts)
    return LexerSpec(
        terminals=numbering.terminals,
        patterns=tuple(
            write_pattern(lark, by_name[name].pattern.to_regexp()) if name in by_name else None
            for name in numbering.terminals
        ),
        re_flags=find_flags(lark),
        ranks=ranks,
        ignored=frozenset(ids[str(name)] for name in lark.lexer_conf.ignore),
        contexts=contexts,
        first_context=first_context,
        contexts_after=contexts_after,
        layout=layout,
        keyword_tail=keyword_tail(lark.lexer_conf.g_regex_flags) if has_keywords else "",
        roles=frozenset(ids[name] for name in list_roles(lark)),
        use_bytes=bool(lark.lexer_conf.use_bytes),
    )


def _list_rules(lark: Lark, rows: Iterable[_Row]) -> list[Any]:
    """Return the rules of a grammar and of its table, where Lark adds some of its own."""
    rules = dict.fromkeys(lark.rules)
    for _, reduced, shared in rows:
        rules |= dict.fromkeys(reduced.values())
        if shared is not None:
            rules[shared.reduction[1]] = None
    return list(rules)


def _list_terminals(
    lark: Lark, rows: Iterable[_Row], rules: Iterable[Any], postlex: Postlex | None
) -> set[str]:
    """Return the names of terminals: those defined, acted on, or asked for by the postlex."""
    names = {str(terminal.name) for terminal in lark.terminals}
    looked_for = {}  # rows that reduce alone share the names on which they do
    for moves, reduced, shared in rows:
        names.update(moves, reduced)
        if shared is not None:
            looked_for[id(shared.names)] = shared.names
    names.update(*looked_for.values())
    names -= {str(rule.origin.name) for rule in rules}
    return names if postlex is None else names | postlex.names()


def _read_states(
    rows: Mapping[int, _Row],
    order: Iterable[int],
    numbering: Numbering,
    production_of: Mapping[Any, ProductionId],
) -> tuple[LalrState, ...]:
    """Return the rows of the table in our order; ``order`` is also their numbers."""
    new = {old: LalrStateId(number) for number, old in enumerate(order)}
    terminal_id, nonterminal_id = numbering.terminal_id, numbering.nonterminal_id
    looked_for: dict[int, dict[int, None]] = {}
    states = []
    for old in new:
        moves, reduced, shared = rows[old]
        reduces: Mapping[int, ProductionId] = {
            terminal_id[name]: production_of[rule] for name, rule in reduced.items()
        }
        if shared is not None:
            key = id(shared.names)
            if key not in looked_for:
                numbers = sorted(terminal_id[name] for name in shared.names)
                looked_for[key] = dict.fromkeys(numbers)
            reduces = Reduction(production_of[shared.reduction[1]], looked_for[key])
        states.append(
            LalrState(
                {terminal_id[name]: new[t] for name, t in moves.items() if name in terminal_id},
                reduces,
                {nonterminal_id[n]: new[t] for n, t in moves.items() if n in nonterminal_id},
            )
        )
    return tuple(states)


def _produce(numbering: Numbering, rule: Any) -> Production:
    side = [(str(symbol.name), bool(symbol.is_term)) for symbol in rule.expansion]
    return numbering.produce(str(rule.origin.name), side)


def _list_contexts_after(
    states: Iterable[LalrState], context_of: Sequence[ContextId]
) -> dict[int, frozenset[ContextId]]:
    found: dict[int, set[ContextId]] = {}
    for row in states:
        for terminal, target in row.shifts.items():
            found.setdefault(terminal, set()).add(context_of[target])
    return {terminal: frozenset(contexts) for terminal, contexts in found.items()}


def _number_states(rows: Mapping[int, _Row], start: int) -> dict[int, LalrStateId]:
    order = {start: LalrStateId(0)}
    queue = deque(order)
    while queue:
        moves, _, _ = rows[queue.popleft()]
        for target in moves.values():
            if target not in order:
                order[target] = LalrStateId(len(order))
                queue.append(target)
    return order
