"""The decision graph, read from the arrays of one answer."""

import numpy as np
import pytest

from maskc.runtime.graph import NO_ANSWER, GraphReader


@pytest.fixture
def graph():
    # One node; states 0 and 1 have profile 0, 2 has profile 1. Two unions: tokens 0 and 33, and
    # mask 0 (tokens 0 to 31) without token 1.
    return GraphReader(
        {
            "profile_of": np.array([0, 0, 1]),
            "root_first": np.array([0, 1]),
            "root_terminal": np.array([4]),
            "root_column": np.array([-2]),
            "root_node": np.array([0]),
            "node_first": np.array([0, 1]),
            "node_profile": np.array([0]),
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
            "union_base": np.array([-1, 0]),
            "union_first": np.array([0, 2, 3]),
            "union_change": np.array([0, 2, 1], dtype=np.uint16),
            "change_word": np.array([0, 0, 1], dtype=np.uint16),
            "change_bits": np.array([1, 2, 2], dtype=np.int32),
            "masks": np.array([[-1, 0]], dtype=np.int32),
        }
    )


def test_a_root_asks_its_questions(graph):
    assert graph.root(0) == ((4, -2, 0),)


def test_an_answer_is_found_by_the_profile_of_the_state(graph):
    answer = graph.answer(0, 1)
    assert answer.unions == {0}
    assert answer.trials == ((7, -2, {1}),)
    assert graph.answer(0, 0) is answer


def test_a_node_that_says_nothing_of_a_profile_allows_nothing(graph):
    assert graph.answer(0, 2) is NO_ANSWER


def test_a_union_is_a_difference_from_a_mask(graph):
    assert graph.unite(frozenset([0]), 2).tolist() == [1, 2]
    assert graph.unite(frozenset([1]), 2).tolist() == [-3, 0]
    assert graph.unite(frozenset([0, 1]), 2).tolist() == [-3, 2]
    assert graph.unite(frozenset(), 2).tolist() == [0, 0]
