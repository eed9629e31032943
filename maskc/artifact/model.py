"""What an artifact holds: a header and named arrays, and what must be true of them.

The runtime indexes these arrays without further checks, so everything it may index with is
checked here, once, when an artifact is made and when one is loaded: each array has the dtype
and the shape of the table, index arrays stay inside what they index, offset arrays ascend, and
arrays fit together as :mod:`maskc.artifact.relations` says.

Dimensions are named: ``V`` tokens, ``S`` scanner states, ``K`` byte classes, ``B`` boundaries,
``C`` contexts, ``D`` places (contexts outside of brackets and between them), ``T`` terminals,
``R`` refined states, ``L`` LALR states, ``P`` productions, ``N`` nonterminals, ``F`` finals,
``W`` 64-bit words of a set of lookaheads, ``VW`` 32-bit words of a mask; other names stand for
lengths that only have to agree between arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.relations import check_relations
from maskc.ids import ANY_PROFILE, EMPTY_TEXT, IGNORED, NO_BASE, NO_EVENT

FORMAT = 5

# What is asked of the parser for one mask, at most: compiling ends there, and so does a fill that
# follows a graph that somebody else made. Grammars of programming languages need less than 100.
MAX_QUESTIONS = 1 << 16


# Columns of an open newline lexeme, as far as one token knows.
NO_LINE = -1  # no line break in the lexeme yet
SAME = -2  # what it was before the token; SAME - d is d columns more


def column_after(before: int, change: int) -> int:
    """Return the column after a change that was recorded relative to the token's start.

    >>> column_after(4, 8), column_after(4, SAME - 2), column_after(4, NO_LINE)
    (8, 6, -1)
    """
    if change > SAME:
        return change
    return before if before == NO_LINE else before + SAME - change


@dataclass(frozen=True, slots=True)
class Section:
    """One array: dtype, dimensions, and the range of its values.

    Attributes:
        dtype: NumPy's name for it.
        dims: a dimension each; ``X+1`` is one more than ``X``.
        below: values are less than this dimension; ``None`` if they are no index.
        least: the smallest value allowed.
        offsets: values ascend from 0 to the length of this section.
        wide: the dtype where ``dtype`` is too narrow, ``None`` if it never is.
    """

    dtype: str
    dims: tuple[str, ...]
    below: str | None = None
    least: int = 0
    offsets: str | None = None
    wide: str | None = None


_ANY = -(1 << 31)  # bits that are no number

SECTIONS: dict[str, Section] = {
    "token_first": Section("int32", ("V+1",), offsets="token_bytes"),
    "token_bytes": Section("uint8", ("tb",)),
    "byte_class": Section("uint8", ("256",), below="K"),
    "scanner_next": Section("uint16", ("S", "K"), below="S", wide="uint32"),
    "scanner_entries": Section("uint16", ("se", "K"), below="S", wide="uint32"),
    "scanner_enter": Section("uint16", ("B", "C"), below="se", wide="uint32"),
    "scanner_end_of_text": Section("int32", ("S",), below="T", least=EMPTY_TEXT),
    "scanner_final": Section("int32", ("S",), below="F"),
    "end_first": Section("int32", ("S+1",), offsets="end_terminal"),
    "end_terminal": Section("int32", ("e",), below="T", least=IGNORED),
    "end_boundary": Section("int32", ("e",), below="B"),
    "final_direct": Section("uint64", ("F", "W")),
    "final_ignored_first": Section("int32", ("F+1",), offsets="final_ignored"),
    "final_ignored": Section("int32", ("fi",), below="B"),
    "final_newline_first": Section("int32", ("F+1",), offsets="final_newline"),
    "final_newline": Section("int32", ("fn",), below="B"),
    "rest": Section("uint64", ("B", "D", "W")),
    "terminal_lookaheads": Section("uint64", ("T", "W")),
    "indent_lookahead": Section("int32", ("B",), below="M", least=-1),
    "dedent_lookahead": Section("int32", ("B",), below="M", least=-1),
    "lalr_state": Section("int32", ("R",), below="L"),
    "lalr_context": Section("int32", ("L",), below="C"),
    "live": Section("uint64", ("R", "W")),
    "enclosed": Section("uint8", ("R",), below="2"),
    "shift_first": Section("int32", ("R+1",), offsets="shift_terminal"),
    "shift_terminal": Section("int32", ("s",), below="T"),
    "shift_state": Section("int32", ("s",), below="R"),
    "goto_first": Section("int32", ("R+1",), offsets="goto_nonterminal"),
    "goto_nonterminal": Section("int32", ("g",), below="N"),
    "goto_state": Section("int32", ("g",), below="R"),
    "reduce_first": Section("int32", ("L+1",), offsets="reduce_production"),
    "reduce_production": Section("int32", ("r",), below="P"),
    "reduce_set": Section("int32", ("r",), below="rs"),
    "reduce_set_first": Section("int32", ("rs+1",), offsets="reduce_set_terminal"),
    "reduce_set_terminal": Section("int32", ("rt",), below="T"),
    "production_lhs": Section("int32", ("P",), below="N"),
    "production_length": Section("int32", ("P",)),
    "root_first": Section("int32", ("S+1",), offsets="root_terminal"),
    "root_terminal": Section("int32", ("roots",), below="T", least=NO_EVENT),
    "root_column": Section("int32", ("roots",), least=-(1 << 20)),
    "root_node": Section("int32", ("roots",), below="nodes"),
    "profile_of": Section("int32", ("R",)),
    "node_first": Section("int32", ("nodes+1",), offsets="node_profile"),
    "node_profile": Section("int32", ("pairs",), least=ANY_PROFILE),
    "node_answer": Section("int32", ("pairs",), below="answers"),
    "answer_union": Section("int32", ("answers",), below="unions"),
    "question_first": Section("int32", ("answers+1",), offsets="question_terminal"),
    "question_terminal": Section("int32", ("questions",), below="T", least=IGNORED),
    "question_column": Section("int32", ("questions",), least=-(1 << 20)),
    "question_node": Section("int32", ("questions",), below="nodes"),
    "trial_first": Section("int32", ("answers+1",), offsets="trial_final"),
    "trial_final": Section("int32", ("trials",), below="F"),
    "trial_column": Section("int32", ("trials",), least=-(1 << 20)),
    "trial_union": Section("int32", ("trials",), below="unions"),
    "union_base": Section("int32", ("unions",), below="masks", least=NO_BASE),
    "union_first": Section("int32", ("unions+1",), offsets="union_word"),
    "union_word": Section("uint16", ("changes",), below="VW", wide="uint32"),
    "union_bits": Section("int32", ("changes",), least=_ANY),
    "masks": Section("int32", ("masks", "VW"), least=_ANY),
    "final_columns": Section("int32", ("F",), below="Q", least=-1),
    "column_first": Section("int32", ("Q+1",), offsets="column_reset"),
    "column_reset": Section("uint8", ("cols", "B"), below="2"),
    "column_more": Section("uint8", ("cols", "B"), below="2"),
    "column_period": Section("int32", ("Q", "2")),
}


# Of a general grammar (``parser=earley``) also: ``G`` states of the general table.
GENERAL_SECTIONS: dict[str, Section] = {
    "general_live": Section("uint64", ("G", "W")),
    "general_shift_first": Section("int32", ("G+1",), offsets="general_shift_terminal"),
    "general_shift_terminal": Section("int32", ("gs",), below="T"),
    "general_shift_state": Section("int32", ("gs",), below="G"),
    "general_goto_first": Section("int32", ("G+1",), offsets="general_goto_nonterminal"),
    "general_goto_nonterminal": Section("int32", ("gg",), below="GN"),
    "general_goto_state": Section("int32", ("gg",), below="G"),
    "general_reduce_first": Section("int32", ("G+1",), offsets="general_reduce_nonterminal"),
    "general_reduce_nonterminal": Section("int32", ("gr",), below="GN"),
    "general_reduce_length": Section("int32", ("gr",), least=1),
    "general_closed": Section("uint8", ("B",), below="2"),
}


# Of a JSON Schema (``parser=schema``) only these.
SCHEMA_SECTIONS: dict[str, Section] = {
    "token_first": SECTIONS["token_first"],
    "token_bytes": SECTIONS["token_bytes"],
    "schema_plan": Section("uint8", ("plan",)),
}


def is_schema(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact was made from a JSON Schema."""
    grammar = header.get("grammar")
    return isinstance(grammar, dict) and grammar.get("parser") == "schema"


def sections_of(header: Mapping[str, Any]) -> dict[str, Section]:
    """Return the sections of an artifact with this header."""
    if is_schema(header):
        return SCHEMA_SECTIONS
    return {**SECTIONS, **GENERAL_SECTIONS} if is_general(header) else SECTIONS


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


def is_general(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact has a general table; one that does not say so has none."""
    grammar = header.get("grammar")
    return isinstance(grammar, dict) and grammar.get("parser", "lalr") != "lalr"


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """An artifact in memory: see the module and ``SECTIONS``.

    Attributes:
        header: what :func:`maskc.emit.assemble.assemble` wrote.
        arrays: by section name.
    """

    header: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def check(contents: Contents) -> str | None:
    """Return what is wrong with the contents, ``None`` if nothing is."""
    arrays, sections = contents.arrays, sections_of(contents.header)
    if set(arrays) != set(sections):
        odd = sorted(set(arrays) ^ set(sections))
        return f"section {odd[0]} is {'unknown' if odd[0] in arrays else 'missing'}"
    sizes = _constants(contents.header)
    if sizes is None:
        return "the header lacks its sizes"
    if "layout" not in contents.header and not is_schema(contents.header):
        return "the header lacks its layout"
    for name, section in sections.items():
        array = arrays[name]
        fits = array.dtype.name in {section.dtype, section.wide}
        if not fits or array.ndim != len(section.dims):
            return f"section {name} is {array.dtype.name}, {array.ndim}-dimensional"
        for dim, length in zip(section.dims, array.shape, strict=True):
            if _bind(sizes, dim, length) != length:
                return f"section {name} has {length} instead of {_bind(sizes, dim, length)} {dim}"
    for name, dim in (("general_live", "G"), ("lalr_state", "R"), ("token_first", "V")):
        if sizes.get(dim) == 0:
            return f"section {name} has no {dim}"
    if "G" in sizes and sizes["R"] not in (1, sizes["G"]):
        return f"section live has {sizes['R']} states, neither 1 nor {sizes['G']}"
    for name, section in sections.items():
        fault = _check_values(name, section, arrays, sizes)
        if fault:
            return fault
    if is_schema(contents.header):
        return None
    roots = arrays["root_terminal"]
    if ((roots < IGNORED) & (roots != NO_EVENT)).any():
        return "section root_terminal has a value that is no terminal"
    table = "general_" if is_general(contents.header) else ""
    for name in (f"{table}shift_state", f"{table}goto_state"):
        if not arrays[name].all():
            return f"section {name} pushes the state at the bottom"
    return check_relations(arrays, n_tokens=sizes["V"], has_layout=bool(contents.header["layout"]))


def _constants(header: dict[str, Any]) -> dict[str, int] | None:
    sizes = header.get("sizes")
    if not isinstance(sizes, dict) or not all(
        isinstance(k, str) and type(v) is int and 0 <= v < 1 << 31 for k, v in sizes.items()
    ):
        return None
    needed = {"V"} if is_schema(header) else {"V", "C", "T", "N", "M"}
    if not needed <= set(sizes):
        return None
    fixed = {key: int(sizes[key]) for key in sorted(needed)}
    if is_schema(header):
        return fixed
    if "GN" in sizes:
        fixed["GN"] = int(sizes["GN"])
    # Places: with indentation each context has a second one, between brackets.
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
    name: str, section: Section, arrays: Mapping[str, NDArray[Any]], sizes: dict[str, int]
) -> str | None:
    array = arrays[name]
    if section.offsets is not None:
        if array[0] != 0 or (array[1:] < array[:-1]).any():
            return f"section {name} does not ascend from 0"
        if array[-1] != len(arrays[section.offsets]):
            return f"section {name} ends at {array[-1]}, not at the end of {section.offsets}"
        return None
    if not array.size or array.dtype == np.uint64:
        return None
    if array.dtype.kind == "i" and section.least > _ANY and array.min() < section.least:
        return f"section {name} has a value below {section.least}"
    if section.below is not None and array.max() >= _bind(sizes, section.below, 0):
        return f"section {name} has the value {array.max()}, outside {section.below}"
    return None
