"""Does Lark's LALR table read all texts of the productions?

A grammar that its author gives to Lark's Earley parser together with a postlex is read here as
LALR, with the same lexer: the columns of a text stand beside one stack of the parser. Where the
table has no conflict, both parsers read the same texts, which are those of the productions. A
conflict that Lark resolved can lose some, so the grammar is refused then, even if that one loses
none.

Example: ``start: x "a"`` with ``x: "b" "a" | "b"``: Earley reads ``ba``, and LALR does not.

Source: DeRemer, Pennello 1982 (doi:10.1145/69622.357187), in :mod:`maskc.parser.conflicts`.
"""

from __future__ import annotations

from maskc.budget import quote_symbol
from maskc.errors import GrammarError
from maskc.grammar.model import LalrGrammar
from maskc.grammar.rule_names import quote_symbol as format_symbol
from maskc.grammar.rule_names import rule_of
from maskc.ids import END
from maskc.parser.conflicts import find_conflicts


def check_reads_all(grammar: LalrGrammar, name: str) -> None:
    """Check that no conflict was resolved in the table.

    Raises:
        GrammarError: one was; the rule is named that is not completed, and before which terminal.
    """
    conflicts = find_conflicts(grammar)
    if not conflicts:
        return
    bnf, first = grammar.bnf, conflicts[0]
    production = bnf.productions[first.dropped]
    quoted = quote_symbol("rule", rule_of(bnf.nonterminals[production.lhs]))
    side = " ".join(format_symbol(bnf, symbol) for symbol in production.rhs) or "nothing"
    at_end = first.terminal == END
    before = "at the end of the text" if at_end else f"before {format_symbol(bnf, first.terminal)}"
    more = len({(c.state, c.dropped) for c in conflicts}) - 1
    others = f" (and {more} such place{'s' * (more > 1)} more)" if more else ""
    raise GrammarError(
        name,
        f"{before}, {quoted} may have ended as `{side}` or go on, and Earley tries both{others}; "
        "with a postlex the next terminal must decide: rewrite the rule, or give --parser lalr "
        "--lexer basic, which goes on, and may read fewer texts than Earley",
    )
