"""Which rules, productions and texts does the parser lose?

- A production is *unproductive* (ML009) if a symbol of it derives no terminal sequence, or if no
  row of Lark's table reduces it: conflicts took them all. A rule or a terminal is *unused* (ML010)
  if the start symbol does not lead to it; Lark drops those silently, so the text is searched.
- A *choice* (ML006): where the next terminal can go on with a production and can also complete
  another, Lark shifts. For a dangling ``else`` that is meant; elsewhere texts are lost that the
  productions promise. The witness is a shortest text that brings the parser there.
- A *dead end* (ML004): no stack with this state on top can be finished, because Lark resolved a
  conflict by shifting, or the lexer cannot tell terminals apart. maskc never enters it, so what
  leads there is cut out of the language. Only the first dead state on a way is reported.

Example: ``start: x "a" "c" | "d"`` with ``x: "a" x | "a"``: another ``a`` is always part of ``x``,
so ``x`` is never completed, and only ``d`` is left.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.compiler.lalr.conflicts import Conflict
from maskc.grammar.rule_names import rule_of
from maskc.grammar.sets import reduce_productions
from maskc.ids import END, ROOT
from maskc.lint.derivations import Derivations
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import GrammarSubject, Subject
from maskc.lint.texts import Texts

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


CHOICE = "ML006"


def find_choices(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each reduction that a state gives up."""
    if not subject.conflicts:
        return
    derivations, texts = Derivations(subject.grammar), Texts(subject.grammar, subject.scanner)
    groups: dict[tuple[int, int, int | None], list[Conflict]] = {}
    for conflict in subject.conflicts:
        key = (conflict.state, conflict.dropped, conflict.taken)
        groups.setdefault(key, []).append(conflict)
    for (state, dropped, taken), conflicts in groups.items():
        terminals = [c.terminal for c in conflicts]
        production = subject.grammar.bnf.productions[dropped]
        instead = (
            f"goes on with {_going_on(subject, state, terminals[0])}"
            if taken is None
            else f"completes {subject.format(subject.grammar.bnf.productions[taken])}"
        )
        yield Finding(
            CHOICE,
            Severity.NOTE if taken is not None else Severity.WARNING,
            subject.place_of_rule(production.lhs),
            f"before {subject.list_names(terminals)}, Lark {instead} and never completes "
            f"{subject.format(production)}",
            _find_witness(derivations, texts, state, terminals),
            "nothing, if that is meant, as for a dangling else; else let the terminal come in one "
            "of the two only",
        )


def _going_on(subject: Subject, state: int, terminal: int) -> str:
    """Return the item that the shift goes on with: one that the state was made for."""
    grammar, item_sets = subject.grammar, subject.item_sets
    for production, dot in item_sets.kernels[state]:
        symbol = item_sets.next_symbol((production, dot))
        if production == ROOT or symbol is None:
            continue
        if symbol == terminal or (symbol < 0 and terminal in _begin(subject, state, -1 - symbol)):
            return subject.format_item(grammar.bnf.productions[production], dot)
    raise ValueError(f"state {state} does not shift {terminal}")


def _begin(subject: Subject, state: int, nonterminal: int) -> set[int]:
    """Return the terminals that a state shifts for a nonterminal of its closure."""
    item_sets = subject.item_sets
    found: set[int] = set()
    seen: set[int] = set()
    pending = [nonterminal]
    while pending:
        here = pending.pop()
        if here in seen:
            continue
        seen.add(here)
        for production in item_sets.closures[state].get(here, ()):
            symbol = item_sets.next_symbol((production, 0))
            if symbol is not None and symbol >= 0:
                found.add(symbol)
            elif symbol is not None:
                pending.append(-1 - symbol)
    return found


def _find_witness(
    derivations: Derivations, texts: Texts, state: int, terminals: list[int]
) -> str | None:
    for terminal in terminals:
        arrival = derivations.find_arrival(state, [terminal])
        if arrival:
            last = () if terminal == END else (terminal,)
            text = texts.find_text((*arrival.terminals, *last))
            if text is not None:
                return text
    return None


DEAD_END = "ML004"


def find_dead_ends(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each state that a live one leads to and no text leaves."""
    grammar, table = subject.grammar, subject.table
    if not table.live[0]:
        yield Finding(
            DEAD_END,
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
            DEAD_END,
            Severity.ERROR,
            subject.place_of_rule(production.lhs),
            f"after {name} in {subject.format_item(production, dot)} the end is never reached: "
            f"{cause}",
            texts.find_text(arrival.terminals) if arrival else None,
            "write the rule so that one terminal decides, for a list left-recursively: x: x A | A",
        )
