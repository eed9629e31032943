"""Rules, productions and texts that the parser loses.

- *Unproductive* (ML009): a symbol derives no terminal sequence, or no row of Lark's table reduces
  it. *Unused* (ML010): Lark drops what is not reached silently, so the text is searched.
- A *choice* (ML006): where the next terminal can go on with a production and can also complete
  another, Lark shifts. The witness is a shortest text that brings the parser there.
- A *dead end* (ML004): no stack with this state on top can be finished. maskc never enters it, so
  what leads there is cut out of the language. Only the first dead state on a way is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.compiler.lalr import Conflict, find_conflicts
from maskc.grammar import rule_of
from maskc.grammar.sets import find_derivable, find_reachable
from maskc.ids import END, ROOT
from maskc.lint import Finding, Severity, SourceLocation, find
from maskc.lint.subject import LintedGrammar, LintedLalrGrammar


def find_unproductive(subject: LintedGrammar) -> Iterator[Finding]:
    """Yield a finding for each production with a symbol that derives nothing."""
    productions = subject.grammar.bnf.productions
    productive = find_derivable((p.lhs, p.rhs) for p in productions)
    for production in productions:
        if production in subject.reduced.productions:
            continue
        lost = [-1 - s for s in production.rhs if s < 0 and -1 - s not in productive]
        if lost:  # else it is reached through such a production only
            empty = list(map(subject.name_rule, lost))
            yield find(
                "unproductive",
                subject.locate_rule(production.lhs),
                production=subject.format(production),
                empty=", ".join(empty),
                first=empty[0],
            )


def find_never_completed(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each production of texts that no row of Lark's table reduces."""
    grammar = subject.grammar
    reduced = {p for row in grammar.lalr.states for p in row.reduces.values()}
    for number, production in enumerate(grammar.bnf.productions):
        if production in subject.reduced.productions and number not in reduced:
            location = subject.locate_rule(production.lhs)
            yield find("never completed", location, production=subject.format(production))


def find_unused(subject: LintedGrammar) -> Iterator[Finding]:
    """Yield a finding for each rule and terminal that the text defines and nothing needs."""
    bnf = subject.grammar.bnf
    if subject.source.translation is not None:
        return  # what other notations leave out is theirs to say
    rules = {rule_of(name) for name in bnf.nonterminals}
    for name, definition in subject.definitions.items():
        # A terminal that others are made of is in none of Lark's tables.
        is_terminal = name.isupper()
        is_used = definition.is_used or name in bnf.terminals if is_terminal else name in rules
        if not is_used:
            kind = "terminal" if is_terminal else "rule"
            yield find("unused", SourceLocation(kind, name, definition.line), kind=kind, name=name)


def find_choices(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each reduction that a state gives up."""
    productions = subject.grammar.bnf.productions
    groups: dict[tuple[int, int, int | None], list[Conflict]] = {}
    for conflict in find_conflicts(subject.grammar):
        key = (conflict.state, conflict.dropped, conflict.taken)
        groups.setdefault(key, []).append(conflict)
    for (state, dropped, taken), conflicts in groups.items():
        terminals = [c.terminal for c in conflicts]
        yield find(
            "choice",
            subject.locate_rule(productions[dropped].lhs),
            _find_witness(subject, state, terminals),
            Severity.NOTE if taken is not None else None,
            terminals=subject.list_names(terminals),
            instead=f"goes on with {_going_on(subject, state, terminals[0])}"
            if taken is None
            else f"completes {subject.format(productions[taken])}",
            production=subject.format(productions[dropped]),
        )


def _going_on(subject: LintedLalrGrammar, state: int, terminal: int) -> str:
    """Return the item that the shift goes on with: one that the state was made for."""
    grammar, item_sets = subject.grammar, subject.language.item_sets
    for production, dot in item_sets.kernels[state]:
        symbol = item_sets.next_symbol((production, dot))
        if production == ROOT or symbol is None:
            continue
        if symbol == terminal or (symbol < 0 and terminal in _begin(subject, state, -1 - symbol)):
            return subject.format(grammar.bnf.productions[production], dot)
    raise ValueError(f"state {state} does not shift {terminal}")


def _begin(subject: LintedLalrGrammar, state: int, nonterminal: int) -> set[int]:
    item_sets = subject.language.item_sets
    right_sides, closure = item_sets.right_sides, item_sets.closures[state]

    def list_first(symbol: int) -> list[int]:
        begun = closure.get(-1 - symbol, ()) if symbol < 0 else ()
        return [right_sides[production][0] for production in begun if right_sides[production]]

    found = find_reachable([-1 - nonterminal], list_first)
    return {symbol for symbol in found if symbol >= 0}


def _find_witness(subject: LintedLalrGrammar, state: int, terminals: list[int]) -> str | None:
    for terminal in terminals:
        arrival = subject.witnesses.find_arrival(state, [terminal])
        if arrival:
            last = () if terminal == END else (terminal,)
            text = subject.witnesses.find_text((*arrival.terminals, *last))
            if text is not None:
                return text
    return None


def find_dead_ends(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each state that a live one leads to and no text leaves."""
    if subject.no_text is not None:
        fact, _, remedy = subject.no_text.rpartition("; ")
        if not fact:
            fact, remedy = remedy, "see the other findings; start with the errors"
        yield find("no text", SourceLocation("grammar", "", None), fact=fact, remedy=remedy)
        return
    grammar = subject.grammar
    live, useful = set(subject.language.table.lalr_state), set(subject.reduced.productions)
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
    for state, symbol in entered:
        items = [
            (grammar.bnf.productions[p], dot)
            for p, dot in subject.language.item_sets.kernels[state]
            if p != ROOT and grammar.bnf.productions[p] in useful
        ]
        if not items:
            continue
        production, dot = max(items, key=lambda item: len(item[0].rhs) - item[1])
        cause = (
            "the lexer cannot separate the terminals that could follow"
            if state in subject.table_without_lexer.lalr_state
            else "Lark resolved a conflict by shifting and dropped the only continuation"
        )
        row = grammar.lalr.states[state]
        arrival = subject.witnesses.find_arrival(state, [*row.shifts, *row.reduces])
        yield find(
            "dead end",
            subject.locate_rule(production.lhs),
            subject.witnesses.find_text(arrival.terminals) if arrival else None,
            name=subject.name_symbol(symbol),
            item=subject.format(production, dot),
            cause=cause,
        )
