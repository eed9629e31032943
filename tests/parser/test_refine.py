from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import END
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.scanner import build_scanner
from maskc.parser.items import build_item_sets
from maskc.parser.refine import build_refined_table


def refined(text):
    grammar, _ = load_grammar(load_source(text))
    scanner = build_scanner(grammar.lexer)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    table = build_refined_table(grammar, build_item_sets(grammar), boundaries)
    names = {
        lookahead: grammar.bnf.terminals[terminal]
        for terminal, lookaheads in boundaries.of_terminal.items()
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
    grammar, _ = load_grammar(load_source('start: "a"\n'))
    scanner = build_scanner(grammar.lexer)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    assert len(boundaries.of_terminal[END]) == 1
