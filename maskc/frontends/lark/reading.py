"""The grammar that Lark made: productions, LALR table and lexer, with numbers of our own.

Lark numbers states and names as its hashes have it; here all numbers depend on names only
(:mod:`maskc.frontends.translation`). A grammar for Earley has no table.

A postlex can look at the brackets around a lexeme. The parser's stack knows them, its state on top
need not: after ``a`` in ``(a`` and in ``[a`` it can be the same. Where every production closes the
brackets that it opens, the innermost one is known from the state in which a production begins and
from the brackets that were opened in it since; so each state is split by the few innermost
brackets, as many as one production nests, and one more. A nonterminal leaves them as they were.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from lark import Lark
from lark.lexer import TerminalDef

from maskc.errors import LimitError, PostlexError
from maskc.frontends.lark.build import build_with_imports, keyword_tail
from maskc.frontends.lark.contexts import (
    find_flags,
    is_dynamic,
    lexer_of,
    read_context,
    read_contexts,
    read_layout,
    read_ranks,
    read_rewrites,
    write_pattern,
)
from maskc.frontends.lark.roles import list_roles
from maskc.frontends.lark.sharing import SHARING_CONTEXTS, SHARING_ROWS, SharedRow, read_row
from maskc.frontends.postlex import Indentation, PostlexRules
from maskc.frontends.settings import Postlex
from maskc.frontends.source import GrammarSource
from maskc.frontends.translation import Numbering, number_names
from maskc.grammar import (
    Bnf,
    Context,
    Grammar,
    IndenterLayout,
    LalrGrammar,
    LalrState,
    LalrTable,
    LexerSpec,
    Production,
    Reduction,
    quote_rule,
)
from maskc.ids import ContextId, LalrStateId, ProductionId, TerminalId
from maskc.regular.matching import KeywordMatcher
from maskc.wording import Phrase

_Row = tuple[dict[str, int], dict[str, Any], SharedRow | None]

MAX_STATES = 100_000
MAX_DEPTH = 16  # of brackets in one production: each state holds as many

# The innermost open brackets, the innermost first; None for those that nothing is said about.
_Open = tuple[TerminalId | None, ...]


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
    return _split_by_brackets(grammar, {ids[a]: ids[b] for a, b in postlex.brackets})


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


def _split_by_brackets(
    grammar: LalrGrammar, brackets: Mapping[TerminalId, TerminalId]
) -> LalrGrammar:
    """Return the grammar with a table whose contexts know the innermost open bracket.

    It is the same grammar if its postlex does not look at brackets.

    Raises:
        PostlexError: a production leaves a bracket open, or closes one that it did not open.
        LimitError: more than ``MAX_STATES`` states.
    """
    asked = frozenset(b for rewrite in grammar.lexer.rewrites for b in rewrite.between or ())
    if not asked:
        return grammar
    bnf = grammar.bnf
    depth = max(_check_nesting(bnf, p.lhs, p.rhs, brackets) for p in bnf.productions)
    if depth > MAX_DEPTH:
        raise LimitError("nested brackets in one rule", MAX_DEPTH, Phrase.NEST_LESS)
    split = _split_states(grammar.lalr, brackets, asked, depth)
    contexts: dict[tuple[Context, TerminalId | None], ContextId] = {}
    context_of = []
    for state, opened in split:
        key = (grammar.lexer.contexts[grammar.lalr.context_of[state]], opened[0])
        context_of.append(contexts.setdefault(key, ContextId(len(contexts))))
    states = tuple(split.values())
    end_state = next(n for n, (state, _) in enumerate(split) if state == grammar.lalr.end_state)
    return replace(
        grammar,
        lexer=replace(
            grammar.lexer,
            contexts=tuple(context for context, _ in contexts),
            innermost=tuple(innermost for _, innermost in contexts),
            first_context=context_of[0],
            contexts_after=_list_contexts_after(states, context_of),
        ),
        lalr=LalrTable(states, LalrStateId(end_state), tuple(context_of)),
    )


def _check_nesting(
    bnf: Bnf, lhs: int, rhs: Iterable[int], brackets: Mapping[TerminalId, TerminalId]
) -> int:
    """Return how deep a production nests brackets."""
    closing, opened, deepest = set(brackets.values()), list[int](), 0

    def refuse(fact: str) -> PostlexError:
        remedy = "let each rule close the brackets that it opens"
        return PostlexError(f"of {quote_rule(bnf, lhs)}", f"it {fact}; {remedy}")

    for symbol in rhs:
        if symbol >= 0 and symbol in brackets:
            opened.append(brackets[TerminalId(symbol)])
            deepest = max(deepest, len(opened))
        elif symbol >= 0 and symbol in closing and (not opened or opened.pop() != symbol):
            raise refuse(f"closes {bnf.terminals[symbol]} that it did not open")
    if opened:
        raise refuse(f"leaves a bracket open that {bnf.terminals[opened[-1]]} closes")
    return deepest


def _split_states(
    table: LalrTable,
    brackets: Mapping[TerminalId, TerminalId],
    asked: frozenset[TerminalId],
    depth: int,
) -> dict[tuple[int, _Open], LalrState]:
    """Return each state with the brackets that are open in it → its row, breadth first."""
    start: tuple[int, _Open] = (0, (None,) * (depth + 1))
    number, order = {start: LalrStateId(0)}, [start]
    closing = frozenset(brackets.values())

    def visit(state: int, opened: _Open) -> LalrStateId:
        key = (state, opened)
        if key not in number:
            if len(number) >= MAX_STATES:
                raise LimitError("parser states", MAX_STATES, Phrase.SIMPLER_RULES)
            number[key] = LalrStateId(len(number))
            order.append(key)
        return number[key]

    def after(terminal: int, opened: _Open) -> _Open:
        symbol = TerminalId(terminal)
        if symbol in brackets:
            return (symbol if symbol in asked else None, *opened[:depth])
        return opened[1:] if symbol in closing else opened

    found: dict[tuple[int, _Open], LalrState] = {}
    for key in order:  # grows while it is read
        state, opened = key
        row = table.states[state]
        gotos = {n: visit(t, opened) for n, t in sorted(row.gotos.items())}
        shifts = {n: visit(t, after(n, opened)) for n, t in sorted(row.shifts.items())}
        found[key] = LalrState(shifts, row.reduces, gotos)
    return found
