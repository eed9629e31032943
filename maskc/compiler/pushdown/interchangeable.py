"""Terminals that can stand for each other in every text.

Terminals Y1 and Y2 are *interchangeable* if each production that holds one of them, with any one of
its occurrences replaced by the other, is a production too. Then exchanging them anywhere in a
terminal sequence never changes whether it is legal: (X, S) and (X, φ(S)) are jointly legal. The
relation is an equivalence; its classes are those of equal sets of *holes*, a hole being a
production with one occurrence of the terminal left out.

Words of two rules that stand in the same holes are interchangeable, too: ``find_word_classes``
takes nonterminals of equal holes for one, in the holes of what they derive. Classes of many words
become one terminal before the tokens are walked: a token of n words has one path then, not k to
the n.

That is a fact about productions. Lark's parser is a table, made smaller by resolved conflicts, and
its lexer asks the table which terminals to look for. ``find_table_classes`` asks the table itself:
two terminals are *table-interchangeable* if they have the same column, after states are merged that
no sequence of terminals tells apart. Then they are interchangeable in the LALR language, conflicts
or not. ``find_classes`` keeps what both say, and that the lexer can never look for only one.

A general grammar's scanner that follows every split of a text into lexemes sees one terminal
instead of each class (``merge_terminals``): of a token with n letters, k such
terminals make up to k to the n sequences, and one makes n.

Example: with ``op: "+" | "-"`` as the only production that holds them, PLUS and MINUS are
interchangeable; with ``sign: "-"`` besides, they are not.

Source: appendix, section 6.2; blog, "jointly legal"; Moore 1956 for the merging of states.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from maskc.grammar.model import Bnf, LalrGrammar, Production, list_reductions
from maskc.grammar.sets import ReducedGrammar
from maskc.ids import END, TerminalId
from maskc.regular.partition import number_by_occurrence, refine_by_signature

Classes = tuple[tuple[TerminalId, ...], ...]

_NONTERMINAL = 2  # instead of whether a state ends the parse
MANY_WORDS = 48  # that are one before tokens are walked; fewer are told apart by scanner and rows


def find_classes(grammar: LalrGrammar, reduced: ReducedGrammar) -> Classes:
    """Return the classes that are safe for productions, parser table and lexer contexts."""
    classes = find_production_classes(reduced.productions)
    return safe_for_contexts(grammar, _meet(classes, find_table_classes(grammar)))


def find_production_classes(
    productions: Iterable[Production], ignored: frozenset[TerminalId] = frozenset()
) -> Classes:
    """Return the classes of two or more interchangeable terminals, by the definition of 6.2."""
    holes: dict[int, set[Hashable]] = {}
    for production in productions:
        for i, symbol in enumerate(production.rhs):
            if symbol >= 0 and symbol not in ignored:
                hole = (production.lhs, production.rhs[:i], production.rhs[i + 1 :])
                holes.setdefault(symbol, set()).add(hole)
    return _group((terminal, frozenset(found)) for terminal, found in holes.items())


def find_word_classes(grammar: LalrGrammar, kept: Collection[TerminalId]) -> Classes:
    """Return the classes of at least ``MANY_WORDS`` terminals that one of them can stand for.

    Left out are those in ``kept``, and those that the lexer treats specially: it ignores them, they
    have a role, or a rewrite names them.
    """
    lexer, productions = grammar.lexer, grammar.bnf.productions
    special = (
        lexer.ignored
        | lexer.roles
        | frozenset(kept)
        | {rewrite.terminal for rewrite in lexer.rewrites}
    )
    for rewrite in lexer.rewrites:
        special |= (rewrite.before or frozenset()) | (rewrite.after or frozenset())
        special |= frozenset(() if rewrite.becomes is None else (rewrite.becomes,))
        special |= rewrite.between or frozenset()
    if len(grammar.bnf.used_terminals() - special) < MANY_WORDS:
        return ()
    symbols = sorted({s for p in productions for s in (*p.rhs, -1 - p.lhs)})
    alone = special | {-1 - grammar.bnf.start}
    kinds = [(symbol < 0, symbol if symbol in alone else None) for symbol in symbols]
    kind = number_by_occurrence(kinds).tolist()
    index_of = {symbol: i for i, symbol in enumerate(symbols)}

    def sign(block: Sequence[int]) -> Iterator[Hashable]:
        holes: list[set[Hashable]] = [set() for _ in symbols]
        for production in productions:
            lhs = block[index_of[-1 - production.lhs]]
            for i, symbol in enumerate(production.rhs):
                hole = (lhs, production.rhs[:i], production.rhs[i + 1 :])
                holes[index_of[symbol]].add(hole)
        return map(frozenset, holes)

    block = refine_by_signature(kind, sign)
    classes = _group((s, b) for s, b in zip(symbols, block, strict=True) if s >= 0)
    if not _many(classes):
        return ()
    classes = safe_for_contexts(grammar, _meet(classes, find_table_classes(grammar)))
    after = lexer.contexts_after
    return _many(
        _group((t, (i, after.get(t))) for i, members in enumerate(classes) for t in members)
    )


def _many(classes: Classes) -> Classes:
    return tuple(members for members in classes if len(members) >= MANY_WORDS)


def merge_terminals(
    bnf: Bnf, ignored: frozenset[TerminalId]
) -> tuple[Bnf, Mapping[TerminalId, TerminalId]]:
    """Return the productions with one terminal for all that are interchangeable.

    Args:
        bnf: the productions.
        ignored: terminals that the lexer may drop: they stay as they are.

    Returns:
        The productions, and terminal → the one that stands for it, where it is another one.
    """
    stands_for: dict[TerminalId, TerminalId] = {}
    while classes := find_production_classes(bnf.productions, ignored):
        found = {terminal: one for one, *others in classes for terminal in others}
        stands_for = {t: found.get(one, one) for t, one in stands_for.items()} | found
        productions = dict.fromkeys(
            Production(p.lhs, tuple(found.get(TerminalId(s), s) for s in p.rhs))
            for p in bnf.productions
        )
        # Merged ones stand for productions that are there already, so the order stays canonical.
        bnf = replace(bnf, productions=tuple(productions))
    return bnf, stands_for


def find_table_classes(grammar: LalrGrammar) -> Classes:
    """Return the classes of two or more terminals that the LALR table cannot tell apart."""
    block = merge_states(grammar)
    columns: dict[int, list[Hashable]] = {}
    for state, row in enumerate(grammar.lalr.states):
        for terminal, target in row.shifts.items():
            columns.setdefault(terminal, []).append((state, "shift", block[target]))
    # Whoever is in the same sets of terminals is reduced by the same actions.
    for terminals in {found for row in _list_actions(grammar) for _, found in row}:
        for terminal in terminals:
            columns.setdefault(terminal, []).append(terminals)
    columns.pop(END, None)
    return _group((terminal, frozenset(column)) for terminal, column in columns.items())


def merge_states(grammar: LalrGrammar) -> tuple[int, ...]:
    """Return LALR state → number of its class: the parser never behaves differently in a class.

    Nonterminals are one there if they lead from each state to states of one class. A state is told
    by the classes of what it reduces to, so states that reduce to such nonterminals are one.
    """
    states, actions = grammar.lalr.states, _list_actions(grammar)
    columns: list[list[tuple[int, int]]] = [[] for _ in grammar.bnf.nonterminals]
    for state, row in enumerate(states):
        for nonterminal, target in row.gotos.items():
            columns[nonterminal].append((state, target))

    def sign(block: Sequence[int]) -> Iterator[Hashable]:
        class_of = block[len(states) :]
        for row, acted in zip(states, actions, strict=True):
            yield (
                frozenset((t, block[target]) for t, target in row.shifts.items()),
                frozenset((class_of[lhs], length, found) for (lhs, length), found in acted),
                frozenset((n, block[target]) for n, target in row.gotos.items()),
            )
        for column in columns:
            yield frozenset((state, block[target]) for state, target in column)

    # The state that ends the parse is told apart by Lark, not by its row.
    kinds = [state == grammar.lalr.end_state for state in range(len(states))]
    block = refine_by_signature([*kinds, *[_NONTERMINAL] * len(columns)], sign)
    return tuple(block[: len(states)])


def _list_actions(grammar: LalrGrammar) -> list[frozenset[tuple[tuple[int, int], frozenset[int]]]]:
    """Return, per state, (left side, length) with the terminals on which it is reduced.

    Equal sets of terminals are one object, so that they are compared at once.
    """
    known: dict[frozenset[int], frozenset[int]] = {}
    found = []
    for row in grammar.lalr.states:
        by_action: dict[tuple[int, int], frozenset[int]] = {}
        for number, terminals in list_reductions(row.reduces):
            production = grammar.bnf.productions[number]
            action = production.lhs, len(production.rhs)
            by_action[action] = by_action.get(action, frozenset()).union(terminals)
        found.append(
            frozenset(
                (a, known.setdefault(terminals, terminals)) for a, terminals in by_action.items()
            )
        )
    return found


def safe_for_contexts(grammar: LalrGrammar, classes: Classes) -> Classes:
    """Return the classes split until their terminals are looked for in the same contexts.

    A terminal is looked for in a context that tries it, or that renames a lexeme to it. Terminals
    that an ``Indenter`` counts differently are split, too.
    """
    looked_for: dict[int, set[int]] = {}
    for number, context in enumerate(grammar.lexer.contexts):
        for terminal in context.alternatives:
            looked_for.setdefault(terminal, set()).add(number)
        for _, renamed in context.keywords:
            for terminal in renamed:
                looked_for.setdefault(terminal, set()).add(number)
    return _group(
        (
            terminal,
            (number, _layout_role(grammar, terminal), frozenset(looked_for.get(terminal, ()))),
        )
        for number, members in enumerate(classes)
        for terminal in members
    )


def map_to_representatives(classes: Classes) -> dict[TerminalId, TerminalId]:
    """Return terminal → the first of its class, for the terminals in classes."""
    return {terminal: members[0] for members in classes for terminal in members}


def _layout_role(grammar: LalrGrammar, terminal: int) -> tuple[bool, ...]:
    layout = grammar.lexer.layout
    if layout is None:
        return ()
    lines = (layout.newline, layout.indent, layout.dedent)
    return (
        *(terminal == line for line in lines),
        terminal in layout.opens,
        terminal in layout.closes,
    )


def _meet(one: Classes, other: Classes) -> Classes:
    number = {terminal: i for i, members in enumerate(other) for terminal in members}
    return _group(
        (terminal, (i, number[terminal]))
        for i, members in enumerate(one)
        for terminal in members
        if terminal in number
    )


def _group(keyed: Iterable[tuple[int, Hashable]]) -> Classes:
    """Return the terminals with equal keys, in order, where there are two or more."""
    groups: dict[Hashable, list[TerminalId]] = {}
    for terminal, key in sorted(keyed, key=lambda pair: pair[0]):
        groups.setdefault(key, []).append(TerminalId(terminal))
    return tuple(tuple(members) for members in groups.values() if len(members) > 1)
