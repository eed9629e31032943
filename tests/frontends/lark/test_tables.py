"""Sharing rows changes no entry of Lark's table."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import GrammarError
from lark.parsers.lalr_analysis import Shift

from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.tables import SharedRow, shared_lookaheads
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.lalr import Reduction
from tests.examples import examples

GRAMMARS = Path(__file__).parents[3] / "grammars"
NAMES = ("json", "python", "c", "graphql")


def named_rows(lark: Lark) -> dict[frozenset, list]:
    """Return Lark's rows, states named by the names in their rows."""
    table = lark.parser.parser._parse_table
    names = {state: frozenset(map(str, row)) for state, row in table.states.items()}
    found: dict[frozenset, list] = {}
    for state, row in table.states.items():
        described = {
            str(name): ("shift", sorted(names[argument]))
            if action is Shift
            else ("reduce", str(argument))
            for name, (action, argument) in row.items()
        }
        found.setdefault(names[state], []).append(sorted(described.items()))
    return {key: sorted(rows) for key, rows in found.items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_a_grammar_of_ours_is_larks(name):
    source = load_source(GRAMMARS / f"{name}.lark")
    plain = named_rows(build_lark(source))
    with shared_lookaheads():
        assert named_rows(build_lark(source)) == plain


symbols = st.sampled_from(["A", "B", "C", "start", "x", "y", "[A]", "(A|B)*", "B+"])
expansions = st.lists(st.lists(symbols, max_size=3).map(" ".join), min_size=1, max_size=3)


@given(expansions, expansions, expansions)
@examples(100)
def test_the_table_of_a_random_grammar_or_its_refusal_is_larks(start, x, y):
    rules = "\n".join(
        f"{name}: {' | '.join(found)}" for name, found in [("start", start), ("x", x), ("y", y)]
    )
    text = f'{rules}\nA: "a"\nB: "b"\nC: "c"\n'
    tables: list[object] = []
    for block in (nullcontext(), shared_lookaheads()):
        with block:
            try:
                tables.append(named_rows(Lark(text, parser="lalr")))
            except GrammarError as error:
                tables.append(str(error).split()[0])
    assert tables[0] == tables[1]


def test_rows_that_reduce_one_rule_share_their_names():
    with shared_lookaheads():
        lark = Lark('start: ("a" N | "b" N)+\nN: "n"\n', parser="lalr")
    rows = lark.parser.parser._parse_table.states.values()
    names = [id(row.names) for row in rows if isinstance(row, SharedRow) and len(row.names) == 3]
    assert len(names) > 1
    assert len(set(names)) == 1


def test_lark_is_as_before_outside_of_the_block():
    with shared_lookaheads():
        pass
    lark = Lark('start: "a"\n', parser="lalr")
    rows = lark.parser.parser._parse_table.states.values()
    assert not any(isinstance(row, SharedRow) for row in rows)


def test_states_of_a_grammar_share_what_they_reduce_on():
    words = " | ".join(f'"{a}{b}" N' for a in "abcde" for b in "vwxyz")
    grammar, _ = load_grammar(load_source(f'start: ({words})+\nN: "n"\n'))
    shared = [row.reduces for row in grammar.lalr.states if isinstance(row.reduces, Reduction)]
    assert sum(map(len, shared)) > 600
    assert len({id(found.terminals) for found in shared}) < 5
