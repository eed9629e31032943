"""Texts that a grammar imports: of its own folder, and of Lark's library."""

import pytest

import maskc
from maskc.bounded import run_bounded
from maskc.errors import GrammarError, LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.limits import Limits


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "words.lark").write_text("%import .more (TAIL)\nWORD: /[a-z]/ TAIL\n")
    (tmp_path / "parts" / "more.lark").write_text("TAIL: /[0-9]+/\n")
    (tmp_path / "g.lark").write_text("%import .parts.words.WORD\nstart: WORD\n")
    return tmp_path


def test_imports_of_imports_are_carried_with_the_grammar(folder):
    artifact = maskc.compile_grammar(folder / "g.lark", tokenizer="bytes")
    assert set(artifact.header["grammar"]["imports"]) == {"parts/words.lark", "parts/more.lark"}
    matcher = artifact.matcher()
    assert matcher.accept_bytes(b"a12")
    assert not matcher.accept_bytes(b"b")


def test_a_grammar_beside_the_library_is_not_taken_for_it(tmp_path, monkeypatch):
    """Lark would look in the current folder for what its library does not have."""
    (tmp_path / "mine.lark").write_text("X: /x/\n")
    (tmp_path / "common.lark").write_text("INT: /wrong/\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GrammarError, match="imports mine, which Lark's library does not have"):
        load_grammar(load_source("%import mine.X\nstart: X\n"))
    artifact = maskc.compile_grammar("%import common.INT\nstart: INT\n", tokenizer="bytes")
    assert artifact.matcher().accept_bytes(b"7")
    assert not artifact.matcher().accept_bytes(b"w")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "it imports parts/words.lark, which is not there; check the path"),
        (b"X: /\xff/\n", "it imports parts/words.lark, whose byte 4 is not UTF-8"),
        (b"X: /x\n", "words.lark"),
    ],
)
def test_what_cannot_be_imported_is_named(folder, content, said):
    words = folder / "parts" / "words.lark"
    words.unlink() if content is None else words.write_bytes(content)
    with pytest.raises(GrammarError) as refused:
        load_grammar(load_source(folder / "g.lark"))
    assert said in str(refused.value)


def test_all_texts_count_together(folder):
    n_characters = sum(len(path.read_text()) for path in folder.rglob("*.lark"))

    def load(most):
        return run_bounded(lambda: load_grammar(load_source(folder / "g.lark")), Limits(text=most))

    load(n_characters)
    with pytest.raises(LimitError):
        load(n_characters - 1)
