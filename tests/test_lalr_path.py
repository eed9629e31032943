"""What the compiler does for a grammar that Lark's LALR parser reads, pass by pass."""

import pytest

from maskc.errors import GrammarError
from maskc.frontends.source import load_source
from maskc.lalr_path import build_language
from maskc.pipeline import compile_stages
from maskc.vocab import load_vocabulary

TEXT = 'start: "(" start ")" | NAME\nNAME: /[a-z]+/\n'


def test_passes_run_in_the_order_of_the_page():
    names = []

    def run(name, work):
        names.append(name)
        return work()

    build_language(load_source(TEXT), run)
    assert names == ["grammar", "scanner", "boundaries", "parser"]


def test_an_artifact_has_the_table_of_the_language():
    stages = compile_stages(load_source(TEXT), load_vocabulary("bytes"))
    table, arrays = stages.language.table, stages.contents.arrays
    assert arrays["lalr_state"].tolist() == list(table.lalr_state)
    assert len(arrays["shift_state"]) == sum(map(len, table.shifts))
    assert stages.contents.header["layout"] is None
    assert stages.contents.header["counts"]["refined_states"] == len(table.live)


def test_a_grammar_without_a_text_is_refused():
    with pytest.raises(GrammarError):
        compile_stages(load_source('start: "a" start\n'), load_vocabulary("bytes"))
