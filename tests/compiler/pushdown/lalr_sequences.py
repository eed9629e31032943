"""Lark's table run on terminal sequences, and random grammars that Lark can load."""

from hypothesis import assume
from hypothesis import strategies as st

from maskc.errors import GrammarError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import END


def run_table(grammar, sequence):
    """Return how many of a sequence's terminals the table reads."""
    stack, at = [0], 0
    for _ in range(1000):
        if at == len(sequence):
            return at
        row, terminal = grammar.lalr.states[stack[-1]], sequence[at]
        if terminal == END and stack[-1] == grammar.lalr.end_state:
            return at + 1
        if terminal in row.shifts:
            stack.append(row.shifts[terminal])
            at += 1
        elif terminal in row.reduces:
            production = grammar.bnf.productions[row.reduces[terminal]]
            del stack[len(stack) - len(production.rhs) :]
            stack.append(grammar.lalr.states[stack[-1]].gotos[production.lhs])
        else:
            return at
    raise AssertionError("the table runs for ever")


@st.composite
def lark_grammars(draw):
    """Draw a grammar with rules start, x and y over A, B and C; many have conflicts."""
    symbols = st.sampled_from(["A", "B", "C", "x", "y"])
    sides = st.lists(symbols, max_size=3).map(" ".join)
    lines = ['A: "a"', 'B: "b"', 'C: "c"']
    for rule in ("start", "x", "y"):
        lines.append(f"{rule}: " + " | ".join(draw(st.lists(sides, min_size=1, max_size=3))))
    try:
        return load_grammar(load_source("\n".join(lines) + "\n"))[0]
    except GrammarError:  # reduce/reduce
        assume(False)
