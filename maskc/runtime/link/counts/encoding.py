"""How are words, sets of tokens and automata written in the plan of a link? As JSON, both ways.

Whoever reads a plan may have been sent it by anybody: each reader refuses what it cannot be.

Example: the word ``<a>`` with token 7 after it is ``["<a>", 7]``, and the tokens 1, 2 and 7 are
``[1, 3, 7, 8]``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.link.automata.tabled import TabledAutomaton
from maskc.runtime.link.joining.switching import ATOM, Word
from maskc.runtime.schema.plan.entries import PlanError

_MOST_CELLS = 1 << 24


def read_ranges(bounds: Sequence[int]) -> frozenset[int]:
    """Return the numbers in some ranges, each given by its first and one past its last.

    Raises:
        PlanError: they do not ascend.

    >>> sorted(read_ranges([1, 3, 7, 8]))
    [1, 2, 7]
    """
    if len(bounds) % 2 or any(low >= high for low, high in itertools.pairwise(bounds)):
        raise PlanError("ranges of the link do not ascend")
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return frozenset(n for low, high in pairs for n in range(low, high))


def write_ranges(numbers: frozenset[int]) -> list[int]:
    """Return numbers as :func:`read_ranges` reads them.

    >>> write_ranges(frozenset([1, 2, 7]))
    [1, 3, 7, 8]
    """
    bounds: list[int] = []
    for number in sorted(numbers):
        if bounds and bounds[-1] == number:
            bounds[-1] = number + 1
        else:
            bounds += [number, number + 1]
    return bounds


def write_word(word: Word) -> str | list[str | int]:
    """Return a word as the plan has it.

    >>> write_word((97, 98, 256 + 7, 99))
    ['ab', 7, 'c']
    """
    parts: list[str | int] = []
    for symbol in word:
        if symbol >= ATOM:
            parts.append(symbol - ATOM)
        elif parts and isinstance(parts[-1], str):
            parts[-1] += chr(symbol)
        else:
            parts.append(chr(symbol))
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts


def write_automaton(tables: Mapping[str, NDArray[Any]]) -> list[Any]:
    """Return the tables of an automaton, as ``tabulate`` makes them, as the plan has them."""
    rows = []
    for row in tables["after"]:
        read = np.flatnonzero(row >= 0)
        rows.append(np.stack([read, row[read]], axis=1).reshape(-1).tolist())
    accepting = np.flatnonzero(tables["accepting"]).tolist()
    return [tables["byte_class"].tolist(), rows, accepting]


def read_automaton(entry: Any) -> dict[str, NDArray[Any]]:
    """Return the tables of an automaton as :class:`TabledAutomaton` takes them.

    Raises:
        PlanError: they are none.
    """
    byte_class, rows, accepting = read_list(entry, 3)
    classes = [read_number(n, 256) for n in read_list(byte_class, 256)]
    n_classes, n_states = max(classes) + 1, len(read_list(rows))
    if not n_states:
        raise PlanError("an automaton of the link has no states")
    if n_states * n_classes > _MOST_CELLS:
        raise PlanError("an automaton of the link is too large")
    after = np.full((n_states, n_classes), -1, dtype=np.int32)
    for state, row in enumerate(rows):
        columns = [read_number(n, n_classes) for n in read_list(row)[::2]]
        targets = [read_number(n, n_states) for n in row[1::2]]
        if len(columns) != len(targets):
            raise PlanError("a row of an automaton of the link is cut off")
        after[state, columns] = targets
    ends = np.zeros(n_states, dtype=np.bool_)
    ends[[read_number(n, n_states) for n in read_list(accepting)]] = True
    tables: dict[str, NDArray[Any]] = {
        "byte_class": np.array(classes, dtype=np.uint8),
        "after": after,
        "accepting": ends,
    }
    try:
        TabledAutomaton(tables)
    except ValueError as error:
        raise PlanError(str(error)) from None
    return tables


def read_list(value: Any, n: int | None = None) -> list[Any]:
    """Return a list, of ``n`` entries if that is given; PlanError if it is none."""
    if not isinstance(value, list):
        raise PlanError("the link lacks a list")
    if n is not None and len(value) != n:
        raise PlanError(f"a list of the link has {len(value)} entries instead of {n}")
    return value


def read_number(value: Any, below: int, least: int = 0) -> int:
    """Return a number that is in a range; PlanError if it is not."""
    if type(value) is not int or not least <= value < below:
        raise PlanError(f"the link holds {str(value)[:40]}, outside {least} … {below - 1}")
    return value


def read_bytes(text: Any) -> bytes:
    """Return the bytes that a text has a character for each of; PlanError if it is none."""
    try:
        return text.encode("latin-1") if isinstance(text, str) else _refuse()
    except UnicodeEncodeError:
        return _refuse()


def _refuse() -> bytes:
    raise PlanError("a word of the link is no text of bytes")


def read_bits(listed: Any, n: int) -> int:
    """Return listed numbers as bits."""
    found = 0
    for number in read_list(listed):
        found |= 1 << read_number(number, n)
    return found


def ascends(words: Sequence[Any]) -> bool:
    """Return whether each word is more than the one before it."""
    return all(a < b for a, b in itertools.pairwise(words))
