"""To which hypotheses of an LALR grammar do the tokens lead? In the scanner's tables, all at once.

A token's way is a scanner state and a *slot*, which is a stack, the open blocks and the column.
Inside of a lexeme the scanner's table says how it goes on, whatever the slot. Where a lexeme ends,
one row for each slot and each set of ends says where every byte leads: so the parser is asked once
for all states that end alike. What forks, and newlines that count columns, go one by one.

Example: in python the names ``i``, ``in`` and ``xyz`` may end as different terminals, and all that
are a NAME and nothing else share a row.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.pieces import read_rows
from maskc.ids import DEAD, ENDS, FORKS, NO_LINE, BoundaryId, ContextId, ScannerStateId
from maskc.runtime.budget.completions import Completions
from maskc.runtime.budget.reach import Reach
from maskc.runtime.effort import spend, spend_at_once
from maskc.runtime.lalr.hypothesis import Hypotheses, Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.machine import Machine
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

_ALONE: Final = -1  # in an entry: this byte is looked at by itself
_ROW_STEPS: Final = 20
_SLOT_BYTES, _SET_BYTES = 300, 400
# A scanner state and a slot; or ``n_states`` and the number of a set of such pairs.
Pair = tuple[int, int]


class LalrReach(Reach):
    """Where tokens lead, for the hypotheses of one LALR machine.

    Args:
        machine: the machine.
        completions: of its texts.
        index: the tokens.
    """

    def __init__(self, machine: LalrMachine, completions: Completions, index: TokenIndex) -> None:
        super().__init__(machine, completions, index)
        self._lalr, self._scanner = machine, machine.scanner
        self._n_states = machine.scanner.n_states
        self._class_of = np.array([self._scanner.byte_classes[b[0]] for b in self._firsts])
        self._make_moves()
        self._counts = np.array([*machine.counts_columns, False])
        self._slots: list[tuple[Stack, tuple[int, ...], int]] = []
        self._slot_of: dict[tuple[int, tuple[int, ...], int], int] = {}
        self._sets: list[tuple[Pair, ...]] = []
        self._set_of: dict[tuple[Pair, ...], int] = {}
        self._numbers: dict[Pair, int] = {}
        self._row_of: dict[tuple[int, int], int] = {}  # by slot and ends
        # Of each row, for each end: the entry, 0 if the parser refuses it, and the slot after it.
        n_ends = max(len(machine.scanner.ends(ScannerStateId(s))) for s in range(self._n_states))
        self._rows: Ints = np.zeros((64, 2, max(1, n_ends)), dtype=np.int32)
        self._entry_of: dict[tuple[BoundaryId, ContextId], int] = {}
        self._entries: Ints = np.zeros((16, self._width), dtype=np.int32)
        self._alone: dict[tuple[int, int, int], Pair] = {}  # by state, slot and column of the table

    def _make_moves(self) -> None:
        """Make the table of where bytes lead: a state, or what else there is to do."""
        scanner, number = self._scanner, dict[Any, int]()
        following = read_rows(scanner.arrays, "scanner_next").astype(np.int32)
        ends = [scanner.ends(ScannerStateId(state)) for state in range(self._n_states)]
        self._ends_of: Ints = np.array(
            [number.setdefault(each, len(number)) for each in ends], dtype=np.int32
        )
        entries = read_rows(scanner.arrays, "scanner_entries").astype(np.bool_)
        may_enter = np.zeros((len(number), following.shape[1]), dtype=np.bool_)
        for found, at in number.items():
            for boundary in {boundary for _, boundary in found}:
                numbers = np.unique(scanner.arrays["scanner_enter"][boundary])
                may_enter[at] |= entries[numbers].any(axis=0)
        enters = may_enter[self._ends_of]
        codes = np.where(enters, np.where(following > 0, FORKS, ENDS), following)
        # Sets are as a state after all others.
        self._moves: Ints = np.concatenate([codes, np.full_like(codes[:1], FORKS)])

    def follow(self, hypotheses: Hypotheses, is_text: NDArray[np.bool_]) -> Ints:
        """Return of each token the number of where it leads; see the base class."""
        state, slot = (np.zeros(len(self._columns), dtype=np.int32) for _ in range(2))
        state[0], slot[0] = self._join([(h.state, self._slot(h)) for h in hypotheses])
        parents = self._trie.parent_array
        for nodes in self._list_levels(is_text):
            above, columns = parents[nodes], self._columns[nodes]
            state[nodes], slot[nodes] = self._step(state[above], slot[above], columns)
        at = self._node_of[is_text]
        state, slot = state[at], slot[at]
        is_dead = state == DEAD
        slot[is_dead] = 0
        width = self._n_states + 1
        used, slots = np.unique(slot, return_inverse=True) if len(slot) < 1_000 else _spread(slot)
        spend_at_once(len(used) * width)
        key = slots * width + state
        present = np.flatnonzero(np.bincount(key, minlength=1))
        number_of = np.zeros(len(used) * width, dtype=np.int32)
        for place in present.tolist():
            where, own = divmod(place, width)
            number_of[place] = self._find_number(own, int(used[where])) if own else 0
        found = np.zeros(len(is_text), dtype=np.int32)
        found[is_text] = number_of[key]
        return found

    def _find_number(self, state: int, slot: int) -> int:
        found = self._numbers.get((state, slot))
        if found is None:
            pairs = self._sets[slot] if state == self._n_states else ((state, slot),)
            here = tuple(self._hypothesis(*pair) for pair in pairs)
            found = self._numbers[state, slot] = self.number(here)
        return found

    def _step(self, state: Ints, slot: Ints, columns: NDArray[Any]) -> tuple[Ints, Ints]:
        """Return where bytes lead; ``slot`` may be changed."""
        spend_at_once(len(state) // 2)
        code = self._moves[state, self._class_of[columns]]
        ending = np.flatnonzero(code == ENDS)
        alone = np.flatnonzero((code == FORKS) | self._counts[code])
        if len(ending):
            code[ending], slot[ending] = self._enter(state[ending], slot[ending], columns[ending])
            alone = np.concatenate([alone, ending[code[ending] == _ALONE]])
        if len(alone):
            keys = (slot[alone].astype(np.int64) * len(self._moves) + state[alone]) * self._width
            keys += columns[alone]
            _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
            asked = [each[alone[firsts]].tolist() for each in (state, slot, columns)]
            pairs = [self._go_alone(*each) for each in zip(*asked, strict=True)]
            code[alone], slot[alone] = np.array(pairs, dtype=np.int32)[inverse].T
        return code, slot

    def _enter(self, state: Ints, slot: Ints, columns: NDArray[Any]) -> tuple[Ints, Ints]:
        """Return where bytes lead that end a lexeme; ``_ALONE``: they are looked at one by one."""
        keys = slot.astype(np.int64) * len(self._moves) + self._ends_of[state]
        _, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
        asked = zip(slot[firsts].tolist(), state[firsts].tolist(), strict=True)
        numbers = np.array([self._row(*pair) for pair in asked])
        rows = self._rows[numbers[inverse]]
        found, after = np.zeros_like(state), slot
        for entries, afters in zip(rows[:, 0].T, rows[:, 1].T, strict=True):
            entered = self._entries[entries, columns]
            is_alone = (entered == _ALONE) | ((entered != DEAD) & (found != DEAD))
            found = np.where(entered == DEAD, found, np.where(is_alone, _ALONE, entered))
            after = np.where(entered == DEAD, after, afters)
        return found, np.where(found == _ALONE, slot, after)

    def _row(self, slot: int, state: int) -> int:
        """Return the number of the row of what the end of a lexeme leaves."""
        key = (slot, int(self._ends_of[state]))
        if key not in self._row_of:
            spend(_ROW_STEPS)
            number = self._row_of[key] = len(self._row_of)
            if number >= len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            machine, (stack, indents, column) = self._lalr, self._slots[slot]
            ends = self._scanner.ends(ScannerStateId(state))
            for at, (terminal, boundary) in enumerate(ends):
                ended = machine.lexemes.end(stack, indents, terminal, column, ReadSet(0))
                if ended is not None:
                    entry = self._entry(boundary, machine.tables.context[ended[0].state])
                    after = self._slot(Hypothesis(ScannerStateId(0), *ended, NO_LINE))
                    self._rows[number, :, at] = entry, after
        return self._row_of[key]

    def _entry(self, boundary: BoundaryId, context: ContextId) -> int:
        """Return the number of the row of states that the first byte of a lexeme leads to."""
        key = (boundary, context)
        if key not in self._entry_of:
            number = self._entry_of[key] = 1 + len(self._entry_of)
            if number >= len(self._entries):
                self._entries = np.concatenate([self._entries, np.zeros_like(self._entries)])
            entry = np.array(self._scanner.entry(boundary, context), dtype=np.int32)
            self._entries[number] = np.where(self._counts[entry], _ALONE, entry)[self._class_of]
        return self._entry_of[key]

    def _go_alone(self, state: int, slot: int, column: int) -> Pair:
        """Return where one byte leads: of a set, of what forks, or of a newline that counts."""
        key = (state, slot, column)
        known = self._alone.get(key)
        if known is None:
            pairs = self._sets[slot] if state == self._n_states else ((state, slot),)
            here = tuple(self._hypothesis(*pair) for pair in pairs)
            spend(_ROW_STEPS)
            found = self._lalr.step(here, self._firsts[column])
            known = self._alone[key] = self._join([(h.state, self._slot(h)) for h in found])
        return known

    def _join(self, pairs: list[Pair]) -> Pair:
        """Return one pair, or the number of a set of them."""
        if len(pairs) == 1:
            return pairs[0]
        if not pairs:
            return (DEAD, 0)
        key = tuple(sorted(set(pairs)))
        if key not in self._set_of:
            self._set_of[key] = len(self._sets)
            self._sets.append(key)
        return (self._n_states, self._set_of[key])

    def _hypothesis(self, state: int, slot: int) -> Hypothesis:
        return Hypothesis(ScannerStateId(state), *self._slots[slot])

    def _slot(self, h: Hypothesis) -> int:
        key = (self._lalr.stack_numbers.number(h.stack), h.indents, h.column)
        if key not in self._slot_of:
            self._slot_of[key] = len(self._slots)
            self._slots.append((h.stack, h.indents, h.column))
        return self._slot_of[key]

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        n_bytes = _SLOT_BYTES * (len(self._slots) + len(self._row_of) + len(self._numbers))
        n_bytes += _SET_BYTES * (len(self._sets) + len(self._alone) + len(self.hypotheses))
        return n_bytes + self._rows.nbytes + self._entries.nbytes + self._moves.nbytes


def _spread(values: Ints) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct values, in order, and for each value its place among them."""
    used = np.flatnonzero(np.bincount(values))
    place_of = np.zeros(used[-1] + 1, dtype=np.int64)
    place_of[used] = np.arange(len(used))
    return used, place_of[values]


def open_reach(machine: Machine[Any], completions: Completions, index: TokenIndex) -> Reach:
    """Return where the tokens of a machine's texts lead."""
    kind = LalrReach if isinstance(machine, LalrMachine) else Reach
    return kind(machine, completions, index)  # type: ignore[arg-type]  # of its kind
