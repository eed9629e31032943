"""Every pass, once, in order, for both parsers."""

import pytest

from maskc.frontends.source import load_source
from maskc.pipeline import PASSES, compile_contents, compile_stages
from maskc.pushdown.dft import DftAutomaton
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import EVERY_BYTE

TEXT = 'start: "a" start "b" | "c"\n'
VOCABULARY = Vocabulary((*EVERY_BYTE, None), (256,), "bytes")


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_the_passes_are_run_in_order(parser):
    _, records = compile_contents(load_source(TEXT, parser=parser), VOCABULARY)
    assert tuple(record.name for record in records) == PASSES


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_the_pushdown_automaton_is_kept(parser):
    stages = compile_stages(load_source(TEXT, parser=parser), VOCABULARY)
    assert isinstance(stages.decider.asked.dft, DftAutomaton)
    assert stages.decider.asked.dft.transitions
