import numpy as np

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import DEAD
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.scanner import build_scanner
from maskc.store.alike import replace_alike


def replaced(text: str, n_bytes: int) -> tuple[list[int], int]:
    """Return what stands for each scanner state, and the state after the first ``a``."""
    grammar, _ = load_grammar(load_source(text))
    scanner = build_scanner(grammar.lexer)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    states = np.arange(scanner.n_states, dtype=np.int32)
    found = replace_alike(scanner, boundaries, states, np.full_like(states, n_bytes))
    return found.tolist(), int(scanner.next[scanner.start, scanner.byte_class[ord("a")]])


def test_states_that_count_are_alike_until_a_token_can_reach_the_bound():
    for n_bytes in (0, 1, 3, 50):
        found, _ = replaced("start: A\nA: /a{1,40}/\n", n_bytes)
        counting = set(found[1:]) - {found[DEAD]}
        # One for each number of letters left that a token can notice, one for all others; and the
        # state before the text.
        assert len(counting) == min(n_bytes + 1, 40) + 1


def test_states_that_end_otherwise_are_not_alike():
    found, first = replaced('start: A | B\nA: "ab"\nB: "ac"\n', 1)
    assert found.count(found[first]) == 1


def test_the_dead_state_stands_for_itself_alone():
    found, _ = replaced("start: A\nA: /a{1,40}/\n", 0)
    assert found.count(DEAD) == 1
