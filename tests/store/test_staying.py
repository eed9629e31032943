"""Whether all tokens below a node leave a state as it is, held against each byte of theirs."""

import numpy as np
import pytest

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import DEAD
from maskc.lexer.scanner import build_scanner
from maskc.store.staying import Staying
from maskc.store.steps import build_steps
from maskc.vocab.trie import build_trie

TOKENS = tuple(text.encode() for text in ('ab"', "abc", "a", "a b", "if", "ifa", "ifab", "+", "é"))
GRAMMARS = (
    'start: S "+" S\nS: /"[^"]*"/\n',
    'start: (NAME | "if") NAME\nNAME: /[a-z]+/\n%ignore " "\n',
    "start: A A\nA: /a[ab]?/\n",
    # More sets of classes than fit into one word.
    "start: (" + " | ".join(f'"x{chr(c)}" A{c}' for c in range(97, 123)) + ")\n"
    + "".join(f"A{c}: /[^{chr(c)}{chr(c).upper()}{chr(c + 33)}]+/\n" for c in range(97, 123)),
)  # fmt: skip


@pytest.mark.parametrize("text", GRAMMARS)
def test_a_state_stays_if_each_byte_below_leads_back_and_begins_nothing(text):
    grammar, _ = load_grammar(load_source(text))
    scanner = build_scanner(grammar.lexer)
    steps, trie = build_steps(grammar.lexer, scanner), build_trie(TOKENS)
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
    staying = Staying(scanner.next, steps, trie, node_class, nothing)
    states = np.arange(DEAD + 1, scanner.n_states, dtype=np.int32)
    nodes = np.arange(trie.n_nodes, dtype=np.int32)
    found = staying.find(np.repeat(states, len(nodes)), np.tile(nodes, len(states)))
    expected = [stays(state, node) for state in states.tolist() for node in nodes.tolist()]
    assert found.tolist() == expected
    assert any(expected)


def test_where_something_else_moves_only_nodes_with_nothing_below_stay():
    grammar, _ = load_grammar(load_source(GRAMMARS[0]))
    scanner = build_scanner(grammar.lexer)
    steps, trie = build_steps(grammar.lexer, scanner), build_trie((b"a", b"ab"))
    node_class = scanner.byte_class[trie.byte].astype(np.int32)
    moving = np.ones(scanner.n_states, dtype=np.bool_)
    staying = Staying(scanner.next, steps, trie, node_class, moving)
    inside = int(scanner.next[scanner.start, scanner.byte_class[ord('"')]])
    states = np.full(3, inside, dtype=np.int32)
    assert staying.find(states, np.arange(3, dtype=np.int32)).tolist() == [False, False, True]
