"""Why can no text at all be parsed, by a rule or a terminal of the author's?

Either a rule never ends, or a terminal is declared and has no pattern, or every start runs into two
terminals that the lexer never gives side by side, or into a conflict that Lark resolved.

Example: of ``start: A B`` with ``A: /a+/`` and ``B: /a/`` it is that B never comes right after A.
"""

from __future__ import annotations

from collections.abc import Collection

from maskc import bits
from maskc.grammar.model import Bnf, LexerSpec
from maskc.grammar.reduce import reduce_grammar
from maskc.grammar.rule_names import quote_rule
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END
from maskc.lexer.boundaries import Boundaries, Lookaheads
from maskc.lexer.scanner import Scanner, quote_terminal
from maskc.store.adjacency import find_unlexed, shortest_lexemes

_NONE = "no text at all can be parsed"


def explain_no_text(
    bnf: Bnf, lexer: LexerSpec, scanner: Scanner, boundaries: Boundaries, lexed_first: Lookaheads
) -> str | None:
    """Return why a grammar has no text; ``None`` if no rule or terminal alone is to blame.

    Args:
        bnf: its productions.
        lexer: its terminals.
        scanner: which reads them.
        boundaries: which of them may follow which.
        lexed_first: the lookaheads that the lexer gives where a text begins.
    """
    reduced = reduce_grammar(bnf)
    if bnf.start not in reduced.used_nonterminals:
        return (
            f"{_NONE}: {quote_rule(bnf, _find_endless(bnf, reduced.used_nonterminals))} never "
            "ends, since each of its alternatives needs a rule that does not; give it one that ends"
        )
    declared = sorted(t for t in reduced.used_terminals - _given(lexer) if not lexer.patterns[t])
    if declared:
        return (
            f"{_NONE}: {quote_terminal(lexer, declared[0])} is declared and has no pattern, so "
            "Lark finds none; define it, or name the postlex that makes it"
        )
    sets = compute_sets(reduced)
    adjacent = compute_adjacent(reduced, sets)
    unlexed = find_unlexed(bnf, scanner, boundaries, adjacent)
    if unlexed:
        pair = unlexed[0].first, unlexed[0].second
        first, second = (bnf.terminals.index(name) for name in pair)
        return _tell_apart(lexer, first, second, f", as in {unlexed[0].witness!r}")
    # The lexer of LALR knows what comes after a terminal, and so never begins such a lexeme.
    lexed = bits.from_members(shortest_lexemes(scanner))
    for first, after in sorted(adjacent.items()):
        for second in bits.iterate(after & ~lexed):
            if lexed >> first & 1 and lexer.patterns[second]:
                return _tell_apart(lexer, first, second, "")
    for terminal in bits.iterate(sets.first[bnf.start]):
        if lexer.patterns[terminal] and not boundaries.set_of(terminal) & lexed_first:
            return (
                f"{_NONE}: {quote_terminal(lexer, terminal)} can never be lexed where a text "
                "begins; let it come before what the lexer reads there, by a priority"
            )
    return None


def _tell_apart(lexer: LexerSpec, first: int, second: int, witness: str) -> str:
    return (
        f"{_NONE}: {quote_terminal(lexer, second)} can never be lexed right after "
        f"{quote_terminal(lexer, first)}{witness}; put something between them"
    )


def _given(lexer: LexerSpec) -> frozenset[int]:
    """Return the terminals that need no pattern: the postlex makes them, or the end of the text."""
    made = {rewrite.becomes for rewrite in lexer.rewrites if rewrite.becomes is not None}
    layout = {lexer.layout.indent, lexer.layout.dedent} if lexer.layout else set()
    return frozenset({END, *made, *layout})


def _find_endless(bnf: Bnf, ending: Collection[int]) -> int:
    """Return a nonterminal without a text that needs none but those on the way to it."""
    on_the_way = [bnf.start]
    while True:
        needed = {
            -1 - symbol
            for production in bnf.productions
            if production.lhs == on_the_way[-1]
            for symbol in production.rhs
            if symbol < 0 and -1 - symbol not in ending
        }
        further = sorted(needed - {*on_the_way})
        if not further:
            return on_the_way[-1]
        on_the_way.append(further[0])
