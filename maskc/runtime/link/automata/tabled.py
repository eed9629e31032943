"""An automaton over bytes whose states are all known: as two tables, which can be sent and read.

States that read every byte alike are one column of the table. What comes from elsewhere is checked
where a wrong number would make a machine fail; that it is the right language is its sender's word.

Example: of ``a+`` the table has two states and two columns, for ``a`` and for all other bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.link.automata.automaton import START, ByteAutomaton

_NO_MOVE = -1
_DTYPES = {"byte_class": "uint8", "after": "int32", "accepting": "bool"}


class TabledAutomaton(ByteAutomaton[int]):
    """Reads what its tables say, which :func:`tabulate` made; ValueError if they are none.

    They are ``byte_class`` uint8[256], ``after`` int32[states, classes] with -1 for none,
    ``accepting`` bool[states].
    """

    def __init__(self, tables: Mapping[str, NDArray[Any]]) -> None:
        fault = _find_fault(tables)
        if fault:
            raise ValueError(fault)
        self._after, self._accepting = tables["after"], tables["accepting"]
        self._byte_class = tables["byte_class"]
        self.n_bytes = self._after.nbytes
        super().__init__(START)

    def find_moves(self, name: int) -> dict[int, int]:
        row = self._after[name][self._byte_class]
        read = np.flatnonzero(row >= 0)
        return dict(zip(read.tolist(), row[read].tolist(), strict=True))

    def is_accepting(self, name: int) -> bool:
        return bool(self._accepting[name])


def tabulate(automaton: ByteAutomaton[Any], most: int) -> dict[str, NDArray[Any]] | None:
    """Return the tables of an automaton, ``None`` if it has more than ``most`` states."""
    rows: list[NDArray[np.int32]] = []
    while len(rows) < automaton.n_states:
        if automaton.n_states > most:
            return None
        row = np.full(256, _NO_MOVE, dtype=np.int32)
        moves = automaton.moves(len(rows))
        row[list(moves)] = list(moves.values())
        rows.append(row)
    whole = np.array(rows)
    numbers: dict[bytes, int] = {}
    byte_class = [numbers.setdefault(whole[:, byte].tobytes(), len(numbers)) for byte in range(256)]
    chosen = [byte_class.index(number) for number in range(len(numbers))]
    return {
        "byte_class": np.array(byte_class, dtype=np.uint8),
        "after": np.ascontiguousarray(whole[:, chosen]),
        "accepting": np.array([automaton.accepts(state) for state in range(len(rows))]),
    }


def _find_fault(tables: Mapping[str, NDArray[Any]]) -> str | None:
    """Return what is wrong with the tables, ``None`` if nothing is."""
    if {name: table.dtype.name for name, table in tables.items()} != _DTYPES:
        return "the tables of an automaton are of other types, or too many"
    byte_class, after, accepting = (tables[name] for name in _DTYPES)
    n_states = len(accepting)
    if byte_class.shape != (256,) or after.ndim != 2 or after.shape[0] != n_states:
        return "the tables of an automaton do not fit each other"
    if not n_states or accepting.ndim != 1 or int(byte_class.max()) >= after.shape[1]:
        return "an automaton has no states, or too few columns"
    if int(after.min()) < _NO_MOVE or int(after.max()) >= n_states:
        return "an automaton leads to a state that is not there"
    return None
