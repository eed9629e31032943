"""The decision graph, read from the arrays of one answer."""

import numpy as np
import pytest

from maskc.native import is_compiled
from maskc.runtime.graph import GraphReader


@pytest.fixture
def graph():
    # One node; states 0 and 1 have profile 0, 2 has profile 1. Three unions: tokens 0 and 33;
    # mask 0 (tokens 0 to 31) without token 1; and that without token 2 and with token 33.
    return GraphReader(
        {
            "profile_of": np.array([0, 0, 1]),
            "root_first": np.array([0, 1]),
            "root_terminal": np.array([4]),
            "root_column": np.array([-2]),
            "root_node": np.array([0]),
            "node_first": np.array([0, 1]),
            "node_profiles": np.array([0]),
            "profiles_first": np.array([0, 1]),
            "profiles": np.array([0]),
            "node_answer": np.array([0]),
            "answer_union": np.array([0]),
            "question_first": np.array([0, 0]),
            "question_terminal": np.array([], dtype=np.int32),
            "question_column": np.array([], dtype=np.int32),
            "question_node": np.array([], dtype=np.int32),
            "trial_first": np.array([0, 1]),
            "trial_final": np.array([7]),
            "trial_column": np.array([-2]),
            "trial_union": np.array([1]),
            "union_base": np.array([-1, 0, 0]),
            "union_parent": np.array([-1, -1, 1]),
            "union_first": np.array([0, 2, 3, 5]),
            "union_change": np.array([0, 2, 1, 3, 2], dtype=np.uint16),
            "change_word": np.array([0, 0, 1, 0], dtype=np.uint16),
            "change_bits": np.array([1, 2, 2, 6], dtype=np.int32),
            "masks": np.array([[-1, 0]], dtype=np.int32),
        }
    )


def test_a_union_is_a_difference_from_a_mask(graph):
    assert graph.unite(frozenset([0]), 2).tolist() == [1, 2]
    assert graph.unite(frozenset([1]), 2).tolist() == [-3, 0]
    assert graph.unite(frozenset([0, 1]), 2).tolist() == [-3, 2]
    assert graph.unite(frozenset(), 2).tolist() == [0, 0]


def test_a_word_that_a_union_changes_after_its_parent_is_as_it_says_itself(graph):
    assert graph.unite(frozenset([2]), 2).tolist() == [-7, 2]
    assert graph.unite(frozenset([0, 2]), 2).tolist() == [-7, 2]
    assert graph.unite(frozenset([1, 2]), 2).tolist() == [-3, 2]


@pytest.mark.skipif(is_compiled(), reason="exchanges a constant")
def test_unions_are_read_again_where_those_that_are_kept_take_too_much(graph, monkeypatch):
    monkeypatch.setattr("maskc.runtime.graph._WHOLE_BYTES", 0)
    for _ in range(2):
        assert graph.unite(frozenset([0, 1]), 2).tolist() == [-3, 2]
        assert graph.unite(frozenset([0, 2]), 2).tolist() == [-7, 2]
    assert len(graph._whole) == 1
