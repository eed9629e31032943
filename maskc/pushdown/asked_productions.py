"""Which productions are asked, and may texts of theirs be missing in what is compiled?

Whatever is compiled is a part of the language of the productions, so what is never legal by the
productions is never legal. What is always or jointly legal by them is so only if no text is lost on
the way. Three things lose texts: a conflict that Lark resolved (:mod:`maskc.parser.conflicts`),
terminals that the lexer cannot give one after the other, and indentation, which adds and drops
newlines. If none of them does, the two languages are equal.

Example: ``start: NAME NAME`` without ``%ignore`` loses all its texts: two NAMEs in a row are one.

Source: DeRemer, Pennello 1982 for the conflicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maskc import bits
from maskc.grammar.model import Context, LalrGrammar
from maskc.grammar.reduce import ReducedGrammar, reduce_grammar
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END
from maskc.lexer.boundaries import Boundaries, Lookaheads
from maskc.lexer.scanner import Scanner, contexts_after
from maskc.parser.conflicts import find_conflicts
from maskc.pushdown.dft import DftAutomaton, build_dft
from maskc.store.sequences import ContextSet


@dataclass(frozen=True, slots=True, eq=False)
class AskedProductions:
    """Productions, what their symbols are to the lexer, and what of their language is compiled.

    Attributes:
        dft: the DFT pushdown automaton of the productions.
        symbols: symbol → its terminal, and those of the terminal's lookaheads that are meant.
        contexts: what the lexer looks for in each context.
        contexts_after: terminal → the contexts that the parser can name after it.
        newline: the newline of an indented grammar.
        lost: why texts of the productions may be missing in what is compiled; ``None``: none is.
    """

    dft: DftAutomaton
    symbols: tuple[tuple[int, Lookaheads], ...]
    contexts: tuple[Context, ...]
    contexts_after: Mapping[int, ContextSet]
    newline: int | None
    lost: str | None


def ask_grammar(grammar: LalrGrammar, scanner: Scanner, boundaries: Boundaries) -> AskedProductions:
    """Return the productions of a grammar that Lark's LALR table parses."""
    reduced = reduce_grammar(grammar.bnf)
    return AskedProductions(
        build_dft(reduced),
        tuple(
            (terminal, boundaries.set_of(terminal))
            for terminal in range(len(grammar.bnf.terminals))
        ),
        grammar.lexer.contexts,
        {
            terminal: bits.from_members(contexts)
            for terminal, contexts in contexts_after(grammar.lexer).items()
        },
        grammar.lexer.layout.newline if grammar.lexer.layout else None,
        explain_loss(grammar, reduced, scanner, boundaries),
    )


def explain_loss(
    grammar: LalrGrammar, reduced: ReducedGrammar, scanner: Scanner, boundaries: Boundaries
) -> str | None:
    """Return what may lose texts of the productions, ``None`` if nothing does."""
    if grammar.lexer.layout:
        return "indentation adds and drops newlines"
    for terminal in sorted(reduced.used_terminals):
        if len(boundaries.of_terminal.get(terminal, ())) != 1:
            return f"what may follow {grammar.bnf.terminals[terminal]} depends on its lexeme"
    pair = _find_unlexed(grammar, reduced, scanner, boundaries)
    if pair is not None:
        return f"the lexer never gives {pair}"
    n = len(find_conflicts(grammar))
    return f"Lark resolved {n} conflict{'s' * (n > 1)}" if n else None


def _find_unlexed(
    grammar: LalrGrammar, reduced: ReducedGrammar, scanner: Scanner, boundaries: Boundaries
) -> str | None:
    """Return a terminal that the grammar wants at a place and the lexer does not give there.

    Every terminal has one lookahead.
    """
    names = grammar.bnf.terminals
    lookahead = {t: boundaries.of_terminal[t][0] for t in (END, *reduced.used_terminals)}
    adjacent = compute_adjacent(reduced, compute_sets(reduced))
    first = boundaries.first(scanner.start, grammar.lalr.context_of[0])
    wanted: list[tuple[int, int, Lookaheads]] = [(END, 0, first)]
    for row in grammar.lalr.states:
        for terminal, target in row.shifts.items():
            if terminal in reduced.used_terminals:
                lexed = boundaries.follows[lookahead[terminal]][grammar.lalr.context_of[target]]
                wanted.append((terminal, target, lexed))
    for before, state, lexed in wanted:
        row = grammar.lalr.states[state]
        for terminal in sorted({*row.shifts, *row.reduces} & lookahead.keys()):
            if before == END == terminal:
                continue  # an empty text: nothing is asked before a first terminal
            stands = before == END or adjacent[before] >> terminal & 1
            if stands and not lexed >> lookahead[terminal] & 1:
                place = f"after {names[before]}" if before != END else "at the start"
                return f"{names[terminal]} {place}"
    return None
