"""Which rules, productions and terminals take part in no text?

- A production is *unproductive* if a symbol of it derives no terminal sequence, as in ``x: x "b"``.
- It is *never completed* if no row of Lark's table reduces it: conflicts took them all.
- A rule or a terminal of the text is *unused* if the start symbol does not lead to it. Lark drops
  those silently, so they are found by their definitions in the text.

Example: ``start: "a" | x``, ``x: x "b"``, ``y: "c"``: ``x`` is unproductive and ``y`` is unused.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.grammar.reduce import reduce_productions
from maskc.grammar.rule_names import rule_of
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import GrammarSubject, Subject

UNPRODUCTIVE, UNUSED = "ML009", "ML010"


def find_unproductive(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each production with a symbol that derives nothing."""
    for production in subject.grammar.bnf.productions:
        if production in subject.reduced.productions:
            continue
        empty = [
            subject.name_rule(-1 - s)
            for s in production.rhs
            if s < 0 and not _is_productive(subject, -1 - s)
        ]
        if not empty:
            continue  # reached through such a production only
        yield Finding(
            UNPRODUCTIVE,
            Severity.ERROR,
            subject.place_of_rule(production.lhs),
            f"{subject.format(production)} is in no text: {', '.join(empty)} never ends",
            None,
            f"give {empty[0]} an alternative that does not need itself",
        )


def find_never_completed(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each production of texts that no row of Lark's table reduces."""
    grammar = subject.grammar
    reduced = {p for row in grammar.lalr.states for p in row.reduces.values()}
    for number, production in enumerate(grammar.bnf.productions):
        if production in subject.reduced.productions and number not in reduced:
            yield Finding(
                UNPRODUCTIVE,
                Severity.ERROR,
                subject.place_of_rule(production.lhs),
                f"{subject.format(production)} is never completed: wherever it could be, Lark "
                "resolved a conflict against it",
                None,
                "remove it, or let one terminal decide between it and what goes on",
            )


def _is_productive(subject: GrammarSubject, nonterminal: int) -> bool:
    grammar = subject.grammar
    alone = reduce_productions(
        grammar.bnf.terminals, grammar.bnf.nonterminals, nonterminal, grammar.bnf.productions
    )
    return bool(alone.productions)


def find_unused(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each rule and terminal that the text defines and nothing needs."""
    grammar = subject.grammar
    if subject.source.translation is not None:
        return  # what other notations leave out is theirs to say
    rules = {rule_of(name) for name in grammar.bnf.nonterminals}
    for definition in subject.definitions.values():
        kind = "terminal" if definition.name.isupper() else "rule"
        if kind == "rule":
            is_used = definition.name in rules
        else:
            # A terminal that others are made of is in none of Lark's tables.
            is_used = definition.is_used or definition.name in grammar.bnf.terminals
        if is_used:
            continue
        yield Finding(
            UNUSED,
            Severity.WARNING,
            Place(kind, definition.name, definition.line),
            f"{kind} {definition.name} is never reached from the start, and Lark leaves it out",
            None,
            "remove it, or use it where it belongs",
        )
