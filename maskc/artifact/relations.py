"""Checks that an artifact's arrays fit together, beyond the range of each number.

What the runtime reads in one array it takes to another, and what it repeats must come to an end.
Whatever the bytes of a file are, one that passes never makes it raise, loop, or read outside:

* queries lead to nodes before the one that makes them, so answers are found in an order;
* state 0 is never pushed, so it is the bottom of every stack and of nothing else: what was read of
  one stack is there in each that agrees with it so far;
* what belongs to indentation is there iff there is indentation;
* columns repeat, with periods inside what is listed;
* a node has as many answers as its list has profiles;
* no mask has a token beyond the vocabulary, and each is read in a few steps.

What would take too long to prove at load, the runtime bounds, for any tables: reductions that go
in cycles, readings and queries without end (:mod:`maskc.runtime.lalr.stepping`,
:mod:`maskc.runtime.lalr.debts`), and a node without an answer allows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.ids import NO_PARENT

# Of a mask, one after the other: what it takes to read one.
MAX_PARENTS: Final = 12

_Arrays = Mapping[str, NDArray[Any]]


def check_relations(arrays: _Arrays, *, n_tokens: int) -> str | None:
    """Return what is wrong between arrays of any grammar whose values are in their ranges."""
    return (
        _check_answers(arrays)
        or _check_descent(arrays)
        or check_parents(arrays)
        or _check_padding(arrays, n_tokens)
    )


def check_layout(arrays: _Arrays, *, has_layout: bool) -> str | None:
    """Return what is wrong between an LALR grammar's arrays about indentation."""
    return _check_newlines(arrays, has_layout=has_layout) or _check_columns(arrays)


def check_ends(arrays: _Arrays, eos_ids: Sequence[int]) -> str | None:
    """Return what is wrong between a vocabulary and its end-of-sequence ids, which are in it."""
    if (np.diff(arrays["token_first"])[list(eos_ids)] > 0).any():
        return "the header's end-of-sequence ids are tokens that write text"
    return None


def check_parents(arrays: _Arrays) -> str | None:
    """Return what is wrong with the parents of unions, whose numbers are in their range."""
    parent, base = arrays["union_parent"], arrays["union_base"]
    child = np.flatnonzero(parent >= 0)
    if (base[parent[child]] != base[child]).any():
        return "section union_parent has a parent with another base"
    ancestor = parent
    for _ in range(MAX_PARENTS):
        # A union without a parent has none of those before it either.
        ancestor = np.where(ancestor < 0, NO_PARENT, parent[ancestor])
    if (ancestor >= 0).any():
        return f"section union_parent has more than {MAX_PARENTS} parents of a mask"
    return None


def _check_answers(arrays: _Arrays) -> str | None:
    n_profiles = np.diff(arrays["profiles_first"])[arrays["node_profiles"]]
    if (np.diff(arrays["node_first"]) != n_profiles).any():
        return "section node_profiles has a list of another length than the answers"
    return None


def _check_descent(arrays: _Arrays) -> str | None:
    first = arrays["question_first"]
    deepest = np.full(len(first) - 1, -1, dtype=np.int32)
    with_queries = np.flatnonzero(np.diff(first))
    if len(with_queries):
        deepest[with_queries] = np.maximum.reduceat(arrays["question_node"], first[with_queries])
    node = np.repeat(np.arange(len(arrays["node_first"]) - 1), np.diff(arrays["node_first"]))
    if (deepest[arrays["node_answer"]] >= node).any():
        return "section question_node goes in circles"
    return None


def _check_newlines(arrays: _Arrays, *, has_layout: bool) -> str | None:
    if not has_layout and (len(arrays["final_newline"]) or arrays["enclosed"].any()):
        return "there are newlines or brackets of an indentation that the header lacks"
    newlines = np.diff(arrays["final_newline_first"]) > 0
    if (newlines & (arrays["final_columns"] < 0)).any():
        return "section final_columns lacks the columns of a newline"
    return None


def _check_columns(arrays: _Arrays) -> str | None:
    lengths, periods = np.diff(arrays["column_first"]), arrays["column_period"]
    if len(periods) and (periods.min() < 1 or (periods.max(axis=1) > lengths).any()):
        return "section column_period has a period beyond its columns"
    return None


def _check_padding(arrays: _Arrays, n_tokens: int) -> str | None:
    n_last = n_tokens % 32
    if not n_last:
        return None
    # An arithmetic shift: all bits of tokens that there are not.
    beyond = np.int32(-1 << n_last)
    n_words = -(-n_tokens // 32)
    last = np.flatnonzero(arrays["change_word"] == n_words - 1)
    if (arrays["masks"][:, -1] & beyond).any() or (arrays["change_bits"][last] & beyond).any():
        return "a mask has a token beyond the vocabulary"
    return None
