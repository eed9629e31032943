from hypothesis import example, given
from hypothesis import strategies as st

from maskc.grammar.closures import find_derivable, unite_along

NODES = st.integers(0, 5)
GRAPHS = st.lists(st.lists(NODES, max_size=3), min_size=6, max_size=6)
RULES = st.lists(st.tuples(NODES, st.lists(st.integers(-6, 1), max_size=3).map(tuple)))


@given(RULES)
@example([(0, (-1,))])
@example([(0, (-2, -2)), (1, ())])
def test_what_derives_something_is_what_rounds_over_all_rules_find(rules):
    found: set[int] = set()
    for _ in range(6):
        found |= {lhs for lhs, rhs in rules if all(s >= 0 or -1 - s in found for s in rhs)}
    assert find_derivable(rules) == found


@given(GRAPHS)
@example([[1], [2], [0], [2], [3], []])
def test_a_node_has_the_values_of_all_that_it_leads_to(edges):
    reached = [{node} for node in range(6)]
    for _ in range(6):
        for node, targets in enumerate(edges):
            reached[node] = reached[node].union(*(reached[target] for target in targets))
    united, together = unite_along(edges, [1 << node for node in range(6)])
    assert united == [sum(1 << node for node in nodes) for nodes in reached]
    mutual = {frozenset(b for b in a if node in reached[b]) for node, a in enumerate(reached)}
    assert {frozenset(component) for component in together} == {c for c in mutual if len(c) > 1}
