"""What must be true of an artifact's header and arrays, alone and together."""

import copy

import numpy as np
import pytest

from maskc.artifact.header import check_numbers, check_texts
from maskc.artifact.model import (
    MAX_PARENTS,
    Contents,
    check,
    check_layout,
    check_parents,
    check_relations,
    column_after,
)
from maskc.artifact.sections import (
    GENERAL_SECTIONS,
    LALR_SECTIONS,
    is_general,
    is_schema,
    sections_of,
)
from maskc.ids import NO_LINE, SAME


def with_array(contents, name, change):
    array = contents.arrays[name].copy()
    return Contents(contents.header, {**contents.arrays, name: change(array)})


def test_what_the_compiler_made_is_right(contents):
    assert check(contents) is None
    assert unfit(contents) is None
    n_states = len(contents.arrays["scanner_next"])
    assert check_numbers(contents.header, n_scanner_states=n_states) is None
    assert check_texts(contents.header) is None


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("shift_state", lambda a: a + 1000, "section shift_state has the value"),
        ("scanner_end_of_text", lambda a: a - 9, "section scanner_end_of_text has a value"),
        ("root_first", lambda a: a[::-1], "section root_first does not ascend from 0"),
        ("live", lambda a: a.astype(np.int64), "section live is int64, 2-dimensional"),
        ("profile_of", lambda a: a[:-1], "section profile_of has"),
        ("shift_state", lambda a: a * 0, "section shift_state pushes the state at the bottom"),
    ],
)
def test_an_array_that_would_be_read_outside_is_named(contents, name, change, fault):
    assert check(with_array(contents, name, change)).startswith(fault)


def test_a_section_that_is_missing_or_unknown_is_named(contents):
    arrays = {name: array for name, array in contents.arrays.items() if name != "live"}
    assert check(Contents(contents.header, arrays)) == "section live is missing"
    more = {**contents.arrays, "x": np.zeros(1)}
    assert check(Contents(contents.header, more)) == "section x is unknown"


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (4, 8, 8),
        (4, SAME, 4),
        (4, SAME - 2, 6),
        (4, NO_LINE, NO_LINE),
        (NO_LINE, SAME - 2, NO_LINE),
    ],
)
def test_a_column_changes_relative_to_the_start_of_the_token(before, change, after):
    assert column_after(before, change) == after


def fault_of(contents, path, value):
    header = copy.deepcopy(contents.header)
    holder = header
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return check_numbers(header, n_scanner_states=len(contents.arrays["scanner_next"]))


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (["scanner_start"], 1 << 20, "the header holds the number 1048576, outside"),
        (["end_lookahead"], True, "the header holds the number True, outside"),
        (["tokenizer", "eos_ids"], [], "the header's end-of-sequence ids do not ascend"),
        (["tokenizer", "eos_ids"], [3, 2], "the header's end-of-sequence ids do not ascend"),
        (["tokenizer", "eos_ids"], [-1], "the header holds the number -1, outside"),
        (["tokenizer", "vocab_size"], 99, "the header's vocabulary size does not fit its arrays"),
        (["layout"], [], "the header's layout is not a map"),
        (["sizes"], None, "the header lacks its tokenizer or its sizes"),
        (["grammar"], None, "the header lacks its grammar"),
    ],
)
def test_a_number_that_would_be_read_outside_is_named(contents, path, value, fault):
    assert fault_of(contents, path, value).startswith(fault)


def test_a_text_that_commands_read_is_checked(contents):
    header = {**contents.header, "terminals": [1]}
    assert check_texts(header) == "the header's terminals[0] is not a text"


def unfit(contents, has_layout=False, **changes):
    arrays = {**contents.arrays, **changes}
    n_tokens = contents.header["tokenizer"]["vocab_size"]
    return check_relations(arrays, n_tokens=n_tokens) or check_layout(arrays, has_layout=has_layout)


def test_a_question_leads_to_an_earlier_node(contents):
    nodes = contents.arrays["question_node"]
    assert len(nodes)
    n_nodes = len(contents.arrays["node_first"]) - 1
    assert unfit(contents, question_node=np.full_like(nodes, n_nodes - 1)) == (
        "section question_node goes in circles"
    )


def test_without_a_layout_nothing_is_enclosed(contents):
    enclosed = np.ones_like(contents.arrays["enclosed"])
    assert "the header lacks" in unfit(contents, enclosed=enclosed)
    assert unfit(contents, has_layout=True, enclosed=enclosed) is None


def test_a_period_is_no_longer_than_what_is_listed(contents):
    columns = {"column_first": np.array([0, 2]), "column_period": np.array([[1, 3]])}
    assert "a period beyond its columns" in unfit(contents, **columns)


def test_a_mask_has_no_token_beyond_the_vocabulary(contents):
    masks = np.full((1, 1), -1, dtype=np.int32)
    assert unfit(contents, masks=masks) == "a mask has a token beyond the vocabulary"


def test_a_mask_has_no_more_parents_than_are_read():
    for n_parents, told in (
        (MAX_PARENTS, None),
        (MAX_PARENTS + 1, f"section union_parent has more than {MAX_PARENTS} parents of a mask"),
    ):
        parents = np.arange(-1, n_parents, dtype=np.int32)
        bases = np.zeros_like(parents)
        assert check_parents({"union_parent": parents, "union_base": bases}) == told


def test_a_mask_has_the_base_of_its_parent():
    arrays = {"union_parent": np.array([-1, 0]), "union_base": np.array([0, 1])}
    assert check_parents(arrays) == "section union_parent has a parent with another base"


def test_a_mask_is_not_its_own_ancestor(contents):
    parents = np.zeros_like(contents.arrays["union_parent"])
    bases = np.zeros_like(contents.arrays["union_base"])
    fault = unfit(contents, union_parent=parents, union_base=bases)
    assert fault is not None
    assert "parents of a mask" in fault


def header_of(parser):
    return {"grammar": {"parser": parser}}


def test_an_artifact_has_the_arrays_of_its_kind(contents):
    assert set(contents.arrays) == set(LALR_SECTIONS)
    assert sections_of(contents.header) is LALR_SECTIONS
    assert sections_of(header_of("earley")) is GENERAL_SECTIONS
    assert set(sections_of(header_of("schema"))) == {"token_first", "token_bytes", "schema_plan"}


@pytest.mark.parametrize("header", [{}, {"grammar": None}, {"grammar": {}}])
def test_a_header_that_does_not_say_its_parser_is_of_an_lalr_grammar(header):
    assert not is_general(header)
    assert not is_schema(header)


@pytest.mark.parametrize("sections", [LALR_SECTIONS, GENERAL_SECTIONS])
def test_offsets_are_one_more_than_what_they_divide(sections):
    for name, section in sections.items():
        if section.offsets is not None:
            assert section.dims[0].endswith("+1"), name
            assert section.offsets in sections, name
