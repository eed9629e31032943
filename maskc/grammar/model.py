"""A grammar as the compiler sees it: terminals, productions, LALR table, contexts.

Everything is numbered canonically, so that equal grammar texts give equal numbers whatever
the hash seed was when Lark built its tables:

- terminal 0 is ``$END``; the others follow in the order of their names;
- nonterminals in the order of their names; productions in the order of (left, right) names;
- LALR states breadth first from the start state, over symbol names in order.

Source: DESIGN, section 2, "Grammar".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

END = 0


@dataclass(frozen=True, slots=True)
class Production:
    """``lhs -> rhs``.

    Attributes:
        lhs: a nonterminal's id.
        rhs: symbols; terminal ``t`` is ``t``, nonterminal ``n`` is ``-1 - n``.
    """

    lhs: int
    rhs: tuple[int, ...]


class Reduction(Mapping[int, int]):
    """One production that a state reduces on terminals which many states have in common.

    Attributes:
        production: its id.
        terminals: as keys, ascending.
    """

    __slots__ = ("production", "terminals")

    def __init__(self, production: int, terminals: dict[int, None]) -> None:
        self.production, self.terminals = production, terminals

    def __getitem__(self, terminal: int) -> int:
        if terminal in self.terminals:
            return self.production
        raise KeyError(terminal)

    def __contains__(self, terminal: object) -> bool:
        return terminal in self.terminals

    def __iter__(self) -> Iterator[int]:
        return iter(self.terminals)

    def __len__(self) -> int:
        return len(self.terminals)


def list_reductions(reduces: Mapping[int, int]) -> list[tuple[int, tuple[int, ...]]]:
    """Return (production, its terminals) for what a state reduces, in order of first terminals."""
    if isinstance(reduces, Reduction):
        return [(reduces.production, tuple(reduces.terminals))] if reduces.terminals else []
    found: dict[int, list[int]] = {}
    for terminal, production in reduces.items():
        found.setdefault(production, []).append(terminal)
    return [(production, tuple(terminals)) for production, terminals in found.items()]


@dataclass(frozen=True, slots=True)
class LalrState:
    """One row of Lark's own LALR table, conflicts already resolved by Lark.

    Attributes:
        shifts: terminal id → state.
        reduces: terminal id → production id.
        gotos: nonterminal id → state.
    """

    shifts: dict[int, int]
    reduces: Mapping[int, int]
    gotos: dict[int, int]


@dataclass(frozen=True, slots=True)
class Context:
    """What the lexer looks for in some LALR states: Lark's alternation, in Lark's order.

    Attributes:
        alternatives: terminal ids in the order ``re`` tries them.
        keywords: for a terminal of ``alternatives``, the string terminals it is renamed to when
            its whole lexeme equals one, in the order they are tried.
    """

    alternatives: tuple[int, ...]
    keywords: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """An ``Indenter``'s attributes, as terminal ids.

    Attributes:
        newline, indent, dedent: ``NL_type``, ``INDENT_type``, ``DEDENT_type``.
        opens, closes: terminals between which newlines do not count.
        tab_len: columns a tab is worth.
    """

    newline: int
    indent: int
    dedent: int
    opens: frozenset[int]
    closes: frozenset[int]
    tab_len: int


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar with Lark's own parser table and lexer contexts.

    Attributes:
        terminals: names, ``$END`` first.
        patterns: ``re`` source of each terminal; ``None`` for ``$END`` and ``%declare``d ones.
        re_flags: flags that apply to every pattern.
        ranks: position of each terminal in the order in which Lark tries all of them.
        ignored: terminals that the lexer drops.
        nonterminals: names.
        productions: in canonical order.
        states: the LALR table; state 0 is the start state.
        end_state: the state whose goto ends the parse.
        contexts: distinct contexts.
        context_of: LALR state → context.
        layout: indentation, if the postlex is an ``Indenter``.
    """

    terminals: tuple[str, ...]
    patterns: tuple[str | None, ...]
    re_flags: int
    ranks: tuple[int, ...]
    ignored: frozenset[int]
    nonterminals: tuple[str, ...]
    productions: tuple[Production, ...]
    states: tuple[LalrState, ...]
    end_state: int
    contexts: tuple[Context, ...]
    context_of: tuple[int, ...]
    layout: Layout | None

    def symbol_name(self, symbol: int) -> str:
        """Return the name of a symbol as it stands in a production's right side."""
        return self.terminals[symbol] if symbol >= 0 else self.nonterminals[-1 - symbol]

    def format(self) -> str:
        """Return the productions, one a line.

        >>> print(grammar.format())  # doctest: +SKIP
        start -> A start
        start ->
        """
        return "\n".join(
            " ".join([self.nonterminals[p.lhs], "->", *map(self.symbol_name, p.rhs)]).rstrip()
            for p in self.productions
        )
