"""Terminals that the grammar puts side by side and the lexer cannot tell apart.

After NAME the grammar may want another NAME; written without a blank between them the two are
one lexeme, and if nothing can be ignored there, no text continues that way: the masks treat it as
the dead end it is. Each such pair is reported with a witness: the two lexemes, written one after
the other. Where no text at all is left, :func:`explain_no_text` names the rule or terminal to
blame: a rule that never ends, a terminal without a pattern, or such a pair.

Source: ``docs/lexing.md``: masks have no dead ends, so such a pair is told to the author.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from maskc import bits
from maskc.compiler import LexicalAnalysis, terminals_of
from maskc.compiler.lalr.refine import RefinedTable
from maskc.frontends.texts import LARK
from maskc.grammar import Bnf, Grammar, LexerSpec, quote_rule
from maskc.grammar.sets import Terminals, compute_adjacent, compute_sets, reduce_grammar
from maskc.ids import DEAD, END, IGNORED, BoundaryId
from maskc.lexer import Scanner, quote_terminal
from maskc.lexer.boundaries import LexemeContexts, Lookaheads


@dataclass(frozen=True, slots=True)
class UnlexedPair:
    """Two terminals, by name, that cannot be lexed apart; the witness is what cannot be split."""

    first: str
    second: str
    witness: bytes


def find_adjacencies(
    lexer: LexerSpec, scanner: Scanner, boundaries: LexemeContexts, table: RefinedTable
) -> tuple[UnlexedPair, ...]:
    """Return the pairs that the parser would take and the lexer never gives, in name order."""
    ends: dict[int, list[BoundaryId]] = {}
    for terminal, boundary in boundaries.number:
        if boundary >= 0:
            ends.setdefault(terminal, []).append(boundary)
    layout = lexer.layout
    silent = {END, layout.indent, layout.dedent} if layout else {END}
    terminal_of = terminals_of(boundaries)

    @cache  # few sets of lookaheads differ
    def terminals_in(lookaheads: int) -> frozenset[int]:
        return frozenset(t for lookahead, t in terminal_of.items() if lookaheads >> lookahead & 1)

    found: set[tuple[int, int]] = set()
    asked: set[tuple[int, int, int]] = set()
    context_after = [
        boundaries.layout_context(context, enclosed=enclosed)
        for context, enclosed in zip(table.context_of, table.enclosed, strict=True)
    ]
    for row in table.shifts:
        for first, target in row.items():
            layout_context = context_after[target]
            # Few states differ in these.
            key = (first, layout_context, table.live[target])
            if key in asked or first in silent or first not in ends:
                continue
            asked.add(key)
            lexed = 0
            for boundary in ends[first]:
                lexed |= boundaries.rest[boundary][layout_context]
            wanted = terminals_in(table.live[target]) - terminals_in(lexed)
            found |= {(first, second) for second in wanted - silent}
    samples = shortest_lexemes(scanner)
    return tuple(
        UnlexedPair(
            lexer.terminals[first],
            lexer.terminals[second],
            samples.get(first, b"") + samples.get(second, b""),
        )
        for first, second in sorted(found)
        if first in samples
    )


def find_unlexed(
    bnf: Bnf, scanner: Scanner, boundaries: LexemeContexts, adjacent: Mapping[int, Terminals]
) -> tuple[UnlexedPair, ...]:
    """Return the pairs that the lexer gives in no context at all, in name order."""
    samples = shortest_lexemes(scanner)
    found = []
    for first, after in sorted(adjacent.items()):
        lexed = 0
        for lookahead in boundaries.of_terminal.get(first, ()):
            lexed |= bits.unite(boundaries.follows[lookahead])
        for second in sorted(samples):
            own = boundaries.set_of(second)
            if first in samples and after >> second & 1 and not own & lexed:
                names = bnf.terminals[first], bnf.terminals[second]
                found.append(UnlexedPair(*names, samples[first] + samples[second]))
    return tuple(found)


def shortest_lexemes(scanner: Scanner) -> dict[int, bytes]:
    """Return a shortest lexeme of each terminal that some context can lex."""
    class_byte: dict[int, int] = {}
    for byte in sorted(range(256), key=lambda b: (not 32 < b < 127, b)):
        class_byte.setdefault(int(scanner.byte_class[byte]), byte)
    classes = sorted(class_byte, key=lambda c: (not 32 < class_byte[c] < 127, class_byte[c]))
    found: dict[int, bytes] = {}
    text: dict[int, bytes] = {}
    pending: deque[int] = deque()
    following = scanner.next.tolist()
    for byte_class in classes:
        firsts = {following[scanner.start][byte_class]}
        firsts.update(scanner.entries[:, byte_class].tolist())
        for state in sorted(firsts - {DEAD}):
            if state not in text:
                text[state] = bytes([class_byte[byte_class]])
                pending.append(state)
    while pending:
        state = pending.popleft()
        for terminal, _ in scanner.ends[state]:
            if terminal != IGNORED:
                found.setdefault(terminal, text[state])
        for byte_class in classes:
            target = following[state][byte_class]
            if target != DEAD and target not in text:
                text[target] = text[state] + bytes([class_byte[byte_class]])
                pending.append(target)
    return found


_NONE = "no text at all can be parsed"


def explain_no_text(
    lexed: LexicalAnalysis[Grammar], lexed_first: Lookaheads, otherwise: str
) -> str:
    """Return why a grammar has no text.

    Args:
        lexed_first: the lookaheads that the lexer gives where a text begins.
        otherwise: what is said if no rule or terminal alone is to blame.
    """
    # Who wrote in another notation knows no terminals.
    is_larks = lexed.source.dialect == LARK.name
    return (_blame(lexed, lexed_first) if is_larks else None) or otherwise


def _blame(lexed: LexicalAnalysis[Grammar], lexed_first: Lookaheads) -> str | None:
    bnf, lexer = lexed.grammar.bnf, lexed.grammar.lexer
    scanner, boundaries = lexed.scanner, lexed.boundaries
    reduced = reduce_grammar(bnf)
    if bnf.start not in reduced.used_nonterminals:
        rule = _find_nonterminating(bnf, reduced.used_nonterminals)
        return (
            f"{_NONE}: {quote_rule(bnf, rule)} never ends, since each of its alternatives needs a "
            "rule that does not; give it one that ends"
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
    lexemes = bits.from_members(shortest_lexemes(scanner))
    for first, after in sorted(adjacent.items()):
        for second in bits.iterate(after & ~lexemes):
            if lexemes >> first & 1 and lexer.patterns[second]:
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


def _find_nonterminating(bnf: Bnf, ending: Collection[int]) -> int:
    """Return a nonterminal without a text that needs none but those on the way to it."""
    path = [bnf.start]
    while True:
        needed = {
            -1 - symbol
            for production in bnf.productions
            if production.lhs == path[-1]
            for symbol in production.rhs
            if symbol < 0 and -1 - symbol not in ending
        }
        further = sorted(needed - {*path})
        if not further:
            return path[-1]
        path.append(further[0])
