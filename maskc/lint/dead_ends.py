"""After which texts is the end never reached, whatever comes?

A state of Lark's table is dead if no stack with it on top can be finished. Lark makes such states
when it resolves a conflict by shifting, and the lexer makes them where it cannot tell terminals
apart. maskc never enters them, so what leads there is cut out of the language.

Example: ``start: x "a" "c" | "d"`` with ``x: "a" x | "a"``: another ``a`` is always part of
``x``, so ``x`` is never completed, and only ``d`` is left.

Only the first dead state on a way is reported. Those of productions that derive nothing at all are
left to that check.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.ids import END, ROOT
from maskc.lint.derivations import Derivations
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import Subject
from maskc.lint.texts import Texts

CODE = "ML004"


def find_dead_ends(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each state that a live one leads to and no text leaves."""
    grammar, table = subject.grammar, subject.table
    if not table.live[0]:
        yield Finding(
            CODE,
            Severity.ERROR,
            Place("grammar", "", None),
            "no text at all can be parsed: every start runs into a conflict that Lark resolved by "
            "shifting, or into terminals that cannot be lexed apart",
            None,
            "see the other findings; start with the errors",
        )
        return
    live = set(table.lalr_state)
    useful = set(subject.reduced.productions)
    entered = sorted(
        {
            (target, symbol)
            for state in live
            for row in (grammar.lalr.states[state],)
            for symbol, target in (
                *((t, s) for t, s in row.shifts.items() if t != END),
                *((-1 - n, s) for n, s in row.gotos.items()),
            )
            if target not in live
        }
    )
    if not entered:
        return
    live_without_lexer = set(subject.table_without_lexer.lalr_state)
    derivations, texts = Derivations(grammar), Texts(grammar, subject.scanner)
    for state, symbol in entered:
        kernel = [
            (grammar.bnf.productions[p], dot)
            for p, dot in subject.item_sets.kernels[state]
            if p != ROOT
        ]
        if not any(production in useful for production, _ in kernel):
            continue
        items = [(p, dot) for p, dot in kernel if p in useful]
        production, dot = max(items, key=lambda item: len(item[0].rhs) - item[1])
        name = subject.name_symbol(symbol)
        cause = (
            "the terminals that could come next cannot be lexed there"
            if state in live_without_lexer
            else "Lark resolved a conflict by shifting, and what it gave up was the only way on"
        )
        row = grammar.lalr.states[state]
        arrival = derivations.find_arrival(state, [*row.shifts, *row.reduces])
        yield Finding(
            CODE,
            Severity.ERROR,
            subject.place_of_rule(production.lhs),
            f"after {name} in {subject.format_item(production, dot)} the end is never reached: "
            f"{cause}",
            texts.find_text(arrival.terminals) if arrival else None,
            "write the rule so that one terminal decides, for a list left-recursively: x: x A | A",
        )
