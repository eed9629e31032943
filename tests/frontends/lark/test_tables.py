"""Tables and lexers as Lark makes them, shared, rebound, and read with numbers of our own."""

import ast
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import lark
import lark.lexer
import lark.load_grammar
import lark.parser_frontends
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import GrammarError, LexError, VisitError
from lark.parsers.lalr_analysis import Shift

from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.reading import read_grammar
from maskc.frontends.lark.sharing import PLAIN, SHARING_CONTEXTS, SHARING_ROWS, SharedRow, rebound
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import LalrGrammar, Reduction
from tests.examples import examples

FOLDER = Path(__file__).parents[3] / "grammars"
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
    source = load_source(FOLDER / f"{name}.lark")
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


def test_states_of_a_grammar_share_what_they_reduce_on():
    words = " | ".join(f'"{a}{b}" N' for a in "abcde" for b in "vwxyz")
    grammar, _ = load_grammar(load_source(f'start: ({words})+\nN: "n"\n'))
    shared = [row.reduces for row in grammar.lalr.states if isinstance(row.reduces, Reduction)]
    assert sum(map(len, shared)) > 600
    assert len({id(found.terminals) for found in shared}) < 5


# Two rules that call each other and nobody else does are kept by Lark, and no state acts on E.
UNREACHED = 'start: "a"\nx: "b" y E\ny: x\nE: /c*/\n'


def _terminals(lark):
    lexer = lark.parser.lexer.lexer if lark.lexer_conf.postlex else lark.parser.lexer
    by_state = {state: [t.name for t in one.terminals] for state, one in lexer.lexers.items()}
    return by_state, [t.name for t in lexer.root_lexer.terminals]


def _tokens(lark, text):
    return [(token.type, str(token), token.line) for token in lark.lex(text)]


@pytest.mark.costly
@pytest.mark.parametrize("name", ["json", "lua", "python"])
def test_contexts_have_the_terminals_that_lark_gives_them_in_its_order(name):
    source = load_source(name)
    shared = _terminals(build_lark(source, SHARING_CONTEXTS))
    by_state, all_terminals = _terminals(build_lark(source))
    assert sorted(map(tuple, shared[0].values())) == sorted(map(tuple, by_state.values()))
    assert shared[1] == all_terminals


def test_a_text_is_lexed_as_by_lark():
    grammar = 'start: ("if" NAME ";")*\nNAME: /[a-z]+/\n%ignore /\\s+/\n'
    shared = Lark(grammar, parser="lalr", _plugins=SHARING_CONTEXTS)
    text = "if ab ;\nif\n\nifx ;"
    assert _tokens(shared, text) == _tokens(Lark(grammar, parser="lalr"), text)
    assert shared.parse(text) == Lark(grammar, parser="lalr").parse(text)


@pytest.mark.parametrize("plugins", [{}, SHARING_CONTEXTS])
def test_a_terminal_that_no_state_acts_on_is_not_checked(plugins):
    assert Lark(UNREACHED, parser="lalr", _plugins=plugins).parse("a").data == "start"


@pytest.mark.parametrize("plugins", [{}, SHARING_CONTEXTS])
def test_a_terminal_that_can_be_empty_is_refused_with_larks_words(plugins):
    with pytest.raises(LexError) as caught:
        Lark('start: "a" E\nE: /c*/\n', parser="lalr", _plugins=plugins)
    assert str(caught.value) == "Lexer does not allow zero-width terminals. (E: 'c*')"


GRAMMAR = 'start: ("a" N | "b" N)+\nN: /n+/\n%ignore " "\n'


def asked(more=len):
    """Say how much."""
    return more(GRAMMAR)


def test_a_copy_has_another_name_and_the_function_has_not():
    copy = rebound(asked, GRAMMAR="abc")
    assert (copy(), asked(), copy.__doc__) == (3, len(GRAMMAR), "Say how much.")


def is_larks_own(built):
    """Return whether nothing of ours is in a parser."""
    rows = built.parser.parser._parse_table.states.values()
    lexers = built.parser.lexer.lexers.values()
    made = [built.parser.parser, built.parser.lexer, *lexers]
    modules = {type(one).__module__.partition(".")[0] for one in made}
    return modules == {"lark"} and not any(isinstance(row, SharedRow) for row in rows)


def test_a_thread_that_builds_its_own_lark_meanwhile_gets_larks_classes():
    source, found = load_source("python"), []

    def build_ours():
        for _ in range(2):
            load_grammar(source)
            load_grammar(load_source(GRAMMAR, roles={"start.N": "n"}))

    before = {**vars(lark.lexer)}, {**vars(lark.parser_frontends)}
    with ThreadPoolExecutor(1) as pool:
        ours = pool.submit(build_ours)
        while not ours.done():
            # Python before 3.11.8 may refuse a literal while another thread reads one.
            with suppress(VisitError):
                found.append(is_larks_own(Lark(GRAMMAR, parser="lalr")))
            assert (vars(lark.lexer), vars(lark.parser_frontends)) == before
        ours.result()
    assert len(found) > 10
    assert all(found)


def test_a_literal_that_python_cannot_read_beside_another_thread_is_read_again(monkeypatch):
    answers = [SystemError("AST constructor recursion depth mismatch (before=90, after=181)")]

    def fail_once(text):
        if answers:
            raise answers.pop()
        return ast.literal_eval(text)

    monkeypatch.setattr(lark.load_grammar, "literal_eval", fail_once)
    assert load_grammar(load_source(GRAMMAR))[0].bnf.terminals == (
        "$END",
        "A",
        "B",
        "N",
        "__IGNORE_0",
    )
    assert answers == []


TEXT = 'start: x "+" x\nx: NAME | "(" start ")"\nNAME: /[a-z]+/\n%ignore " "\n'


def read(text, **settings):
    return read_grammar(load_source(text, **settings))[0]


def test_the_order_of_rules_and_terminals_does_not_matter():
    lines = TEXT.splitlines(keepends=True)
    grammar, other = read(TEXT), read("".join(reversed(lines)))
    assert grammar.bnf == other.bnf
    assert grammar.lalr == other.lalr


def test_the_state_at_the_end_is_where_the_start_symbol_leads():
    grammar = read(TEXT)
    assert grammar.lalr.states[0].gotos[grammar.bnf.start] == grammar.lalr.end_state


def test_a_state_looks_only_for_terminals_that_it_acts_on():
    grammar = read(TEXT)
    ignored = grammar.lexer.ignored
    for state, row in enumerate(grammar.lalr.states):
        context = grammar.lexer.contexts[grammar.lalr.context_of[state]]
        looked_for = set(context.alternatives) | {
            keyword for _, keywords in context.keywords for keyword in keywords
        }
        assert looked_for - ignored <= {*row.shifts, *row.reduces}


def test_earley_has_no_table_and_one_context():
    grammar = read(TEXT, parser="earley")
    assert not isinstance(grammar, LalrGrammar)
    assert len(grammar.lexer.contexts) == 1
    assert set(grammar.lexer.contexts[0].alternatives) == set(range(1, len(grammar.bnf.terminals)))
