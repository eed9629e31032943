"""Items, how they are completed, and the refined table: against Lark's states and sequences."""

import itertools
from random import Random

import pytest

from maskc import bits
from maskc.compiler.lalr import build_item_sets, completion, find_equivalent
from maskc.compiler.lalr.completion import build_completions
from maskc.compiler.lalr.driver import StackOutcome, drive_lalr
from maskc.compiler.lalr_path import LalrPath
from maskc.compiler.pipeline import analyse_grammar
from maskc.errors import GrammarError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.frontends.texts import list_grammars
from maskc.ids import END
from tests.examples import seeds
from tests.languages import language_of

SYMBOLS = ("x", "y", "z", '"a"', '"b"', '"c"')


def _each_for_itself(grammar, item_sets, reduced_on):
    del grammar, reduced_on
    return [
        dict.fromkeys(closure, state)
        for state, closure in zip(item_sets.states(), item_sets.closures, strict=True)
    ]


def _draw_grammar(draw):
    def side():
        return " ".join(draw.choice(SYMBOLS) for _ in range(draw.randint(0, 3)))

    rules = [
        f"{name}: " + " | ".join(side() for _ in range(3)) for name in ("start", "x", "y", "z")
    ]
    return "\n".join(rules) + "\n"


def _same_tables(monkeypatch, grammar, source):
    shared = analyse_grammar(grammar, source, LalrPath()).table
    with monkeypatch.context() as patch:
        patch.setattr(completion, "find_equivalent", _each_for_itself)
        single = analyse_grammar(grammar, source, LalrPath()).table
    return shared == single


def test_random_grammars_have_the_same_refined_states(monkeypatch):
    compared = 0
    n_grammars = 3 * len(seeds(100))
    for seed in range(n_grammars):
        source = load_source(_draw_grammar(Random(seed)))
        try:
            grammar, source = load_grammar(source)
        except GrammarError:  # rules that collide
            continue
        assert _same_tables(monkeypatch, grammar, source), seed
        compared += 1
    assert compared > n_grammars // 6


@pytest.mark.costly
@pytest.mark.parametrize("name", sorted({*list_grammars()} - {"regex", "sql"}))
def test_grammars_of_ours_have_the_same_refined_states(monkeypatch, name):
    assert _same_tables(monkeypatch, *load_grammar(load_source(name)))


def test_states_that_move_alike_begin_a_nonterminal_alike():
    language = language_of('start: "a" x | "b" x\nx: "c" x |\n')
    grammar, states = language.lexed.grammar, language.lexed.grammar.lalr.states
    reduced = [dict.fromkeys(set(row.reduces.values()), 1) for row in states]
    same = find_equivalent(grammar, build_item_sets(grammar), reduced)
    x = grammar.bnf.nonterminals.index("x")
    assert len({found[x] for found in same if x in found}) == 1


def test_states_that_end_the_empty_rule_on_other_terminals_do_not():
    language = language_of('start: "a" x "b" | "c" x "d"\nx: "e" x |\n')
    grammar, states = language.lexed.grammar, language.lexed.grammar.lalr.states
    reduced = [dict.fromkeys(set(row.reduces.values()), sum(row.reduces)) for row in states]
    same = find_equivalent(grammar, build_item_sets(grammar), reduced)
    x = grammar.bnf.nonterminals.index("x")
    assert len({found[x] for found in same if x in found}) == 3


NESTED = 'start: "a" start "b" | "c"\n'
GRAMMARS = (
    NESTED,
    'start: start "+" start | "a" |\n',
    'start: x "a" | "b" x\nx: | "c" x\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_each_action_of_the_table_leads_to_the_moved_items(text):
    language = language_of(text)
    found, grammar = language.item_sets, language.lexed.grammar
    for state in found.states():
        started = [(p, 0) for productions in found.closures[state].values() for p in productions]
        moved = {}
        for item in (*found.kernels[state], *started):
            symbol = found.next_symbol(item)
            if symbol is not None:
                moved.setdefault(symbol, set()).add((item[0], item[1] + 1))
        for symbol, items in moved.items():
            target = grammar.lalr.target(state, symbol)
            assert set(found.kernels[target]) == items


COMPLETED = (
    'start: "a" start "b" | "c"\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
    'start: "(" x ")" | "[" x "]"\nx: "a" |\n',
    'start: start "," start | "a"\n',
)


def completions_of(text):
    """Return a language and its relations where the lexer forbids nothing: terminals alone."""
    language = language_of(text)
    grammar = language.lexed.grammar
    everything = (1 << len(grammar.bnf.terminals)) - 1
    own = {t: (t,) for t in range(len(grammar.bnf.terminals))}
    found = build_completions(grammar, language.item_sets, own, lambda _, __, ___: everything)
    return language, found


@pytest.mark.parametrize("text", COMPLETED)
def test_a_text_can_begin_with_what_completes_the_root(text):
    language, items = completions_of(text)
    grammar = language.lexed.grammar
    driver = drive_lalr(grammar)
    terminals = [t for t in range(len(grammar.bnf.terminals)) if t != END]
    found = set()
    for length in range(1, 6):
        for sequence in itertools.product(terminals, repeat=length):
            stack = [0]
            outcomes = (driver.take(stack, t) for t in (*sequence, END))
            if all(outcome in (StackOutcome.TAKES, StackOutcome.ENDS) for outcome in outcomes):
                found.add(sequence[0])
    assert set(bits.iterate(items[0, -1, 0, False].preimage(1 << END))) == found


def refined(text):
    language = language_of(text)
    grammar, table = language.lexed.grammar, language.table
    names = {
        lookahead: grammar.bnf.terminals[terminal]
        for terminal, lookaheads in language.lexed.boundaries.of_terminal.items()
        for lookahead in lookaheads
    }

    def live(*path):
        """Return the live terminals after shifts; the path holds no reductions."""
        state = 0
        for name in path:
            state = table.shifts[state][grammar.bnf.terminals.index(name)]
        return {names[i] for i in names if table.live[state] >> i & 1}

    return table, live


def test_the_state_after_a_nested_c_wants_b_and_the_outer_one_the_end():
    _, live = refined('start: "a" start "b" | "c"\n')
    assert live("C") == {"$END"}
    assert live("A", "C") == {"B"}


def test_states_are_split_by_what_the_stack_below_takes():
    table, _ = refined('start: "(" x ")" | "[" x "]"\nx: "a"\n')
    states_of_x = {s for s in range(len(table.live)) if len(table.shifts[s]) == 0}
    assert len({table.live[s] for s in states_of_x}) == 3


def test_a_lookahead_that_only_another_context_takes_is_not_live():
    """LALR merges the two states after ``a``: its table reduces on both brackets."""
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
    language = language_of('start: "a"\n')
    assert len(language.lexed.boundaries.of_terminal[END]) == 1
