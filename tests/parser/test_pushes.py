"""Where the kernel items of a pushed state have their bases."""

from maskc.parser.pushes import Origin, list_pushes
from tests.languages import language_of, terminal

NESTED = 'start: "a" start "b" | "c"\n'


def pushes_at(text, *names):
    """Return the pushes on the state after some terminals are shifted from the start."""
    language = language_of(text)
    state = 0
    for name in names:
        state = language.lexed.grammar.lalr.states[state].shifts[terminal(language, name)]
    return language, list_pushes(language.lexed.grammar, language.item_sets, state)


def test_an_item_that_starts_here_comes_from_the_closure_of_its_left_side():
    language, pushes = pushes_at(NESTED, "A")
    target, origins = pushes.symbols[terminal(language, "A")]
    assert origins == (Origin(-1, 0),)
    assert language.item_sets.kernels[target] == ((0, 1),)


def test_an_item_under_way_keeps_its_base():
    _, pushes = pushes_at(NESTED, "A")
    assert pushes.symbols[-1][1] == (Origin(0, -1),)


def test_every_symbol_after_a_dot_is_pushed_and_no_other():
    language, pushes = pushes_at(NESTED, "A")
    assert set(pushes.symbols) == {terminal(language, "A"), terminal(language, "C"), -1}


def test_a_left_recursive_nonterminal_reads_itself():
    _, pushes = pushes_at('start: start "a" | "b"\n')
    assert pushes.readers == {0: frozenset({0})}


def test_one_that_only_begins_with_terminals_is_read_by_none():
    _, pushes = pushes_at(NESTED, "A")
    assert pushes.readers == {0: frozenset()}
