"""The scanner in the walk: its moves, states that stay, are alike, or cannot be told apart."""

import re

import numpy as np
import pytest

from maskc.compiler.rows.seeds import replace_equivalent
from maskc.compiler.rows.steps import InvariantSubtrees, build_steps
from maskc.compiler.rows.unlexed import find_adjacencies, shortest_lexemes
from maskc.ids import DEAD, ENTRY
from maskc.lexer import contexts_after
from maskc.vocab.trie import build_trie
from tests.languages import language_of

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "if" NAME | NAME "." NAME\nNAME: /[a-z]+/\n%ignore " "\n',
    "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n",
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_each_move_is_one_of_the_scanners_and_none_is_missing(text):
    lexed = language_of(text).lexed
    scanner, steps = lexed.scanner, build_steps(lexed.grammar.lexer, lexed.scanner)
    after, n_classes = contexts_after(lexed.grammar.lexer), scanner.next.shape[1]
    for kind, (terminal, boundary) in enumerate(steps.kinds):
        named = after.get(terminal, ()) if terminal != ENTRY else range(scanner.enter.shape[1])
        for byte_class in range(n_classes):
            low, high = steps.move_first[kind * n_classes + byte_class :][:2].tolist()
            found = {
                (context, int(steps.move_state[move]))
                for move in range(low, high)
                for context in range(scanner.enter.shape[1])
                if steps.events[steps.move_event[move]].contexts >> context & 1
            }
            expected = {
                (context, int(scanner.entries[scanner.enter[boundary, context], byte_class]))
                for context in named
            }
            assert found == {(c, s) for c, s in expected if s != DEAD}


TOKENS = tuple(text.encode() for text in ('ab"', "abc", "a", "a b", "if", "ifa", "ifab", "+", "é"))
STAYING = (
    'start: S "+" S\nS: /"[^"]*"/\n',
    'start: (NAME | "if") NAME\nNAME: /[a-z]+/\n%ignore " "\n',
    "start: A A\nA: /a[ab]?/\n",
    # More sets of classes than fit into one word.
    "start: (" + " | ".join(f'"x{chr(c)}" A{c}' for c in range(97, 123)) + ")\n"
    + "".join(f"A{c}: /[^{chr(c)}{chr(c).upper()}{chr(c + 33)}]+/\n" for c in range(97, 123)),
)  # fmt: skip


@pytest.mark.parametrize("text", STAYING)
def test_a_state_stays_if_each_byte_below_leads_back_and_begins_nothing(text):
    lexed = language_of(text).lexed
    scanner = lexed.scanner
    steps, trie = build_steps(lexed.grammar.lexer, scanner), build_trie(TOKENS)
    node_class = scanner.byte_class[trie.byte].astype(np.int32)
    n_classes = scanner.next.shape[1]

    def stays(state, node):
        for child in range(*trie.first_child[node : node + 2].tolist()):
            byte_class = int(node_class[child])
            kinds = steps.end_kind[steps.end_first[state] : steps.end_first[state + 1]]
            cells = kinds * n_classes + byte_class
            if (steps.move_first[cells + 1] > steps.move_first[cells]).any():
                return False
            if scanner.next[state, byte_class] != state or not stays(state, child):
                return False
        return True

    nothing = np.zeros(scanner.n_states, dtype=np.bool_)
    staying = InvariantSubtrees(scanner.next, steps, trie, node_class, nothing)
    states = np.arange(DEAD + 1, scanner.n_states, dtype=np.int32)
    nodes = np.arange(trie.n_nodes, dtype=np.int32)
    found = staying.find(np.repeat(states, len(nodes)), np.tile(nodes, len(states)))
    expected = [stays(state, node) for state in states.tolist() for node in nodes.tolist()]
    assert found.tolist() == expected
    assert any(expected)


def test_where_something_else_moves_only_nodes_with_nothing_below_stay():
    lexed = language_of(STAYING[0]).lexed
    scanner = lexed.scanner
    steps, trie = build_steps(lexed.grammar.lexer, scanner), build_trie((b"a", b"ab"))
    node_class = scanner.byte_class[trie.byte].astype(np.int32)
    moving = np.ones(scanner.n_states, dtype=np.bool_)
    staying = InvariantSubtrees(scanner.next, steps, trie, node_class, moving)
    inside = int(scanner.next[scanner.start, scanner.byte_class[ord('"')]])
    states = np.full(3, inside, dtype=np.int32)
    assert staying.find(states, np.arange(3, dtype=np.int32)).tolist() == [False, False, True]


def replaced(text: str, n_bytes: int) -> tuple[list[int], int]:
    """Return what stands for each scanner state, and the state after the first ``a``."""
    lexed = language_of(text).lexed
    scanner = lexed.scanner
    states = np.arange(scanner.n_states, dtype=np.int32)
    found = replace_equivalent(scanner, lexed.boundaries, states, np.full_like(states, n_bytes))
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


NAME = "NAME: /[a-z]+/\n"


def pairs_of(text):
    language = language_of(text)
    lexed = language.lexed
    found = find_adjacencies(lexed.grammar.lexer, lexed.scanner, lexed.boundaries, language.table)
    return {(pair.first, pair.second): pair.witness for pair in found}


def test_two_names_are_one_with_a_witness():
    found = pairs_of(f'start: NAME ("." | NAME)\n{NAME}')
    assert set(found) == {("NAME", "NAME")}
    assert re.fullmatch(b"[a-z]{2}", found["NAME", "NAME"])


def test_a_blank_that_is_ignored_keeps_them_apart():
    assert pairs_of(f'start: NAME ("." | NAME)\n{NAME}%ignore " "\n') == {}


def test_terminals_that_never_meet_are_no_pair():
    assert pairs_of(f'start: NAME "." NAME\n{NAME}') == {}


def test_each_terminal_has_a_shortest_lexeme():
    language = language_of("start: A | B\nA: /a+b/\nB: /[x-z]{3}/\n")
    names = language.lexed.grammar.bnf.terminals
    found = {names[t]: text for t, text in shortest_lexemes(language.lexed.scanner).items()}
    assert found["A"] == b"ab"
    assert re.fullmatch(b"[x-z]{3}", found["B"])
