"""Every pass, once, in order, for both parsers."""

import pytest

from maskc.compiler.pipeline import PASSES, compile_contents, compile_stages
from maskc.errors import GrammarError
from maskc.frontends.source import load_source
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import EVERY_BYTE

TEXT = 'start: "a" start "b" | "c"\n'
VOCABULARY = Vocabulary((*EVERY_BYTE, None), (256,), "bytes")


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_the_passes_are_run_in_order(parser):
    _, records = compile_contents(load_source(TEXT, parser=parser), VOCABULARY)
    assert tuple(record.name for record in records) == PASSES


BRACKETS = 'start: "(" start ")" | NAME\nNAME: /[a-z]+/\n'


def test_an_artifact_has_the_table_of_the_language():
    stages = compile_stages(load_source(BRACKETS), load_vocabulary("bytes"))
    table, arrays = stages.language.table, stages.contents.arrays
    assert arrays["lalr_state"].tolist() == list(table.lalr_state)
    assert len(arrays["shift_state"]) == sum(map(len, table.shifts))
    assert stages.contents.header["layout"] is None
    assert stages.contents.header["counts"]["refined_states"] == len(table.live)


def test_a_grammar_without_a_text_is_refused():
    with pytest.raises(GrammarError):
        compile_stages(load_source('start: "a" start\n'), load_vocabulary("bytes"))
