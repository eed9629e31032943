"""Masks over dense vocabularies, of grammars on which the code was once wrong."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.dense.awkward import AWKWARD
from tests.laws.dense.bench import PHASES, bench_of, name_of


@pytest.mark.parametrize("case", AWKWARD, ids=name_of)
@settings(phases=PHASES)
@given(seed=st.integers(0, 2**32))
def test_masks_are_exact_where_grammars_are_awkward(case, seed):
    bench_of(case).walk(Random(seed))
