"""Do INDENT and DEDENT, and brackets, come in pairs?

The runtime keeps the columns of open blocks beside the parser's stack, as Lark's ``Indenter``
does. Both agree on how many blocks are open only if each nonterminal opens and closes a fixed
number of them, and none is closed before it is opened. The same goes for the brackets between
which newlines do not count; and a newline that the grammar asks for between brackets never
reaches the parser. Grammars that break this are refused, with the rule that does.

A grammar may leave blocks open until the text ends (:mod:`maskc.parser.open_blocks`).

Example: ``block: NL INDENT stmt DEDENT`` is balanced; ``x: INDENT | NL`` is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from maskc.errors import PostlexError
from maskc.grammar.model import Grammar, Layout
from maskc.grammar.rule_names import quote_rule
from maskc.ids import ProductionId
from maskc.parser.items import Item
from maskc.parser.open_blocks import leaves_blocks_open


def find_enclosed_items(grammar: Grammar) -> frozenset[Item]:
    """Return the (production, dot) after a bracket that the production opened.

    Empty if the grammar has no layout.

    Raises:
        PostlexError: blocks or brackets do not come in pairs.
    """
    layout = grammar.lexer.layout
    if layout is None:
        return frozenset()
    if not leaves_blocks_open(grammar, layout):
        _check_pairs(
            grammar,
            {layout.indent: 1, layout.dedent: -1},
            "INDENT and DEDENT",
            "let each rule close what it opens, or end the start rule with "
            f"{grammar.bnf.terminals[layout.dedent]}*, so that blocks may stay open until the text "
            "ends",
        )
    brackets: dict[int, int] = {
        **dict.fromkeys(layout.opens, 1),
        **dict.fromkeys(layout.closes, -1),
    }
    nets = _check_pairs(
        grammar,
        brackets,
        "opening and closing brackets",
        "let each rule close the brackets that it opens",
    )
    _check_lines(grammar, layout, brackets, nets)
    found: set[Item] = set()
    for number, production in enumerate(grammar.bnf.productions):
        depth = 0
        for dot, symbol in enumerate(production.rhs, 1):
            depth += _weight(symbol, brackets, nets) or 0
            if depth > 0:
                found.add((ProductionId(number), dot))
    return frozenset(found)


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
    if nets.get(start, 0) != 0 or _lowest(grammar, weights, nets, start) < 0:
        raise PostlexError(
            f"of {quote_rule(grammar.bnf, start)}", f"its {what} do not come in pairs; {remedy}"
        )
    return nets


def _weight(symbol: int, weights: Mapping[int, int], nets: Mapping[int, int]) -> int | None:
    return weights.get(symbol, 0) if symbol >= 0 else nets.get(-1 - symbol)


def _lowest(
    grammar: Grammar, weights: Mapping[int, int], nets: Mapping[int, int], start: int
) -> int:
    """Return the smallest number open after any beginning of a text of ``start``."""
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
    return lowest.get(start, 0)


def _check_lines(
    grammar: Grammar, layout: Layout, weights: Mapping[int, int], nets: Mapping[int, int]
) -> None:
    """Refuse a newline, INDENT or DEDENT that the grammar asks for between brackets."""
    lines = {layout.newline, layout.indent, layout.dedent}
    enclosed: set[int] = set()
    n_before = -1
    while n_before < len(enclosed):
        n_before = len(enclosed)
        for production in grammar.bnf.productions:
            depth = int(production.lhs in enclosed)
            for symbol in production.rhs:
                if depth > 0 and symbol < 0:
                    enclosed.add(-1 - symbol)
                if depth > 0 and symbol in lines:
                    raise PostlexError(
                        f"of {quote_rule(grammar.bnf, production.lhs)}",
                        f"it asks for {grammar.bnf.terminals[symbol]} between brackets, where an "
                        "Indenter drops newlines; take it out of the rule",
                    )
                depth += _weight(symbol, weights, nets) or 0
