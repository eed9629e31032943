"""Masks of grammars over dense vocabularies: every word of a few letters is a token."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.dense.bench import PHASES, bench_of, name_of
from tests.laws.dense.grammars import FOLLOWS, GENERAL, HOLES, LALR


@pytest.mark.parametrize("case", [*LALR, *GENERAL, *HOLES, *FOLLOWS], ids=name_of)
@settings(phases=PHASES)
@given(seed=st.integers(0, 2**32))
def test_masks_are_exact(case, seed):
    bench_of(case).walk(Random(seed))
