"""A kit's compiler that works in the process and thread that ask."""

import pytest

from maskc.errors import BudgetError
from maskc.kit.compiling import GrammarOrder, InProcess, SchemaOrder
from maskc.limits import Limits
from maskc.runtime.schema.plan.plan import Layout
from maskc.vocab import load_vocabulary


@pytest.fixture(scope="module")
def compiler():
    return InProcess(lambda: load_vocabulary("bytes"))


def test_a_schema_becomes_a_plan(compiler):
    assert compiler.plan(SchemaOrder({}, {}, Layout(), True), Limits()).data.startswith(b"{")


def test_a_pattern_becomes_an_automaton(compiler):
    automaton = compiler.automaton("a+", Limits())
    assert list(automaton.moves(0)) == [97]
    assert automaton.n_nodes > 0


def test_a_grammar_becomes_an_artifact(compiler):
    made = compiler.artifact(GrammarOrder("lark", 'start: "a"', {}), Limits())
    assert made.matcher().accept_bytes(b"a")


def test_limits_are_kept(compiler):
    with pytest.raises(BudgetError):
        compiler.automaton("((a{1,500}){1,500}){1,500}(?!b)", Limits(seconds=0.05))
