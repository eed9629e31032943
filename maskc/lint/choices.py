"""Where did Lark choose between a shift and a reduction, and say nothing?

Where the next terminal can go on with a production and can also complete another, Lark shifts.
For a dangling ``else`` that is what the author means; elsewhere texts are lost that the productions
promise. Two reductions are chosen between by the author's own priorities, or Lark refuses: those
are noted as well.

Example: ``start: x "a"`` with ``x: "b" "a" | "b"``: an ``a`` after ``b`` goes on with ``x``.

The witness is a shortest text that brings the parser there, with the terminal in question. A cell
that no sequence was found for is still reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.ids import END, ROOT
from maskc.lint.derivations import Derivations
from maskc.lint.model import Finding, Severity
from maskc.lint.subject import Subject
from maskc.lint.texts import Texts
from maskc.parser.conflicts import Conflict

CODE = "ML006"


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
            CODE,
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
