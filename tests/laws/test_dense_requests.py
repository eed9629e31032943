"""Masks of what requests bring over dense vocabularies, and of patterns in every machine."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.dense.bench import PHASES, bench_of, name_of
from tests.laws.dense.grammars import PATTERNS
from tests.laws.dense.links import LINKS, TAGS
from tests.laws.dense.schemas import SCHEMAS


@pytest.mark.parametrize("case", [*PATTERNS, *SCHEMAS, *LINKS, *TAGS], ids=name_of)
@settings(phases=PHASES)
@given(seed=st.integers(0, 2**32))
def test_masks_of_requests_are_exact(case, seed):
    bench_of(case).walk(Random(seed))
