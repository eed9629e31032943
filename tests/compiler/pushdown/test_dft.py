"""Automata over stacks: of the appendix and of debts; what is read, spread and run above."""

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyformlang.cfg import CFG
from pyformlang.pda import PDA

from maskc.compiler.pushdown.debt_automaton import (
    REFUSED,
    TAKEN,
    DebtAutomaton,
    Verdict,
    build_debt_automaton,
    check_debt_automaton,
    decide,
    find_stack,
)
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY, LocalSimulation
from maskc.compiler.pushdown.dft import build_dft, format_cfg, format_pda, to_cfg, to_pda
from maskc.compiler.pushdown.emptiness import Reads
from maskc.compiler.pushdown.reductions import Edges, spread
from maskc.errors import MissingPackageError
from maskc.grammar import Production
from maskc.grammar.sets import compute_sets, reduce_productions
from tests.compiler.pushdown.small_grammars import nested
from tests.compiler.pushdown.table_values import values_of

FIGURE_2 = """\
start •start, Z0
•start  ε  ε                    ε                    start•
•start  A  ε                    start ::= A          A
A       ε  start ::= A          start ::= A start    •start
start•  B  start ::= A start    start ::= A start B  B
B       ε  start ::= A start B  ε                    start•
start•  ε  Z0                   ε                    $END"""


def test_the_worked_example_has_the_automaton_of_figure_2():
    assert build_dft(nested()).format() == FIGURE_2


def test_each_transition_of_the_automaton_is_an_edge_in_dot():
    dot = build_dft(nested()).to_dot()
    assert dot.startswith("digraph dft {")
    assert '0 -> 2 [label="ε, start ::= A / start ::= A start"];' in dot
    assert dot.count("->") == 1 + 6
    assert "doublecircle" in dot


def test_pyformlang_reads_the_grammar_that_we_write():
    cfg = CFG.from_text(format_cfg(nested()), start_symbol="start")
    assert cfg.contains(["'A'", "'A'", "'B'", "'B'"])
    assert not cfg.contains(["'A'", "'B'", "'B'"])


def test_pyformlang_reads_the_automaton_that_we_write():
    graph = nx.node_link_graph(json.loads(format_pda(build_dft(nested()))), edges="edges")
    assert len(PDA.from_networkx(graph).states) == 5


def test_the_automaton_has_the_language_of_the_grammar():
    cfg = to_pda(build_dft(nested())).to_empty_stack().to_cfg()
    assert cfg.contains(["'A'", "'A'", "'B'", "'B'"])
    assert not cfg.contains(["'A'", "'B'", "'B'"])
    assert cfg.contains([])


def test_without_pyformlang_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyformlang.cfg", None)
    with pytest.raises(MissingPackageError, match=r"maskc\[analyze\]"):
        to_cfg(nested())


# Brackets: two are to be closed, and a stack of "(" may end, "|", after any number.
CLOSE_TWO = {2: [("(", 1), ("|", REFUSED)], 1: [("(", TAKEN), ("|", REFUSED)]}
LOOP = {0: [("a", 0), ("b", 1)], 1: [("a", TAKEN)]}


def build(edges, start, **bounds):
    return build_debt_automaton(start, edges.__getitem__, **bounds)


@pytest.mark.parametrize(
    ("edges", "verdict"),
    [
        ({0: [("a", TAKEN)]}, Verdict.ALWAYS),
        ({0: [("a", REFUSED)]}, Verdict.NEVER),
        ({0: [("a", TAKEN), ("b", REFUSED)]}, Verdict.DEPENDS),
        (LOOP, Verdict.ALWAYS),
        ({0: []}, Verdict.NEVER),
    ],
)
def test_a_verdict_is_what_the_ways_end_in(edges, verdict):
    assert decide(0, edges.__getitem__) is verdict
    assert build(edges, 0).verdict is verdict


def test_beyond_the_bound_nothing_is_known():
    assert decide(2, CLOSE_TWO.__getitem__, most=0) is Verdict.UNKNOWN
    assert build(CLOSE_TWO, 2, most=1) is None


def test_the_shortest_stack_is_found():
    assert find_stack(2, CLOSE_TWO.__getitem__, TAKEN) == ("(", "(")
    assert find_stack(2, CLOSE_TWO.__getitem__, REFUSED) == ("|",)
    assert find_stack(0, LOOP.__getitem__, REFUSED) is None


def test_automata_of_the_same_stacks_have_one_smallest_form():
    unrolled = {3: [("(", 4), ("|", REFUSED)], 4: [("(", 5), ("|", 6)], 5: [("(", TAKEN)]}
    unrolled |= {6: [("(", REFUSED)]}
    assert build(unrolled, 3).minimise() == build(CLOSE_TWO, 2).minimise()
    assert build(CLOSE_TWO, 2).minimise() != build(CLOSE_TWO, 1).minimise()
    assert build(LOOP, 0).minimise() == DebtAutomaton((), TAKEN)


def test_an_automaton_is_printed_one_edge_a_line():
    assert build(CLOSE_TWO, 2).format() == (
        "start 0\n0 --(--> 1\n0 --|--> refused\n1 --(--> taken\n1 --|--> refused"
    )


@pytest.mark.parametrize(
    "broken",
    [
        DebtAutomaton(((("a", 1),),), 0),
        DebtAutomaton(((("a", TAKEN), ("a", REFUSED)),), 0),
        DebtAutomaton(((("a", TAKEN),), (("a", TAKEN),)), 0),
        DebtAutomaton(((("a", -3),),), 0),
        DebtAutomaton(((),), 0),
    ],
)
def test_a_broken_automaton_is_refused(broken):
    with pytest.raises(ValueError, match="debt automaton"):
        check_debt_automaton(broken)


def test_a_built_automaton_passes_its_check():
    check_debt_automaton(build(CLOSE_TWO, 2))
    check_debt_automaton(DebtAutomaton((), TAKEN))


S, T = -1, -2
a, b, c = 1, 2, 3


def reads_of(*productions):
    reduced = reduce_productions(("$END", "a", "b", "c"), ("S", "T"), 0, productions)
    return Reads(reduced, compute_sets(reduced), lambda t: [t], lambda t: 1 << t)


def read(reads, rest, sequence):
    return reads.advance(reads.number_rest(rest), 1, reads.suffix(sequence))


def test_a_long_sequence_does_not_nest_calls():
    listed = reads_of(Production(0, (S, a)), Production(0, (a,)))
    assert read(listed, (S,), (a,) * 300 + (b,)) == (1 << 301) - 2


N_STATES, N_KINDS, N_WORDS = 6, 2, 2
states = st.integers(0, N_STATES - 1)
graphs = st.lists(
    st.lists(st.tuples(states, st.integers(0, N_KINDS - 1)), max_size=4),
    min_size=N_STATES,
    max_size=N_STATES,
)


def words_of_bits(n):
    word = st.sampled_from([0, 1, 6, 7, 1 << 63, (1 << 64) - 1])
    return st.lists(word, min_size=N_WORDS * n, max_size=N_WORDS * n).map(
        lambda bits: np.array(bits, dtype=np.uint64).reshape(N_WORDS, n)
    )


def make_edges(graph):
    flat = np.array([edge for row in graph for edge in row], dtype=np.int64).reshape(-1, 2)
    return Edges(np.cumsum([0, *map(len, graph)]), flat[:, 0].copy(), flat[:, 1].copy())


def spread_by_definition(graph, here, passes, kinds):
    here, grown = here.copy(), True
    while grown:
        grown = False
        for state, row in enumerate(graph):
            for target, kind in row:
                joined = here[:, target] | here[:, state] & kinds[:, kind] & passes[:, target]
                grown |= bool((joined != here[:, target]).any())
                here[:, target] = joined
    return here.tolist()


@pytest.mark.parametrize("rounds", [0, 1, 200])
@given(
    graph=graphs,
    here=words_of_bits(N_STATES),
    passes=words_of_bits(N_STATES),
    kinds=words_of_bits(N_KINDS),
)
def test_bits_reach_what_the_least_fixpoint_says(rounds, graph, here, passes, kinds):
    expected = spread_by_definition(graph, here, passes, kinds)
    spread(make_edges(graph), here, passes, kinds, rounds)
    assert here.tolist() == expected


CALLS = 'start: "f" "(" start ")" | "f" "(" ")" | "a"\n'


def segments_of(values):
    language = values.language
    return LocalSimulation(language.lexed, language.table, values.sequences)


def state_after(values, path):
    state = 0
    for name in path:
        state = values.language.table.shifts[state][values.terminal(name)]
    return state


@pytest.mark.parametrize(
    ("path", "names", "answer"),
    [
        # What is opened and closed is decided above the state; what pops the state itself is not.
        ("F LPAR", "F LPAR RPAR RPAR", MAY),
        ("F LPAR F LPAR", "A RPAR RPAR", DEPENDS),
        # A terminal that is not live.
        ("F LPAR", "RPAR A", FAIL),
        ("F LPAR", "F A", FAIL),
        ("F LPAR", "A F", FAIL),
    ],
)
def test_a_sequence_is_run_above_a_state(path, names, answer):
    """Of the top nothing is known but that a sequence without events is taken."""
    values = values_of(CALLS)

    def known(sequence, _top):
        return DEPENDS if values.sequences.length[sequence] else MAY

    states = (state_after(values, path.split()),)
    sequence = values.sequence(*names.split())
    assert segments_of(values).run(sequence, states, known, DEPENDS, FAIL) == answer


def test_a_stack_is_answered_as_often_as_it_is_asked_about():
    values = values_of(CALLS)
    segments, states = segments_of(values), (state_after(values, ["F"]),)
    asked = [(values.sequence("LPAR", name), states) for name in ("A", "F", "RPAR")]
    once, again = (
        [segments.run(*pair, lambda *_: DEPENDS, DEPENDS, FAIL) for pair in asked] for _ in "12"
    )
    assert once == again
    assert states == (state_after(values, ["F"]),)


def test_an_event_in_a_context_that_is_never_named_is_refused():
    values = values_of(CALLS)
    event = values.event("LPAR")._replace(contexts=0)
    sequence = values.sequences.extend(event, values.sequence())
    states = (state_after(values, ["F"]),)
    assert segments_of(values).run(sequence, states, lambda *_: DEPENDS, DEPENDS, FAIL) == FAIL


def test_what_is_known_of_the_top_is_asked_first():
    values = values_of(CALLS)
    asked = values.sequence("A"), (0,), lambda *_: FAIL, DEPENDS, FAIL
    assert segments_of(values).run(*asked) == FAIL
