"""The rows of a refined LALR table, as dicts and lists that are made when they are first asked for.

A *refined state* is an LALR state split by what can be below it on the stack, so that it names the
lookaheads that lead to an end (:mod:`maskc.compiler.lalr.refine`). Every method returns a shared
object that must not be changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maskc.artifact.model import Contents
from maskc.ids import (
    ContextId,
    LalrStateId,
    LayoutContextId,
    NonterminalId,
    ProductionId,
    RefinedStateId,
    TerminalId,
)
from maskc.runtime.scanner import Lookaheads, to_bit_sets, view_numbers


@dataclass(frozen=True, slots=True)
class Layout:
    """Lark's ``Indenter``, in numbers."""

    newline: TerminalId  # the terminal of a line's end, with the blanks of the next line
    # indent, dedent: the terminals of a block's begin and end
    indent: TerminalId
    dedent: TerminalId
    tab_len: int  # columns that a tabulator adds
    dedent_at_end: int  # the lookahead of a dedent that the end of the text brings, as a bit set


def read_layout(header: dict[str, Any]) -> Layout:
    """Return the layout that a checked header describes."""
    return Layout(
        header["newline"],
        header["indent"],
        header["dedent"],
        header["tab_len"],
        1 << int(header["dedent_at_end"]),
    )


class LalrTables:
    """The parser of one artifact."""

    def __init__(self, contents: Contents, lookaheads: Lookaheads) -> None:
        header, arrays = contents.header, contents.arrays
        # the terminals of the indentation, None without one
        self.layout: Layout | None = read_layout(header["layout"]) if header["layout"] else None
        # refined state → LALR state
        self.lalr_state: list[LalrStateId] = arrays["lalr_state"].tolist()
        self.n_states = len(self.lalr_state)  # how many refined states there are
        # refined state → 1 between brackets, where lines and columns do not count
        self.enclosed: list[int] = arrays["enclosed"].tolist()
        context = arrays["lalr_context"][arrays["lalr_state"]]
        n_contexts = arrays["scanner_enter"].shape[1]
        # refined state → number of the set of terminals that the lexer may look for
        self.context: list[ContextId] = context.tolist()
        # refined state → context and enclosed in one number; see Lookaheads.after
        self.layout_context: list[LayoutContextId] = (
            context + n_contexts * arrays["enclosed"]
        ).tolist()
        # production_lhs, production_length: of each production
        self.production_lhs: list[NonterminalId] = arrays["production_lhs"].tolist()
        self.production_length: list[int] = arrays["production_length"].tolist()
        self._shift_first: list[int] = arrays["shift_first"].tolist()
        self._shift_terminal: list[TerminalId] = arrays["shift_terminal"].tolist()
        self._shift_state: list[RefinedStateId] = arrays["shift_state"].tolist()
        self._goto_first: list[int] = arrays["goto_first"].tolist()
        self._goto_nonterminal: list[NonterminalId] = arrays["goto_nonterminal"].tolist()
        self._goto_state: list[RefinedStateId] = arrays["goto_state"].tolist()
        self._reduce_first: list[int] = arrays["reduce_first"].tolist()
        self._reduce_production: list[ProductionId] = arrays["reduce_production"].tolist()
        self._reduce_set = view_numbers(arrays["reduce_set"])
        self._reduce_set_first = view_numbers(arrays["reduce_set_first"])
        self._reduce_set_terminal = view_numbers(arrays["reduce_set_terminal"])
        self._shifts: list[dict[TerminalId, RefinedStateId] | None] = [None] * self.n_states
        self._gotos: list[dict[NonterminalId, RefinedStateId] | None] = [None] * self.n_states
        self._reduces: list[dict[TerminalId, ProductionId] | None] = [None] * len(
            arrays["lalr_context"]
        )
        # refined state → the lookaheads that a stack with this state on top can go on with
        self.taken = to_bit_sets(arrays["live"])
        ends = lookaheads.end | (self.layout.dedent_at_end if self.layout else 0)
        taken = zip(self._shift_terminal, self._shift_state, strict=True)
        # terminals after which some stack lets the text end
        self.may_end = frozenset(t for t, state in taken if self.taken[state] & ends)

    def shifts(self, state: RefinedStateId) -> dict[TerminalId, RefinedStateId]:
        """Return terminal → refined state."""
        row = self._shifts[state]
        if row is None:
            low, high = self._shift_first[state : state + 2]
            row = self._shifts[state] = dict(
                zip(self._shift_terminal[low:high], self._shift_state[low:high], strict=True)
            )
        return row

    def gotos(self, state: RefinedStateId) -> dict[NonterminalId, RefinedStateId]:
        """Return nonterminal → refined state."""
        row = self._gotos[state]
        if row is None:
            low, high = self._goto_first[state : state + 2]
            row = self._gotos[state] = dict(
                zip(self._goto_nonterminal[low:high], self._goto_state[low:high], strict=True)
            )
        return row

    def reduces(self, lalr_state: LalrStateId) -> dict[TerminalId, ProductionId]:
        """Return terminal → production, of an LALR state: its refined states reduce alike."""
        row = self._reduces[lalr_state]
        if row is None:
            low, high = self._reduce_first[lalr_state], self._reduce_first[lalr_state + 1]
            row = {}
            for entry in range(low, high):
                number = self._reduce_set[entry]
                first, end = self._reduce_set_first[number], self._reduce_set_first[number + 1]
                production = self._reduce_production[entry]
                for terminal in self._reduce_set_terminal[first:end]:
                    row[terminal] = production
            # Only now: another thread that finds a row takes it for whole.
            self._reduces[lalr_state] = row
        return row
