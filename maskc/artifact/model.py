"""What an artifact holds: a header and named arrays, and what must be true of them.

The runtime indexes these arrays without further checks, so everything it may index with is checked
here, once, and by :mod:`maskc.artifact.sections`. Arrays fit together, beyond the range of each
number: what the runtime reads in one array it takes to another, and what it repeats must come to an
end. Whatever the bytes of a file are, one that passes never makes it raise, loop, or read outside:

* queries lead to nodes before the one that makes them, so answers are found in an order;
* state 0 is never pushed, so it is the bottom of every stack and of nothing else: what was read of
  one stack is there in each that agrees with it so far;
* what belongs to indentation is there iff there is indentation;
* columns repeat, with periods inside what is listed;
* a node has as many answers as its list has profiles;
* no mask has a token beyond the vocabulary, and each is read in a few steps.

What would take too long to prove at load, the runtime bounds, for any tables: reductions that go
in cycles, readings and queries without end (:mod:`maskc.runtime.lalr`,
:mod:`maskc.runtime.lalr.debts`), and a node without an answer allows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.sections import (
    ANY,
    EXAMPLES,
    LALR_SECTIONS,
    PIECE,
    ArraySpec,
    is_general,
    is_grammar,
    sections_of,
)
from maskc.ids import IGNORED, NO_EVENT, NO_LINE, NO_PARENT, SAME

FORMAT = 9

# What is asked of the parser for one mask, at most: compiling ends there, and so does a fill that
# follows a graph that somebody else made. Grammars of programming languages need less than 100.
MAX_QUERIES = 1 << 16

# Of a mask, one after the other: what it takes to read one.
MAX_PARENTS: Final = 12

_Arrays = Mapping[str, NDArray[Any]]


def column_after(before: int, change: int) -> int:
    """Return the column after a change that was recorded relative to the token's start.

    >>> column_after(4, 8), column_after(4, SAME - 2), column_after(4, NO_LINE)
    (8, 6, -1)
    """
    if change > SAME:
        return change
    return before if before == NO_LINE else before + SAME - change


def narrow(values: NDArray[Any]) -> NDArray[np.uint16] | NDArray[np.uint32]:
    """Return numbers as uint16 if all fit, else as uint32: a section with a ``wide`` dtype.

    Raises:
        ValueError: one does not fit either: NumPy's ``astype`` would drop its upper bits.

    >>> narrow(np.array([1, 65_535])).dtype, narrow(np.array([1, 65_536])).dtype
    (dtype('uint16'), dtype('uint32'))
    """
    if values.size and not 0 <= int(values.min()) <= int(values.max()) < 1 << 32:
        raise ValueError(f"{values.min()} … {values.max()} do not fit into 32 bits")
    if values.size and int(values.max()) >= 1 << 16:
        return values.astype(np.uint32)
    return values.astype(np.uint16)


def fit(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return arrays of sections in the narrower of their dtypes, if it holds them."""
    return {name: _fit(LALR_SECTIONS[name], array) for name, array in arrays.items()}


def _fit(section: ArraySpec, array: NDArray[Any]) -> NDArray[Any]:
    if section.wide is None:
        return array
    if section.dtype == "uint16":
        return narrow(array)
    least, most = np.iinfo(np.int16).min, np.iinfo(np.int16).max
    fits = not array.size or least <= int(array.min()) <= int(array.max()) <= most
    return array.astype(np.int16 if fits else np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """An artifact in memory: see :mod:`maskc.artifact.sections`."""

    header: dict[str, Any]  # what maskc.compiler.emit.assemble.assemble wrote
    arrays: Mapping[str, NDArray[Any]]  # by section name
    # what some arrays say, as it was made in this process: who opens the artifact takes it out of
    # the list, and reads the arrays if it is empty
    made: list[Any] = field(default_factory=list)


def check(contents: Contents) -> str | None:
    """Return what is wrong with the contents, ``None`` if nothing is."""
    arrays, sections = contents.arrays, sections_of(contents.header)
    if set(arrays) != set(sections):
        return check_shapes(arrays, sections, {})
    sizes = _constants(contents.header)
    if sizes is None:
        return "the header lacks its sizes"
    is_lalr = is_grammar(contents.header) and not is_general(contents.header)
    if is_lalr != ("layout" in contents.header):
        return f"the header {'lacks its' if is_lalr else 'has a'} layout"
    fault = check_shapes(arrays, sections, sizes)
    if fault:
        return fault
    if "KP" in sizes:
        sizes["K"] = PIECE * sizes["KP"]
    for name, dim in (("general_taken", "G"), ("lalr_state", "R"), ("token_first", "V")):
        if sizes.get(dim) == 0:
            return f"section {name} has no {dim}"
    fault = check_values(arrays, sections, sizes)
    if fault:
        return fault
    if not is_grammar(contents.header):
        n_examples = len(arrays.get("example_first", (0,))) - 1
        told = contents.header.get(EXAMPLES, 0)
        is_right = type(told) is int and told == n_examples
        return None if is_right else "the header does not say how many examples there are"
    roots = arrays["root_terminal"]
    if ((roots < IGNORED) & (roots != NO_EVENT)).any():
        return "section root_terminal has a value that is not a terminal"
    table = "general_" if is_general(contents.header) else ""
    for name in (f"{table}shift_state", f"{table}goto_state"):
        if not arrays[name].all():
            return f"section {name} pushes the state at the bottom"
    fault = check_relations(arrays, n_tokens=sizes["V"])
    if fault or is_general(contents.header):
        return fault
    return check_layout(arrays, has_layout=bool(contents.header["layout"]))


def check_shapes(
    arrays: Mapping[str, NDArray[Any]], sections: Mapping[str, ArraySpec], sizes: dict[str, int]
) -> str | None:
    """Return what is wrong with names, dtypes and dimensions of arrays, ``None`` if nothing is."""
    if set(arrays) != set(sections):
        odd = sorted(set(arrays) ^ set(sections))
        return f"section {odd[0]} is {'unknown' if odd[0] in arrays else 'missing'}"
    for name, section in sections.items():
        array = arrays[name]
        fits = array.dtype.name in {section.dtype, section.wide}
        if not fits or array.ndim != len(section.dims):
            return f"section {name} is {array.dtype.name}, {array.ndim}-dimensional"
        for dim, length in zip(section.dims, array.shape, strict=True):
            if _bind(sizes, dim, length) != length:
                return f"section {name} has {length} instead of {_bind(sizes, dim, length)} {dim}"
    return None


def check_values(
    arrays: Mapping[str, NDArray[Any]], sections: Mapping[str, ArraySpec], sizes: dict[str, int]
) -> str | None:
    """Return which values are outside of their section's range, ``None`` if none are."""
    for name, section in sections.items():
        fault = _check_values(name, section, arrays, sizes)
        if fault:
            return fault
    return None


def _constants(header: dict[str, Any]) -> dict[str, int] | None:
    sizes = header.get("sizes")
    if not isinstance(sizes, dict) or not all(
        isinstance(k, str) and type(v) is int and 0 <= v < 1 << 31 for k, v in sizes.items()
    ):
        return None
    needed = {"V", "C", "T", "N", "M"} if is_grammar(header) else {"V"}
    if not needed <= set(sizes):
        return None
    fixed = {key: int(sizes[key]) for key in sorted(needed)}
    if not is_grammar(header):
        return fixed
    if "GN" in sizes:
        fixed["GN"] = int(sizes["GN"])
    # Layout contexts: with indentation each context has a second one, between brackets.
    fixed["D"] = fixed["C"] * (2 if header.get("layout") else 1)
    fixed["W"] = max(1, -(-fixed["M"] // 64))
    fixed["CW"] = max(1, -(-fixed["C"] // 64))
    fixed["VW"] = -(-fixed["V"] // 32)
    return fixed


def _bind(sizes: dict[str, int], dim: str, length: int) -> int:
    """Return the length that a dimension must have; an unknown letter takes ``length``."""
    if dim.isdigit():
        return int(dim)
    names = [part for part in dim.split("+") if not part.isdigit()]
    extra = sum(int(part) for part in dim.split("+") if part.isdigit())
    unknown = [name for name in names if name not in sizes]
    if len(unknown) == 1 and len(names) == 1:
        sizes[unknown[0]] = length - extra
    return sum(sizes.get(name, 0) for name in names) + extra


def _check_values(
    name: str, section: ArraySpec, arrays: Mapping[str, NDArray[Any]], sizes: dict[str, int]
) -> str | None:
    array = arrays[name]
    if section.offsets is not None:
        if not len(array) or array[0] != 0 or (array[1:] < array[:-1]).any():
            return f"section {name} does not ascend from 0"
        if array[-1] != len(arrays[section.offsets]):
            return f"section {name} ends at {array[-1]}, not at the end of {section.offsets}"
        return None
    if not array.size or array.dtype == np.uint64:
        return None
    if array.dtype.kind == "i" and section.least > ANY and array.min() < section.least:
        return f"section {name} has a value below {section.least}"
    if section.below is not None and array.max() >= _bind(sizes, section.below, 0):
        return f"section {name} has the value {array.max()}, outside {section.below}"
    return None


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


def examples_of(contents: Contents) -> Iterator[list[int]]:
    """Yield the token ids of each example text of an artifact that has been checked."""
    if EXAMPLES in contents.header:
        first, tokens = contents.arrays["example_first"], contents.arrays["example_tokens"]
        for start, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            yield tokens[start:end].tolist()
