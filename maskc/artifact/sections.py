"""The arrays of an artifact: their dtypes, shapes and ranges of values.

There are four kinds of artifacts, by the parser that the header names: of an LALR grammar and of a
general one, which share all but the parser's table, of a JSON Schema, which has three arrays only,
and of a link, which is a structural tag or tools.

Dimensions are named: ``V`` tokens, ``S`` scanner states, ``KP`` pieces of a row of a scanner's
table, ``K`` byte classes as they fill these, ``B`` boundaries, ``C`` contexts, ``D`` layout
contexts (contexts outside of brackets and between them), ``T`` terminals, ``R`` refined states,
``L`` LALR states, ``P`` productions, ``N`` nonterminals, ``F`` open lexemes (what one may become),
``W`` 64-bit words of a set of lookaheads, ``VW`` 32-bit words of a mask; other names stand for
lengths that only have to agree between arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.ids import (
    ANY_PROFILE,
    EMPTY_TEXT,
    IGNORED,
    NO_BASE,
    NO_COLUMNS,
    NO_EVENT,
    NO_LOOKAHEAD,
    NO_PARENT,
)


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """One array: dtype, dimensions, and the range of its values."""

    dtype: str  # NumPy's name for it
    dims: tuple[str, ...]  # a dimension each; `X+1` is one more than X
    below: str | None = None  # values are less than this dimension; None if they are no index
    least: int = 0  # the smallest value allowed
    offsets: str | None = None  # values ascend from 0 to the length of this section
    wide: str | None = None  # the dtype where dtype is too narrow, None if it never is


ANY = -(1 << 31)  # bits that are no number

# Of both kinds of grammars: tokens, scanner, what lexemes may become, decision graph, masks.
SHARED_SECTIONS: dict[str, ArraySpec] = {
    "token_first": ArraySpec("int32", ("V+1",), offsets="token_bytes"),
    "token_bytes": ArraySpec("uint8", ("tb",)),
    "byte_class": ArraySpec("uint8", ("256",), below="K"),
    "scanner_piece": ArraySpec("uint16", ("pieces", "16"), below="S", wide="uint32"),
    "scanner_next": ArraySpec("uint16", ("S", "KP"), below="pieces", wide="uint32"),
    "scanner_entries": ArraySpec("uint16", ("se", "KP"), below="pieces", wide="uint32"),
    "scanner_enter": ArraySpec("uint16", ("B", "C"), below="se", wide="uint32"),
    "scanner_end_of_text": ArraySpec("int16", ("S",), below="T", least=EMPTY_TEXT, wide="int32"),
    "scanner_final": ArraySpec("int16", ("S",), below="F", wide="int32"),
    "end_first": ArraySpec("int32", ("S+1",), offsets="end_terminal"),
    "end_terminal": ArraySpec("int16", ("e",), below="T", least=IGNORED, wide="int32"),
    "end_boundary": ArraySpec("int16", ("e",), below="B", wide="int32"),
    "final_direct": ArraySpec("uint64", ("F", "W")),
    "final_ignored_first": ArraySpec("int32", ("F+1",), offsets="final_ignored"),
    "final_ignored": ArraySpec("int32", ("fi",), below="B"),
    "rest_set": ArraySpec("uint64", ("sets", "W")),
    "rest": ArraySpec("uint16", ("B", "D"), below="sets", wide="uint32"),
    "terminal_lookaheads": ArraySpec("uint64", ("T", "W")),
    "root_first": ArraySpec("int32", ("S+1",), offsets="root_terminal"),
    "root_terminal": ArraySpec("int16", ("roots",), below="T", least=NO_EVENT, wide="int32"),
    "root_column": ArraySpec("int16", ("roots",), least=-(1 << 20), wide="int32"),
    "root_node": ArraySpec("int16", ("roots",), below="nodes", wide="int32"),
    "node_first": ArraySpec("int32", ("nodes+1",), offsets="node_answer"),
    "node_profiles": ArraySpec("int16", ("nodes",), below="lists", wide="int32"),
    "profiles_first": ArraySpec("int32", ("lists+1",), offsets="profiles"),
    "profiles": ArraySpec("int16", ("listed",), least=ANY_PROFILE, wide="int32"),
    "node_answer": ArraySpec("int16", ("pairs",), below="answers", wide="int32"),
    "answer_union": ArraySpec("int16", ("answers",), below="unions", wide="int32"),
    "question_first": ArraySpec("int32", ("answers+1",), offsets="question_terminal"),
    "question_terminal": ArraySpec("int16", ("questions",), below="T", least=IGNORED, wide="int32"),
    "question_column": ArraySpec("int16", ("questions",), least=-(1 << 20), wide="int32"),
    "question_node": ArraySpec("int16", ("questions",), below="nodes", wide="int32"),
    "trial_first": ArraySpec("int32", ("answers+1",), offsets="trial_final"),
    "trial_final": ArraySpec("int16", ("trials",), below="F", wide="int32"),
    "trial_column": ArraySpec("int16", ("trials",), least=-(1 << 20), wide="int32"),
    "trial_union": ArraySpec("int16", ("trials",), below="unions", wide="int32"),
    "union_base": ArraySpec("int32", ("unions",), below="masks", least=NO_BASE),
    "union_parent": ArraySpec("int32", ("unions",), below="unions", least=NO_PARENT),
    "union_first": ArraySpec("int32", ("unions+1",), offsets="union_change"),
    "union_change": ArraySpec("uint16", ("uc",), below="changes", wide="uint32"),
    "change_word": ArraySpec("uint16", ("changes",), below="VW", wide="uint32"),
    "change_bits": ArraySpec("int32", ("changes",), least=ANY),
    "masks": ArraySpec("int32", ("masks", "VW"), least=ANY),
}


# Of an LALR grammar: its refined table, and how newlines count columns.
LALR_SECTIONS: dict[str, ArraySpec] = {
    **SHARED_SECTIONS,
    "final_newline_first": ArraySpec("int32", ("F+1",), offsets="final_newline"),
    "final_newline": ArraySpec("int32", ("fn",), below="B"),
    "indent_lookahead": ArraySpec("int32", ("B",), below="M", least=NO_LOOKAHEAD),
    "dedent_lookahead": ArraySpec("int32", ("B",), below="M", least=NO_LOOKAHEAD),
    "lalr_state": ArraySpec("int32", ("R",), below="L"),
    "lalr_context": ArraySpec("int32", ("L",), below="C"),
    "live": ArraySpec("uint64", ("R", "W")),
    "enclosed": ArraySpec("uint8", ("R",), below="2"),
    "shift_first": ArraySpec("int32", ("R+1",), offsets="shift_terminal"),
    "shift_terminal": ArraySpec("int16", ("s",), below="T", wide="int32"),
    "shift_state": ArraySpec("int16", ("s",), below="R", wide="int32"),
    "goto_first": ArraySpec("int32", ("R+1",), offsets="goto_nonterminal"),
    "goto_nonterminal": ArraySpec("int16", ("g",), below="N", wide="int32"),
    "goto_state": ArraySpec("int16", ("g",), below="R", wide="int32"),
    "reduce_first": ArraySpec("int32", ("L+1",), offsets="reduce_production"),
    "reduce_production": ArraySpec("int32", ("r",), below="P"),
    "reduce_set": ArraySpec("int32", ("r",), below="rs"),
    "reduce_set_first": ArraySpec("int32", ("rs+1",), offsets="reduce_set_terminal"),
    "reduce_set_terminal": ArraySpec("int32", ("rt",), below="T"),
    "production_lhs": ArraySpec("int32", ("P",), below="N"),
    "production_length": ArraySpec("int32", ("P",)),
    "profile_of": ArraySpec("int32", ("R",)),
    "final_columns": ArraySpec("int32", ("F",), below="Q", least=NO_COLUMNS),
    "column_first": ArraySpec("int32", ("Q+1",), offsets="column_reset"),
    "column_reset": ArraySpec("uint8", ("cols", "B"), below="2"),
    "column_more": ArraySpec("uint8", ("cols", "B"), below="2"),
    "column_period": ArraySpec("int32", ("Q", "2")),
}


# Of a general grammar (``parser=earley``): the ``G`` states of its LR(0) table. What a state takes
# it shifts or ends with; live is what a stack with it on top can go on with, reductions included.
GENERAL_SECTIONS: dict[str, ArraySpec] = {
    **SHARED_SECTIONS,
    "general_taken": ArraySpec("uint64", ("G", "W")),
    "general_live": ArraySpec("uint64", ("G", "W")),
    "general_shift_first": ArraySpec("int32", ("G+1",), offsets="general_shift_terminal"),
    "general_shift_terminal": ArraySpec("int32", ("gs",), below="T"),
    "general_shift_state": ArraySpec("int32", ("gs",), below="G"),
    "general_goto_first": ArraySpec("int32", ("G+1",), offsets="general_goto_nonterminal"),
    "general_goto_nonterminal": ArraySpec("int32", ("gg",), below="GN"),
    "general_goto_state": ArraySpec("int32", ("gg",), below="G"),
    "general_reduce_first": ArraySpec("int32", ("G+1",), offsets="general_reduce_nonterminal"),
    "general_reduce_nonterminal": ArraySpec("int32", ("gr",), below="GN"),
    "general_reduce_length": ArraySpec("int32", ("gr",), least=1),
    "general_closed": ArraySpec("uint8", ("B",), below="2"),
    "profile_of": ArraySpec("int32", ("G",)),
}


# Of a general grammar with tokens that are cut into terminals in too many ways: these tokens.
TOKENS_WITHOUT_ROWS = "unlisted"  # the header's entry says how many
TOKENS_WITHOUT_ROWS_SECTIONS: dict[str, ArraySpec] = {
    TOKENS_WITHOUT_ROWS: ArraySpec("int32", ("u",), below="V")
}


# Of a JSON Schema (``parser=schema``) only these.
SCHEMA_SECTIONS: dict[str, ArraySpec] = {
    "token_first": SHARED_SECTIONS["token_first"],
    "token_bytes": SHARED_SECTIONS["token_bytes"],
    "schema_plan": ArraySpec("uint8", ("plan",)),
}


# Of a link (``parser=link``): its plan, what it was made from, and artifacts of grammars in it.
LINK_SECTIONS: dict[str, ArraySpec] = {
    "token_first": SHARED_SECTIONS["token_first"],
    "token_bytes": SHARED_SECTIONS["token_bytes"],
    "link_plan": ArraySpec("uint8", ("plan",)),
    "link_source": ArraySpec("uint8", ("source",)),
    "link_grammar_first": ArraySpec("int32", ("grammars+1",), offsets="link_grammar_bytes"),
    "link_grammar_bytes": ArraySpec("uint8", ("grammar bytes",)),
}


# Of a grammar with several start symbols, beside its own: the artifacts of the others.
STARTS = "starts"  # the header's entry that says so
START_SECTIONS: dict[str, ArraySpec] = {
    "starts_first": ArraySpec("int32", ("starts+1",), offsets="starts_bytes"),
    "starts_bytes": ArraySpec("uint8", ("start bytes",)),
}


# Of a JSON Schema or of tools, texts that a server follows before it serves: their tokens.
EXAMPLES = "examples"  # the header's entry says how many
EXAMPLE_SECTIONS: dict[str, ArraySpec] = {
    "example_first": ArraySpec("int32", ("texts+1",), offsets="example_tokens"),
    "example_tokens": ArraySpec("int32", ("text tokens",), below="V"),
}


# What the header may name: each a kind of artifact.
PARSERS = ("lalr", "earley", "schema", "link")


def is_link(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact was made from a structural tag or from tools."""
    grammar = header.get("grammar")
    return isinstance(grammar, dict) and grammar.get("parser") == "link"


def is_grammar(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact was made from a grammar, with a scanner and a parser's table."""
    return not is_schema(header) and not is_link(header)


def is_schema(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact was made from a JSON Schema."""
    grammar = header.get("grammar")
    return isinstance(grammar, dict) and grammar.get("parser") == "schema"


def is_general(header: Mapping[str, Any]) -> bool:
    """Return whether an artifact has a general table; one that does not say so has none."""
    grammar = header.get("grammar")
    return isinstance(grammar, dict) and grammar.get("parser", "lalr") != "lalr"


def sections_of(header: Mapping[str, Any]) -> dict[str, ArraySpec]:
    if not is_grammar(header):
        sections = SCHEMA_SECTIONS if is_schema(header) else LINK_SECTIONS
        return {**sections, **EXAMPLE_SECTIONS} if EXAMPLES in header else sections
    sections = GENERAL_SECTIONS if is_general(header) else LALR_SECTIONS
    if TOKENS_WITHOUT_ROWS in header and is_general(header):
        sections = {**sections, **TOKENS_WITHOUT_ROWS_SECTIONS}
    return {**sections, **START_SECTIONS} if STARTS in header else sections


PIECE: Final = 16  # classes; of 8 and of 32 the tables of large grammars are a tenth larger


def cut_rows(*tables: NDArray[np.int32]) -> tuple[NDArray[np.int32], list[NDArray[np.int32]]]:
    """Return the distinct pieces of some tables, and the numbers of each one's pieces.

    Most states of a scanner differ in a few classes of bytes only, so a row is cut into pieces of
    ``PIECE`` classes, each kept once: jac.lark's 33,658 rows of 170 classes are 11.4 MB, in pieces
    1.7. Classes beyond the last one lead nowhere.

    Args:
        tables: int32[n_rows, n_classes] each.

    Returns:
        int32[n_pieces, PIECE], in order of their first occurrence; of each table
        int32[n_rows, ceil(n_classes / PIECE)].
    """
    number: dict[bytes, int] = {}
    found = []
    width = PIECE * np.dtype(np.int32).itemsize
    for table in tables:
        n_rows, n_classes = table.shape
        n_each = -(-n_classes // PIECE)
        padded = np.zeros((n_rows, n_each * PIECE), dtype=np.int32)
        padded[:, :n_classes] = table
        data = padded.tobytes()
        numbers = [
            number.setdefault(data[start : start + width], len(number))
            for start in range(0, len(data), width)
        ]
        found.append(np.array(numbers, dtype=np.int32).reshape(n_rows, n_each))
    pieces = np.frombuffer(b"".join(number), dtype=np.int32).reshape(len(number), PIECE)
    return pieces, found


def read_rows(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """Return the rows of a section with numbers of pieces, [n_rows, n_classes].

    Args:
        arrays: by section name.
        name: ``scanner_next`` or ``scanner_entries``.
    """
    numbers = arrays[name]
    n_classes = int(arrays["byte_class"].max()) + 1
    rows: NDArray[Any] = arrays["scanner_piece"][numbers]
    rows = rows.reshape(len(rows), PIECE * numbers.shape[1])
    return rows[:, :n_classes]
