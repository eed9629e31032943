"""What can lie below a state of a general table, and what it goes on with."""

from maskc.glr.cfg import make_cfg
from maskc.glr.lookback import find_below, find_going_on
from maskc.glr.lr0 import build_general_table
from maskc.grammar.model import Production
from maskc.ids import END

S = -1
a, b, c = 1, 2, 3


def table_of(*sides):
    cfg = make_cfg(0, 1, [Production(0, side) for side in sides], has_empty=False)
    return cfg, build_general_table(cfg)


def states_of(table, *symbols):
    """Return the state at the end of a way from the start."""
    state = 0
    for symbol in symbols:
        state = table.shifts[state][symbol] if symbol >= 0 else table.gotos[state][-1 - symbol]
    return state


def test_below_the_start_lies_nothing():
    _, table = table_of((a, S, b), (c,))
    assert find_below(table)[0] == ()


def test_below_a_state_lie_all_that_lead_to_it():
    _, table = table_of((a, S, b), (c,))
    opened = states_of(table, a)
    assert find_below(table)[opened] == (0, opened)
    assert find_below(table)[states_of(table, a, S)] == (opened,)


def test_a_state_goes_on_with_what_it_shifts():
    cfg, table = table_of((a, S, b), (c,))
    assert find_going_on(cfg, table)[states_of(table, a)] == 1 << a | 1 << c


def test_a_state_goes_on_with_what_some_stack_allows_after_a_reduction():
    cfg, table = table_of((a, S, b), (c,))
    goes_on = find_going_on(cfg, table)
    assert goes_on[states_of(table, c)] == 1 << b | 1 << END
    assert goes_on[states_of(table, a, S)] == 1 << b
    assert goes_on[states_of(table, S)] == 1 << END


def test_a_chain_of_reductions_is_followed_to_its_end():
    rules = [Production(0, (-2, b)), Production(1, (-3,)), Production(2, (a,))]
    cfg = make_cfg(0, 3, rules, has_empty=False)
    table = build_general_table(cfg)
    assert find_going_on(cfg, table)[table.shifts[0][a]] == 1 << b
