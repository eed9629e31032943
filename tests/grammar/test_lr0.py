"""The lookaheads of LALR(1), held against those of canonical LR(1) states, merged."""

from hypothesis import given
from hypothesis import strategies as st

from maskc import bits
from maskc.grammar import Production
from maskc.grammar.lr0 import add_roots, build_lr0, find_lookaheads
from maskc.grammar.sets import compute_sets, reduce_productions
from maskc.ids import END, ROOT
from tests.examples import examples

A, B = 1, 2
SIDES = st.lists(st.sampled_from([A, B, -1, -2, -3]), max_size=3).map(tuple)


def merge_canonical(productions, sets):
    """Return (kernel, production) → the terminals on which canonical LR(1) states reduce it."""
    sides = {n: p.rhs for n, p in enumerate(productions)} | {ROOT: (-1,)}

    def close(items):
        items, pending = set(items), list(items)
        while pending:
            number, dot, ahead = pending.pop()
            if dot < len(sides[number]) and sides[number][dot] < 0:
                first, may_be_empty = sets.first_of(sides[number][dot + 1 :])
                for other, production in enumerate(productions):
                    if production.lhs == -1 - sides[number][dot]:
                        for t in (*bits.iterate(first), *[ahead] * may_be_empty):
                            if (other, 0, t) not in items:
                                items.add((other, 0, t))
                                pending.append((other, 0, t))
        return frozenset(items)

    found, start = {}, frozenset([(ROOT, 0, END)])
    pending, seen = [start], {start}
    while pending:
        kernel = pending.pop()
        items, moved = close(kernel), {}
        for number, dot, ahead in items:
            if dot < len(sides[number]):
                moved.setdefault(sides[number][dot], set()).add((number, dot + 1, ahead))
            elif number != ROOT:
                core = tuple(sorted({(n, d) for n, d, _ in kernel}))
                found[core, number] = found.get((core, number), 0) | 1 << ahead
        for after in map(frozenset, moved.values()):
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return found


@given(st.lists(st.tuples(st.integers(0, 2), SIDES), min_size=1, max_size=7, unique=True))
@examples(100)
def test_lookaheads_are_those_of_merged_canonical_states(rules):
    drawn = tuple(Production(lhs, rhs) for lhs, rhs in sorted(rules))
    reduced = reduce_productions(("$END", "A", "B"), ("x", "y", "z"), 0, drawn)
    rooted = add_roots(reduced.productions, 0)
    states = build_lr0(rooted)
    found = {
        (state.kernel, production): terminals
        for state, ended in zip(states, find_lookaheads(rooted, states), strict=True)
        for production, terminals in ended.items()
    }
    assert found == merge_canonical(reduced.productions, compute_sets(reduced))
