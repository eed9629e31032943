import pytest

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import END
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.scanner import build_scanner
from maskc.parser.completion import Relation, build_completions
from maskc.parser.items import build_item_sets
from maskc.parser.refine import refine_states


def refined(text):
    grammar, _ = load_grammar(load_source(text))
    scanner = build_scanner(grammar.lexer)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    item_sets = build_item_sets(grammar)
    completions = build_completions(
        grammar,
        item_sets,
        boundaries.of_terminal,
        lambda look, state, enclosed: boundaries.follow(
            look, grammar.lalr.context_of[state], enclosed=enclosed
        ),
    )
    table = refine_states(grammar, item_sets, completions, boundaries.end)
    names = {
        look: grammar.bnf.terminals[terminal]
        for terminal, looks in boundaries.of_terminal.items()
        for look in looks
    }

    def live(*path):
        """Return the live terminals behind shifts; the path holds no reductions."""
        state = 0
        for name in path:
            state = table.shifts[state][grammar.bnf.terminals.index(name)]
        return {names[i] for i in names if table.live[state] >> i & 1}

    return table, live


def test_the_state_behind_a_nested_c_wants_b_and_the_outer_one_the_end():
    _, live = refined('start: "a" start "b" | "c"\n')
    assert live("C") == {"$END"}
    assert live("A", "C") == {"B"}


def test_states_are_split_by_what_the_stack_below_takes():
    table, _ = refined('start: "(" x ")" | "[" x "]"\nx: "a"\n')
    states_of_x = {s for s in range(len(table.live)) if len(table.shifts[s]) == 0}
    assert len({table.live[s] for s in states_of_x}) == 3


def test_a_lookahead_that_only_another_context_takes_is_not_live():
    """LALR merges the two states behind ``a``: its table reduces on both brackets."""
    _, live = refined('start: "(" x ")" | "[" x "]"\nx: "a"\n')
    assert live("LPAR", "A") == {"RPAR"}
    assert live("LSQB", "A") == {"RSQB"}


def test_a_language_that_shifting_made_empty_has_no_live_lookahead():
    table, _ = refined('start: x "a"\nx: "a" x | "a"\n')
    assert table.live[0] == 0


def test_a_stack_that_only_takes_what_cannot_be_lexed_is_dead():
    table, _ = refined("start: N N\nN: /[0-9]+/\n")
    assert table.live[0] == 0


def test_an_ignored_blank_revives_it():
    _, live = refined('start: N N\nN: /[0-9]+/\n%ignore " "\n')
    assert live("N") == {"N"}


def test_the_end_has_one_lookahead():
    grammar, _ = load_grammar(load_source('start: "a"\n'))
    scanner = build_scanner(grammar.lexer)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    assert len(boundaries.of_terminal[END]) == 1


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (Relation(0b11, ()), Relation(0b01, ()), Relation(0b01, ())),
        (Relation(0, ((1, 2),)), Relation(2, ()), Relation(0, ((1, 2),))),
        (Relation(0, ((1, 2),)), Relation(0, ((2, 4),)), Relation(0, ((1, 4),))),
        (Relation(0, ((1, 2),)), Relation(0, ((4, 4),)), Relation(0, ())),
        (Relation(1, ()), Relation(0, ((3, 4),)), Relation(0, ((1, 4),))),
    ],
)
def test_relations_compose(first, second, joined):
    assert first.then(second) == joined


def pairs(relation, n):
    found = {(i, i) for i in range(n) if relation.same >> i & 1}
    for first, last in relation.rectangles:
        found |= {(i, j) for i in range(n) if first >> i & 1 for j in range(n) if last >> j & 1}
    return found


@pytest.mark.parametrize("seed", range(50))
def test_union_and_preimage_are_those_of_sets_of_pairs(seed):
    import random

    draw = random.Random(seed)
    left, right = (
        Relation(
            draw.randrange(16), tuple((draw.randrange(1, 16), draw.randrange(1, 16)) for _ in "ab")
        )
        for _ in "xy"
    )
    joined = left | right
    assert pairs(joined, 4) == pairs(left, 4) | pairs(right, 4)
    targets = draw.randrange(16)
    assert joined.preimage(targets) == sum(
        1 << i for i in range(4) if any(targets >> j & 1 for k, j in pairs(joined, 4) if k == i)
    )
    composed = left.then(right)
    assert pairs(composed, 4) == {
        (i, k) for i, j in pairs(left, 4) for j2, k in pairs(right, 4) if j == j2
    }
