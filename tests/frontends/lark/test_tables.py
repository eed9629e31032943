"""Sharing rows changes no entry of Lark's table."""

from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import GrammarError
from lark.parsers.lalr_analysis import Shift

from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.sharing_lexers import PLAIN
from maskc.frontends.lark.tables import SHARING_ROWS, SharedRow
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
    assert named_rows(build_lark(source, {**PLAIN, **SHARING_ROWS})) == plain


def numbered_rows(lark: Lark, start: str) -> list[list]:
    """Return the rows from a start symbol on, numbered as they are met, and the end state."""
    table = lark.parser.parser._parse_table
    number = {table.start_states[start]: 0}
    queue, found = list(number), []
    for state in queue:
        row = []
        for name, (action, argument) in sorted(table.states[state].items()):
            if action is Shift and argument not in number:
                number[argument] = len(number)
                queue.append(argument)
            row.append((str(name), number[argument] if action is Shift else str(argument)))
        found.append(row)
    return [*found, [number.get(table.end_states[start])]]


SYMBOLS = ["A", "B", "C", "start", "x", "y", "z", "[A]", "(A|B)*", "B+"]


def draw_rules(draw: Random) -> str:
    lines = []
    for name in ("start", "x", "y", "z"):
        sides = [
            " ".join(draw.choices(SYMBOLS, k=draw.choice([0, 1, 1, 2, 3])))
            for _ in range(draw.choice([1, 1, 2, 3]))
        ]
        lines.append(f"{name}{draw.choice(['', '', '.1', '.-1'])}: {' | '.join(sides)}")
    return "\n".join(lines)


def build_tables(text: str, starts: list[str], plugins: Any = MappingProxyType({})) -> list | str:
    text = f'{text}\nA: "a"\nB: "b"\nC: "c"\n'
    try:
        lark = Lark(text, parser="lalr", start=starts, _plugins=dict(plugins))
    except GrammarError as error:
        return str(error).split()[0]
    return [numbered_rows(lark, start) for start in starts]


def is_larks(text: str, starts: list[str]) -> bool:
    ours = build_tables(text, starts, SHARING_ROWS)
    # Of some grammars with cycles of what may be empty, Lark's table changes from run to run.
    return any(build_tables(text, starts) == ours for _ in range(20))


@given(st.randoms(use_true_random=False))
@examples(100)
def test_the_table_of_a_random_grammar_or_its_refusal_is_larks(draw):
    assert is_larks(draw_rules(draw), draw.choice([["start"], ["x", "start"]]))


@pytest.mark.parametrize(
    "rules",
    [
        "start.-1: [A] | start start x\nx: x | | x start start B+",
        "start: z x y | x\nx.1: | y x\ny: start z A |\nz.2: (A|B)*",
        # An item inside a rule whose nonterminal also begins there.
        "start: start A start | B",
    ],
)
def test_lookaheads_that_only_lark_has_are_there(rules):
    assert is_larks(rules, ["start"])


def test_a_chain_of_rules_is_no_depth():
    rules = "".join(f"r{i}: r{i + 1}\n" for i in range(3_000))
    text = f'start: r0 | A start\n{rules}r3000: "b" |'
    tables = build_tables(text, ["start"], SHARING_ROWS)
    assert len(tables[0]) > 3_000


def test_rows_that_reduce_one_rule_share_their_names():
    text = 'start: ("a" N | "b" N)+\nN: "n"\n'
    lark = Lark(text, parser="lalr", _plugins=SHARING_ROWS)
    rows = lark.parser.parser._parse_table.states.values()
    names = [id(row.names) for row in rows if isinstance(row, SharedRow) and len(row.names) == 3]
    assert len(names) > 1
    assert len(set(names)) == 1


def test_states_of_a_grammar_share_what_they_reduce_on():
    words = " | ".join(f'"{a}{b}" N' for a in "abcde" for b in "vwxyz")
    grammar, _ = load_grammar(load_source(f'start: ({words})+\nN: "n"\n'))
    shared = [row.reduces for row in grammar.lalr.states if isinstance(row.reduces, Reduction)]
    assert sum(map(len, shared)) > 600
    assert len({id(found.terminals) for found in shared}) < 5
