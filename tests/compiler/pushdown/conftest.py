"""python.lark, loaded once."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import Grammar
from maskc.grammar.sets import reduce_grammar

GRAMMARS = Path(__file__).parents[3] / "grammars"


@dataclass
class Loaded:
    grammar: Grammar

    def id(self, name):
        return self.grammar.bnf.terminals.index(name)

    def names(self, bits):
        return {name for t, name in enumerate(self.grammar.bnf.terminals) if bits >> t & 1}

    @cached_property
    def reduced(self):
        return reduce_grammar(self.grammar.bnf)

    @cached_property
    def debts(self):
        return ProductionDebts(self.reduced)

    @cached_property
    def never(self):
        return self.debts


@pytest.fixture(scope="session")
def python():
    return Loaded(load_grammar(load_source(GRAMMARS / "python.lark"))[0])
