"""Law: what is begun with n tokens ends within n, in the table of languages and every machine.

Each word of a few letters is a token, so tokens cross each boundary. Whatever legal token is taken,
the next mask has one again, and none that the plain mask forbids.
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import GrammarError
from tests.examples import examples
from tests.laws.dense.awkward import AWKWARD
from tests.laws.dense.bench import PHASES, name_of
from tests.laws.dense.grammars import GENERAL, HOLES, LALR, PATTERNS
from tests.laws.dense.links import LINKS, TAGS
from tests.laws.dense.making import vocabulary_of
from tests.laws.dense.schemas import SCHEMAS
from tests.laws.test_budgets import count_whole

CASES = [*LALR, *GENERAL, *HOLES, *AWKWARD, *PATTERNS, *SCHEMAS, *LINKS, *TAGS]


@pytest.mark.parametrize("case", CASES, ids=name_of)
@examples(10, phases=PHASES)
@given(seed=st.integers(0, 2**32))
def test_every_text_within_a_budget_is_whole(case, seed):
    try:
        made = case.make(vocabulary_of(case.letters, case.longest))
    except GrammarError:  # no text at all
        return
    assert count_whole(made, Random(seed), 4) == 4
