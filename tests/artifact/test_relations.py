"""Arrays that fit together."""

import numpy as np

from maskc.artifact.relations import MAX_PARENTS, check_layout, check_parents, check_relations


def fault_of(contents, has_layout=False, **changes):
    arrays = {**contents.arrays, **changes}
    n_tokens = contents.header["tokenizer"]["vocab_size"]
    return check_relations(arrays, n_tokens=n_tokens) or check_layout(arrays, has_layout=has_layout)


def test_what_the_compiler_made_fits(contents):
    assert fault_of(contents) is None


def test_a_question_leads_to_an_earlier_node(contents):
    nodes = contents.arrays["question_node"]
    assert len(nodes)
    n_nodes = len(contents.arrays["node_first"]) - 1
    assert fault_of(contents, question_node=np.full_like(nodes, n_nodes - 1)) == (
        "section question_node goes in circles"
    )


def test_without_a_layout_nothing_is_enclosed(contents):
    enclosed = np.ones_like(contents.arrays["enclosed"])
    assert "the header lacks" in fault_of(contents, enclosed=enclosed)
    assert fault_of(contents, has_layout=True, enclosed=enclosed) is None


def test_a_period_is_no_longer_than_what_is_listed(contents):
    columns = {"column_first": np.array([0, 2]), "column_period": np.array([[1, 3]])}
    assert "a period beyond its columns" in fault_of(contents, **columns)


def test_a_mask_has_no_token_beyond_the_vocabulary(contents):
    masks = np.full((1, 1), -1, dtype=np.int32)
    assert fault_of(contents, masks=masks) == "a mask has a token beyond the vocabulary"


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
    fault = fault_of(contents, union_parent=parents, union_base=bases)
    assert fault is not None
    assert "parents of a mask" in fault
