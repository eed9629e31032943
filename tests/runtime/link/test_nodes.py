import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.link.automata import nodes
from maskc.runtime.link.automata.nodes import united, without

SETS = st.sets(st.integers(0, 29))


def _array(numbers: set[int]) -> np.ndarray:
    return np.array(sorted(numbers), dtype=np.int32)


@given(SETS, SETS)
def test_unions_and_differences_are_those_of_sets(left: set[int], right: set[int]) -> None:
    # Few nodes are sorted, many are marked: both ways.
    for few in (1_000, -1):
        nodes._FEW, before = few, nodes._FEW
        try:
            both = united(_array(left), _array(right), 30)
            rest = without(_array(left), _array(right), 30)
        finally:
            nodes._FEW = before
        assert both.tolist() == sorted(left | right)
        assert rest.tolist() == sorted(left - right)
        assert both.dtype == rest.dtype == np.int32
