from lark import Lark

from maskc.verify.earley import Column, Item, Rules, advance, find_rest

LARK = Lark('start: a "x" | "y"\na: | "z" a\nlost: lost "w"\n', parser="earley")
RULES = Rules(LARK)


def read(names):
    """Return the columns of terminals, one a place."""
    columns, kernel = [], RULES.begin()
    for name in (*names, None):
        columns.append(Column(RULES, columns, kernel))
        kernel = [advance(item) for item in columns[-1].scans.get(name, ())]
    return columns


def test_a_text_may_end_where_a_start_rule_is_complete():
    assert [read(names)[-1].ends for names in (["Y"], ["X"], ["Z", "Z", "X"], ["Z"])] == [
        True,
        True,
        True,
        False,
    ]


def test_what_may_come_next_is_what_items_wait_for():
    assert set(read(["Z"])[-1].scans) == {"X", "Z"}
    assert read(["X", "X"])[-1].scans == {}


def test_rules_that_never_end_are_left_out():
    assert {left for left, _ in RULES.sides} == {"start", "a"}


def test_the_shortest_sequence_of_a_symbol_is_known():
    assert RULES.shortest["start"] in {("X",), ("Y",)}
    assert RULES.shortest["a"] == ()


def test_an_ignored_lexeme_carries_what_waits_and_what_is_complete():
    carried = list(read(["Z"])[-1].carried())
    assert all(isinstance(item, Item) for item in carried)
    assert {RULES.next_symbol(item)[0] for item in carried} == {"X", "Z"}


def test_few_terminals_end_the_text():
    columns = read(["Z"])
    items = [item for waiting in columns[-1].scans.values() for item in waiting]
    assert find_rest(RULES, columns, items) == ("X",)


def test_what_leads_to_no_end_has_no_rest():
    assert find_rest(RULES, read(["Z"]), []) is None
