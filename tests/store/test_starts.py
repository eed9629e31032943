import numpy as np

from maskc.store.starts import number_starts


def ints(*values: int):
    return np.array(values, dtype=np.int32)


def test_states_that_a_byte_leads_to_the_same_place_share_a_start():
    starts = number_starts(
        ints(1, 2, 2), ints(0, 0, 0), ints(5, 5, 6), ints(1, 1, 2), ints(0, 0, 0), 3
    )
    assert starts.first.tolist() == [0, 0, 1, 3]
    assert starts.of_source.tolist() == [0, 0, 1]
    assert starts.state.tolist() == [5, 6]


def test_starts_with_other_columns_are_others():
    starts = number_starts(ints(1, 2), ints(0, 0), ints(5, 5), ints(1, 1), ints(0, -4), 3)
    assert sorted(starts.column.tolist()) == [-4, 0]


def test_boundaries_that_name_other_contexts_share_a_start_after_other_paths():
    starts = number_starts(ints(3, 4), ints(1, 2), ints(5, 5), ints(1, 1), ints(0, 0), 5)
    assert len(starts) == 1
    assert starts.of_source.tolist() == [0, 0]
    assert starts.before.tolist() == [1, 2]
