"""Conflicts that Lark resolved, and the table run on sequences, one stack or all at once."""

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given

from maskc.compiler.lalr import Conflict, build_item_sets, compute_lookaheads, find_conflicts
from maskc.compiler.lalr.completion import NOTHING, Relation
from maskc.compiler.lalr.driver import StackOutcome, StateMoves, drive_lalr, drive_refined
from maskc.compiler.lalr.refine import build_table_without_lexer
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import load_source
from maskc.ids import END
from tests.compiler.pushdown.lalr_sequences import lark_grammars
from tests.examples import examples, seeds
from tests.languages import language_of, terminal

FOLDER = Path(__file__).parents[3] / "grammars"
DANGLING_ELSE = 'start: "if" start | "if" start "else" start | "x"\n'
LOST = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'


def load(text):
    return load_lalr_grammar(load_source(text))[0]


def described(grammar):
    return [
        (grammar.bnf.terminals[c.terminal], grammar.bnf.productions[c.dropped].rhs, c.taken)
        for c in find_conflicts(grammar)
    ]


def test_a_grammar_that_is_lalr_has_no_conflict():
    assert not find_conflicts(load('start: "a" start "b" |\n'))


def test_a_dangling_else_is_a_conflict_on_else():
    grammar = load(DANGLING_ELSE)
    start, if_ = -1, grammar.bnf.terminals.index("IF")
    assert described(grammar) == [("ELSE", (if_, start), None)]


def test_a_shift_that_loses_texts_is_a_conflict():
    grammar = load(LOST)
    b = grammar.bnf.terminals.index("B")
    assert described(grammar) == [("A", (b,), None)]


def test_a_reduction_of_lower_priority_is_a_conflict():
    grammar = load("start: x | y\nx.2: A\ny.1: A\nA: /a/\n")
    (conflict,) = find_conflicts(grammar)
    assert isinstance(conflict, Conflict)
    names = [
        grammar.bnf.nonterminals[grammar.bnf.productions[p].lhs] for p in conflict_rules(conflict)
    ]
    assert names == ["y", "x"]


def conflict_rules(conflict):
    return conflict.dropped, conflict.taken


def test_python_has_ten_conflicts():
    """A call of something named ``match``, and a comma that may be the last one."""
    grammar, _ = load_lalr_grammar(load_source(FOLDER / "python.lark"))
    found = [
        (
            grammar.bnf.terminals[c.terminal],
            grammar.bnf.nonterminals[grammar.bnf.productions[c.dropped].lhs],
        )
        for c in find_conflicts(grammar)
    ]
    assert len(found) == 10
    assert [t for t, name in found if name == "python__name"] == [
        *("LPAR", "LSQB", "MINUS", "NOT", "PLUS")
    ]
    assert {t for t, name in found if name != "python__name"} == {"COMMA"}


@examples(80)
@given(lark_grammars())
def test_each_reduction_of_the_table_has_its_lookahead(grammar):
    lookaheads = compute_lookaheads(grammar, build_item_sets(grammar))
    for state, row in enumerate(grammar.lalr.states):
        for taken, production in row.reduces.items():
            assert lookaheads[state][production] >> taken & 1


NESTED = 'start: "a" start "b" |\n'


def load_lalr(text):
    return load_lalr_grammar(load_source(text))[0]


def drive(grammar, names, driver=None):
    """Return the outcome of each terminal, and the stack after them."""
    driver, stack = driver or drive_lalr(grammar), [0]
    outcomes = [driver.take(stack, grammar.bnf.terminals.index(name)) for name in names.split()]
    return outcomes, stack


def test_a_text_is_taken_terminal_by_terminal_to_its_end():
    outcomes, stack = drive(load_lalr(NESTED), "A A B B $END")
    assert outcomes == [StackOutcome.TAKES] * 4 + [StackOutcome.ENDS]
    assert len(stack) == 2


def test_the_text_does_not_end_while_something_is_open():
    assert drive(load_lalr(NESTED), "A $END")[0][-1] is StackOutcome.REFUSES


def test_a_terminal_that_no_action_takes_is_refused():
    assert drive(load_lalr(NESTED), "B")[0] == [StackOutcome.REFUSES]


def test_a_reduction_below_what_is_known_is_not_done():
    grammar = load_lalr(NESTED)
    whole = drive(grammar, "A A B")[1]
    above, b = whole[-1:], grammar.bnf.terminals.index("B")
    assert drive_lalr(grammar).take(above, b) is StackOutcome.NEEDS_BELOW
    assert above == whole[-1:]


def test_the_states_that_come_on_top_are_told():
    grammar = load_lalr('start: x "c"\nx: y\ny: "b"\n')
    stack, passed = drive(grammar, "B")[1], []
    drive_lalr(grammar).reduce(stack, grammar.bnf.terminals.index("C"), passed)
    assert len(passed) == 2
    assert passed[-1] == stack[-1]


def test_the_refined_table_takes_what_the_lalr_table_takes():
    grammar = load_lalr(NESTED)
    refined = drive_refined(grammar, build_table_without_lexer(grammar))
    for names in ("A B $END", "A A B B $END", "$END"):
        assert drive(grammar, names, refined)[0] == drive(grammar, names)[0]


def test_the_text_ends_though_there_is_one_more_reduction():
    assert drive(load_lalr('start: start | "a"\n'), "A $END")[0] == [
        StackOutcome.TAKES,
        StackOutcome.ENDS,
    ]


GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: e\ne: "-" e | e "-" | "a"\n',
    'start: x "a" | "b" x\nx: | "c" x\n',
    'start: start "," start | "a" |\n',
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_no_state_that_can_be_on_top_is_left_out(text):
    grammar = language_of(text).lexed.grammar
    moves, driver = StateMoves(grammar), drive_lalr(grammar)
    terminals = [t for t in range(len(grammar.bnf.terminals)) if t != END]
    for length in range(1, 5):
        for sequence in itertools.product(terminals, repeat=length):
            stack, possible = [0], 1
            for taken in sequence:
                if driver.take(stack, taken) is not StackOutcome.TAKES:
                    break
                possible = moves.after(taken, possible)
                assert possible >> stack[-1] & 1


def test_an_indent_goes_with_its_newline():
    language = language_of(
        'start: "a" _NL (_INDENT "b" _NL _DEDENT)?\n_NL: /\\n[ ]*/\n%declare _INDENT _DEDENT\n',
        postlex="tests.indenters:TwoColumns",
    )
    moves = StateMoves(language.lexed.grammar)
    after = moves.after(
        terminal(language, "_NL"), moves.after(terminal(language, "A"), moves.everywhere)
    )
    assert moves.after(terminal(language, "B"), after) != 0


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


@pytest.mark.parametrize("seed", seeds(50))
def test_union_and_preimage_are_those_of_sets_of_pairs(seed):
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


def test_the_image_of_a_set_is_what_its_members_are_related_to():
    relation = Relation(0b001, ((0b010, 0b100), (0b100, 0b011)))
    assert relation.image(0b001) == 0b001
    assert relation.image(0b110) == 0b111
    assert NOTHING.image(0b111) == 0


def test_overlapping_first_sides_are_split():
    joined = Relation(0, ((0b011, 0b01),)) | Relation(0, ((0b110, 0b10),))
    assert dict(joined.rectangles) == {0b001: 0b01, 0b010: 0b11, 0b100: 0b10}
