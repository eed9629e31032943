"""Terminals that can stand for each other in every text.

Terminals Y1 and Y2 are *interchangeable* if each production that holds one of them, with any one of
its occurrences replaced by the other, is a production too. Then exchanging them anywhere in a
terminal sequence never changes whether it is legal: (X, S) and (X, φ(S)) are jointly legal. The
relation is an equivalence; its classes are those of equal sets of *contexts*, a context
being a production with one occurrence of the terminal left out.

That is a fact about productions. Lark's parser is a table, made smaller by resolved conflicts, and
its lexer asks the table which terminals to look for. ``find_table_classes`` asks the table itself:
two terminals are *table-interchangeable* if they have the same column, after states are merged that
no sequence of terminals tells apart. Then they are interchangeable in the LALR language, conflicts
or not, and the lexer looks for both or for neither. ``find_classes`` keeps what both say.

Words of two rules that stand in the same contexts are table-interchangeable, too. Classes of many
words become one terminal before the tokens are walked (``find_word_classes``): a token of n words
has one path then, not k to the n.

A general grammar's scanner that follows every split of a text into lexemes sees one terminal
instead of each class (``merge_terminals``): of a token with n letters, k such
terminals make up to k to the n sequences, and one makes n.

Source: appendix, section 6.2; blog, "jointly legal"; Moore 1956 for the merging of states.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from maskc.grammar import Bnf, LalrGrammar, Production, list_reductions
from maskc.ids import TerminalId
from maskc.regular.partition import refine_by_signature

Classes = tuple[tuple[TerminalId, ...], ...]

MANY_WORDS = 48  # that are one before tokens are walked; fewer are told apart by scanner and rows


def find_classes(grammar: LalrGrammar, reduced: Bnf) -> Classes:
    """Return the classes that neither productions nor the parser table tell apart."""
    classes = find_production_classes(reduced.productions)
    return _find_some(grammar, lambda found: _meet(classes, found))


def _find_some(grammar: LalrGrammar, choose: Callable[[Classes], Classes]) -> Classes:
    """Return the classes that are chosen of those of the table, or of larger ones."""
    # Where states lead only splits these, and takes most of the time to find out.
    if not choose(_group_columns(grammar, [0] * len(grammar.lalr.states))):
        return ()
    return choose(find_table_classes(grammar))


def find_production_classes(productions: Iterable[Production]) -> Classes:
    """Return the classes of two or more interchangeable terminals, by the definition of 6.2."""
    contexts: dict[int, set[Hashable]] = {}
    for production in productions:
        for i, symbol in enumerate(production.rhs):
            if symbol >= 0:
                context = (production.lhs, production.rhs[:i], production.rhs[i + 1 :])
                contexts.setdefault(symbol, set()).add(context)
    return _group((terminal, frozenset(found)) for terminal, found in contexts.items())


def find_word_classes(grammar: LalrGrammar, kept: Collection[TerminalId]) -> Classes:
    """Return the classes of at least ``MANY_WORDS`` terminals that one of them can stand for.

    Those in ``kept`` stand for themselves.
    """

    def choose(classes: Classes) -> Classes:
        found = (tuple(t for t in members if t not in kept) for members in classes)
        return tuple(members for members in found if len(members) >= MANY_WORDS)

    return _find_some(grammar, choose)


def merge_terminals(bnf: Bnf) -> tuple[Bnf, Mapping[TerminalId, TerminalId]]:
    """Return the productions with one terminal for all that are interchangeable.

    Also terminal → the one that stands for it, where it is another one. No more terminals are
    interchangeable then: a context of a terminal stays one with other members of a class in it.
    """
    classes = find_production_classes(bnf.productions)
    stands_for = {terminal: one for one, *others in classes for terminal in others}
    productions = dict.fromkeys(
        Production(p.lhs, tuple(stands_for.get(TerminalId(s), s) for s in p.rhs))
        for p in bnf.productions
    )
    # Merged ones stand for productions that are there already, so the order stays canonical.
    return replace(bnf, productions=tuple(productions)), stands_for


def find_table_classes(grammar: LalrGrammar, apart: Collection[int] = ()) -> Classes:
    """Return the classes of two or more terminals that the LALR table cannot tell apart.

    After an ``Indenter``'s newline come INDENT and DEDENT, so it is in no class. Its brackets need
    no look: rules that do not close them are refused, so a text has as many with any exchange.
    Nonterminals in ``apart`` are told from all others.
    """
    return _group_columns(grammar, merge_states(grammar, apart))


def _group_columns(grammar: LalrGrammar, block: Sequence[int]) -> Classes:
    """Return the classes of terminals with equal columns, where states of one block are one.

    Only shifts are compared: a state reduces on the terminals that some states shift then, and has
    no reduction where it shifts itself, so terminals with equal shifts have equal reductions
    (DeRemer and Pennello 1982, doi:10.1145/69622.357187).
    """
    columns: dict[int, list[tuple[int, int]]] = {}
    for state, row in enumerate(grammar.lalr.states):
        for terminal, target in row.shifts.items():
            columns.setdefault(terminal, []).append((state, block[target]))
    layout = grammar.lexer.layout
    newline = None if layout is None else layout.newline
    return _group(
        (terminal, (terminal == newline, frozenset(column))) for terminal, column in columns.items()
    )


def merge_states(grammar: LalrGrammar, apart: Collection[int] = ()) -> tuple[int, ...]:
    """Return LALR state → number of its class: the parser never behaves differently in a class.

    Nonterminals are one there if they lead from each state to states of one class, except those in
    ``apart``. A state is told by the classes of what it reduces to, so states that reduce to such
    nonterminals are one.
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
    own = [2 + n if n in apart else 0 for n in range(len(columns))]
    block = refine_by_signature([*kinds, *own], sign)
    return tuple(block[: len(states)])


def _list_actions(grammar: LalrGrammar) -> list[frozenset[tuple[tuple[int, int], frozenset[int]]]]:
    """Return, per state, (left side, length) with the terminals on which it is reduced.

    A state has one production of a left side and a length: its last symbols spell the right side.
    Equal sets of terminals are one object, so that they are compared at once.
    """
    productions = grammar.bnf.productions
    known: dict[frozenset[int], frozenset[int]] = {}
    found = []
    for row in grammar.lalr.states:
        reductions = [
            (productions[number], frozenset(terminals))
            for number, terminals in list_reductions(row.reduces)
        ]
        found.append(
            frozenset(
                ((p.lhs, len(p.rhs)), known.setdefault(terminals, terminals))
                for p, terminals in reductions
            )
        )
    return found


def map_to_representatives(classes: Classes) -> dict[TerminalId, TerminalId]:
    """Return terminal → the first of its class, for the terminals in classes."""
    return {terminal: members[0] for members in classes for terminal in members}


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
