"""Members that fulfil constraints, against all choices of members."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.schema.plan.series import Fulfilment
from tests.examples import examples

N_CONSTRAINTS, N_NAMES, SIZE = 3, 3, 2
BITS = st.integers(0, (1 << N_CONSTRAINTS) - 1)
# Many labels have nothing to do with any constraint.
WAYS = st.just([(0, 0)]) | st.lists(BITS.map(lambda d: (d, 0)), min_size=1, max_size=2)
NAMES = st.integers(0, (1 << N_NAMES) - 1)
LACKED = st.just(0) | NAMES


@examples(2000)
@given(
    st.lists(WAYS, min_size=N_NAMES + 2, max_size=N_NAMES + 2),
    st.lists(LACKED, min_size=N_CONSTRAINTS, max_size=N_CONSTRAINTS),
    NAMES,
    NAMES,
    st.integers(0, SIZE),
    st.booleans(),
    st.integers(0, 6),
    st.none() | st.integers(0, 6),
)
def test_so_many_members_fulfil_constraints_iff_some_choice_of_them_does(
    options, lacked, names, needed, n_used, has_infinite, low, high
):
    """There are three names, a class of two keys, and maybe one without end."""
    finite, infinite = N_NAMES, N_NAMES + 1
    needed &= names
    labels = names | (n_used < SIZE) << finite | has_infinite << infinite
    if not has_infinite:
        options = options[:infinite]
    made = Fulfilment(options, N_NAMES, lacked, {infinite} & {len(options) - 1}, {finite: SIZE})
    absent = ((1 << N_NAMES) - 1) & ~names
    constraints = sum(1 << n for n, some in enumerate(lacked) if not some & absent)
    # How many members there may be with all constraints fulfilled, up to seven.
    counts = set()
    kept = [label for label in range(N_NAMES) if names >> label & 1]
    others = [finite] * (SIZE - n_used) + [infinite] * (7 * has_infinite)
    for there in itertools.product([False, True], repeat=len(kept)):
        present = [label for label, is_there in zip(kept, there, strict=True) if is_there]
        missing = sum(1 << label for label in kept if label not in present)
        if missing & needed:
            continue
        left = constraints & ~sum(1 << n for n, some in enumerate(lacked) if some & missing)
        for n_others in range(len(others) + 1):
            for chosen in {*itertools.combinations(others, n_others)}:
                found = {left}
                for label in (*present, *chosen):
                    found = {rest & ~d for rest in found for d, _ in options[label]}
                if 0 in found:
                    counts.add(len(present) + n_others)
    if has_infinite:
        low = 0  # who asks knows that there can be more
    is_there = any(n >= low and (high is None or n <= high) for n in counts)
    found = made.is_feasible(constraints, labels, needed, {finite: n_used}, low, high)
    assert found is is_there
