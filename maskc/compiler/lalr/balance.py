"""Checks that INDENT and DEDENT, and brackets, come in pairs.

The runtime keeps the columns of open blocks beside the parser's stack, as Lark's ``Indenter``
does. Both agree on how many blocks are open only if each nonterminal opens and closes a fixed
number of them, and none is closed before it is opened. The same goes for the brackets between
which newlines do not count; and a newline that the grammar asks for between brackets never
reaches the parser. Grammars that break this are refused, with the rule that does.

Where a text ends, Lark's ``Indenter`` closes each block that is still open. A grammar can leave
that to it: ``start: body _DEDENT*`` takes as many DEDENTs as come, so that the rules of ``body``
need not close what they open. They only must not close a block that is not open.

Then the runtime, which follows the parser's stack and the columns of open blocks side by side,
meets no dead end. Let a stack and n open blocks be given, and a way for the parser to end. Until
the tail, the way closes open blocks only, since no beginning of ``body`` closes more than it opens.
In the tail, n' other blocks are open than the way closes; but the parser takes n' as well, as each
reduction that DEDENT brings about there is one on the end of the text, too. That holds of Lark's
table unless Lark dropped a reduction on DEDENT or on the end, so such grammars are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from maskc.compiler.lalr import find_conflicts
from maskc.errors import PostlexError
from maskc.grammar import Bnf, Grammar, IndenterLayout, LalrGrammar, Production, quote_rule
from maskc.grammar.lr0 import Item
from maskc.ids import END, ProductionId


def leaves_blocks_open(grammar: Grammar, layout: IndenterLayout) -> bool:
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


@dataclass(frozen=True, slots=True)
class BracketDepths:
    """How many brackets are open at the dot of an item, as far as newlines need it."""

    # item → how many more are open at its dot than where its production begins, or fewer; 0 where
    # it has no entry
    of_item: Mapping[Item, int]
    most: int  # the depths from this one on count as one; 0 without indentation
    # the terminals that never come between brackets, where an Indenter drops lines
    lines: frozenset[int]

    def at(self, item: Item, base: int) -> int:
        """Return the depth at an item's dot, given that at its base."""
        return min(max(base + self.of_item.get(item, 0), 0), self.most)


NO_BRACKETS = BracketDepths({}, 0, frozenset())


def find_bracket_depths(grammar: Grammar) -> BracketDepths:
    """Return how many brackets are open at the items of a grammar.

    A production that closes n brackets of another one needs to know whether there were more than n
    open, so depths are told apart up to one more than any production closes.

    Raises:
        PostlexError: blocks or brackets do not come in pairs, or no text is left without the lines
            that an ``Indenter`` drops.
    """
    layout = grammar.lexer.layout
    if layout is None:
        return NO_BRACKETS
    if not leaves_blocks_open(grammar, layout):
        _check_pairs(
            grammar,
            {layout.indent: 1, layout.dedent: -1},
            "INDENT and DEDENT",
            _offer_without_blocks(grammar, layout)
            or "let each rule close what it opens, or end the start rule with "
            f"{grammar.bnf.terminals[layout.dedent]}*, so that blocks may stay open until the text "
            "ends",
        )
    weights: dict[int, int] = {**dict.fromkeys(layout.opens, 1), **dict.fromkeys(layout.closes, -1)}
    nets = _check_pairs(
        grammar,
        weights,
        "opening and closing brackets",
        "let each rule close the brackets that it opens",
    )
    found: dict[Item, int] = {}
    for number, production in enumerate(grammar.bnf.productions):
        depth = 0
        for dot, symbol in enumerate(production.rhs, 1):
            depth += _weight(symbol, weights, nets) or 0
            if depth:
                found[(ProductionId(number), dot)] = depth
    most = 1 - min(_find_lowest(grammar, weights, nets).values(), default=0) if found else 0
    lines = frozenset({layout.newline, layout.indent, layout.dedent})
    depths = BracketDepths(MappingProxyType(found), most, lines)
    _check_lines(grammar, depths)
    return depths


def _check_pairs(
    grammar: Grammar, weights: Mapping[int, int], what: str, remedy: str
) -> dict[int, int]:
    """Return nonterminal → how many more it opens than it closes."""
    nets: dict[int, int] = {}
    n_known = -1
    while n_known < len(nets):
        n_known = len(nets)
        for production in grammar.bnf.productions:
            steps = [_weight(symbol, weights, nets) for symbol in production.rhs]
            known = [step for step in steps if step is not None]
            if len(known) == len(steps) and nets.setdefault(production.lhs, sum(known)) != sum(
                known
            ):
                raise PostlexError(
                    f"of {quote_rule(grammar.bnf, production.lhs)}",
                    f"it leaves different numbers of {what} open; {remedy}",
                )
    start = grammar.bnf.start
    if nets.get(start, 0) != 0 or _find_lowest(grammar, weights, nets).get(start, 0) < 0:
        raise PostlexError(
            f"of {quote_rule(grammar.bnf, start)}", f"its {what} do not come in pairs; {remedy}"
        )
    return nets


def _offer_without_blocks(grammar: Grammar, layout: IndenterLayout) -> str | None:
    """Return what to do where INDENT and DEDENT stand in rules of their own; ``None`` elsewhere.

    There they mark no blocks: a rule takes whatever comes of them.
    """
    blocks, names = {layout.indent, layout.dedent}, grammar.bnf.terminals
    productions = grammar.bnf.productions
    # Nonterminals that derive only INDENT and DEDENT: all, but for those that have another symbol.
    alone = {production.lhs for production in productions}
    n_before = -1
    while n_before != len(alone):
        n_before = len(alone)
        alone -= {
            production.lhs
            for production in productions
            if not all(s in blocks if s >= 0 else -1 - s in alone for s in production.rhs)
        }
    if any(blocks & set(p.rhs) and p.lhs not in alone for p in productions):
        return None
    rules = "take them out of the rules and the Indenter out of the settings"
    opens = sorted(names[terminal] for terminal in layout.opens)
    closes = sorted(names[terminal] for terminal in layout.closes)
    if not opens:
        return rules
    pairs = ",".join(f"{a}:{b}" for a, b in zip(opens, closes, strict=False))
    return (
        f"{rules}, and write in its place // maskc: postlex=rules "
        f"rule=drop:{names[layout.newline]}:between:{','.join(opens)} brackets={pairs}"
    )


def _weight(symbol: int, weights: Mapping[int, int], nets: Mapping[int, int]) -> int | None:
    return weights.get(symbol, 0) if symbol >= 0 else nets.get(-1 - symbol)


def _find_lowest(
    grammar: Grammar, weights: Mapping[int, int], nets: Mapping[int, int]
) -> dict[int, int]:
    """Return nonterminal → the smallest number open after any beginning of a text of it, at most 0.

    Those that sink without end are left as they are after a while: no pairs are in them.
    """
    lowest = dict.fromkeys(nets, 0)
    for _ in range(len(nets) + 1):
        before = dict(lowest)
        for production in grammar.bnf.productions:
            depth = 0
            for symbol in production.rhs:
                inside = 0 if symbol >= 0 else lowest.get(-1 - symbol, 0)
                least = depth + min(inside, _weight(symbol, weights, nets) or 0)
                lowest[production.lhs] = min(lowest.get(production.lhs, 0), least)
                depth += _weight(symbol, weights, nets) or 0
        if lowest == before:
            break
    return lowest


def _check_lines(grammar: Grammar, depths: BracketDepths) -> None:
    """Refuse a grammar of which no text is left, as it asks for a line between brackets."""
    productions = grammar.bnf.productions
    has_text: set[tuple[int, int]] = set()  # nonterminal, depth where it begins
    n_before = -1
    while n_before < len(has_text):
        n_before = len(has_text)
        for number, production in enumerate(productions):
            for base in range(depths.most + 1):
                if _find_missing(depths, number, production, base, has_text) is None:
                    has_text.add((production.lhs, base))
    begun = [(grammar.bnf.start, 0)]
    if begun[0] in has_text:
        return
    # From the start on, what has no text, until a rule asks for a line itself.
    for nonterminal, base in begun:
        for number, production in enumerate(productions):
            if production.lhs != nonterminal:
                continue
            missing = _find_missing(depths, number, production, base, has_text)
            if missing is None:
                continue
            symbol, depth = missing
            if symbol >= 0:
                raise PostlexError(
                    f"of {quote_rule(grammar.bnf, nonterminal)}",
                    f"it needs {grammar.bnf.terminals[symbol]} between brackets, where an "
                    "Indenter drops newlines, so no text matches it; take it out of the rule, or "
                    "write it as optional",
                )
            if (-1 - symbol, depth) not in begun:
                begun.append((-1 - symbol, depth))


def _find_missing(
    depths: BracketDepths,
    number: int,
    production: Production,
    base: int,
    has_text: set[tuple[int, int]],
) -> tuple[int, int] | None:
    """Return the first symbol of a production that has no text, and the depth there."""
    for dot, symbol in enumerate(production.rhs):
        depth = depths.at((ProductionId(number), dot), base)
        if depth and symbol in depths.lines or symbol < 0 and (-1 - symbol, depth) not in has_text:
            return symbol, depth
    return None
