"""May blocks stay open until the text ends?

Where a text ends, Lark's ``Indenter`` closes each block that is still open. A grammar can leave
that to it: ``start: body _DEDENT*`` takes as many DEDENTs as come, so that the rules of ``body``
need not close what they open. All that is asked of them is that none closes a block that is not
open.

Then the runtime, which follows the parser's stack and the columns of open blocks side by side,
meets no dead end. Let a stack and n open blocks be given, and a way for the parser to end. Until
the tail, the way closes open blocks only, since no beginning of ``body`` closes more than it opens.
In the tail, n' other blocks are open than the way closes; but the parser takes n' as well, as each
reduction that DEDENT brings about there is one on the end of the text, too. That holds of Lark's
table unless Lark dropped a reduction on DEDENT or on the end, so such grammars are refused.

Example: ``start: (LINE NL INDENT?)+ DEDENT*``; but ``start: (LINE NL DEDENT?)+ DEDENT*`` closes
what nobody opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskc.errors import PostlexError
from maskc.grammar.model import Bnf, Grammar, LalrGrammar, Layout, Production
from maskc.grammar.rule_names import quote_rule
from maskc.ids import END
from maskc.parser.conflicts import find_conflicts


def leaves_blocks_open(grammar: Grammar, layout: Layout) -> bool:
    """Return whether the grammar takes all DEDENTs that the end of a text brings.

    Raises:
        PostlexError: it does, but closes blocks that may not be open.
    """
    body = _without_tail(grammar.bnf, layout.dedent)
    if body is None:
        return False
    weights: dict[int, int] = {layout.indent: 1, layout.dedent: -1}
    if not _never_below_zero(body, weights, grammar.bnf.start):
        raise PostlexError(
            f"of {quote_rule(grammar.bnf, grammar.bnf.start)}",
            f"before its {grammar.bnf.terminals[layout.dedent]}* more blocks can be closed than "
            "were opened; let each rule close what it opens",
        )
    dropped = find_conflicts(grammar) if isinstance(grammar, LalrGrammar) else ()
    for conflict in dropped:
        if conflict.terminal in (END, layout.dedent):
            production = grammar.bnf.productions[conflict.dropped]
            raise PostlexError(
                f"of {quote_rule(grammar.bnf, production.lhs)}",
                f"Lark drops its reduction on {grammar.bnf.terminals[conflict.terminal]}, so that "
                f"{grammar.bnf.terminals[layout.dedent]}* may not come; let no other rule go on "
                "there",
            )
    return True


def _without_tail(bnf: Bnf, dedent: int) -> list[Production] | None:
    """Return the productions without the tail of the start rule, ``None`` if it has none."""
    one = (dedent,)
    tails = {
        p.lhs
        for p in bnf.productions
        if {q.rhs for q in bnf.productions if q.lhs == p.lhs} == {one, (-1 - p.lhs, dedent)}
    }
    starts = [p for p in bnf.productions if p.lhs == bnf.start]
    ended = [p for p in starts if p.rhs and -1 - p.rhs[-1] in tails]
    body = [p for p in starts if p not in ended]
    uses = [p for p in bnf.productions if -1 - bnf.start in p.rhs]
    others = [p for p in bnf.productions if p.lhs != bnf.start and p.lhs not in tails]
    in_body = {-1 - s for p in (*body, *others) for s in p.rhs} | {
        -1 - s for p in ended for s in p.rhs[:-1]
    }
    if uses or not ended or {p.rhs[:-1] for p in ended} != {p.rhs for p in body}:
        return None
    return None if in_body & tails else [*body, *others]


def _never_below_zero(
    productions: Sequence[Production], weights: Mapping[int, int], start: int
) -> bool:
    """Return whether no beginning of a text of ``start`` has a sum of weights below zero."""
    least: dict[int, int] = {}  # the smallest sum of a whole text; absent: no text
    lowest: dict[int, int] = {}  # the smallest of any beginning
    n_rounds = 2 * len({p.lhs for p in productions}) + 2
    for _ in range(n_rounds):
        before = dict(least), dict(lowest)
        for production in productions:
            depth, low = 0, 0
            for symbol in production.rhs:
                inside = lowest.get(-1 - symbol, 0) if symbol < 0 else weights.get(symbol, 0)
                low = min(low, depth + inside)
                if symbol < 0 and -1 - symbol not in least:
                    break
                depth += least[-1 - symbol] if symbol < 0 else weights.get(symbol, 0)
            else:
                least[production.lhs] = min(least.get(production.lhs, depth), depth)
            lowest[production.lhs] = min(lowest.get(production.lhs, 0), low)
        if before == (least, lowest):
            return lowest.get(start, 0) >= 0
    return False  # a rule that calls itself closes more each time
