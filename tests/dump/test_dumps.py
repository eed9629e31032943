import pytest

from tests.dump.golden import FOLDER, GRAMMARS, dump_grammar_file, golden_of


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda path: path.stem)
def test_every_stage_of_a_grammar_is_what_was_reviewed(grammar):
    assert dump_grammar_file(grammar) == golden_of(grammar).read_text(encoding="utf-8")


def test_every_reviewed_text_has_its_grammar():
    texts = {path.stem for path in FOLDER.glob("*.txt")}
    assert texts == {path.stem for path in GRAMMARS}
