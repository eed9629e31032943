"""Lark 1.2.2 and 1.3: what a lexeme may have after a keyword. Each runs with the Lark installed."""

import lark
import pytest

import maskc
from maskc.errors import GrammarError
from maskc.frontends.lark.versions import check_version, keyword_tail

# A name may take the line break after it, and so may be a keyword in Lark 1.2, and not in 1.3.
GRAMMAR = """
start: IF "x" | NAME "y"
IF: "if"
NAME: /[a-z]{2}\\n?/
"""
MULTILINE = """
// maskc: flags=m
start: IF "x" | NAME "y"
IF: "if"
NAME: /[a-z]{2}(\\n[a-z]{2})?/
"""
TEXTS = ["ifx", "ify", "if\nx", "if\ny", "ab\ny", "if\nabx", "if\naby", "if\nify"]


@pytest.mark.parametrize("grammar", [GRAMMAR, MULTILINE])
def test_a_keyword_before_a_line_break_is_what_the_installed_lark_takes_it_for(grammar):
    flags = 8 if "flags" in grammar else 0
    judge = lark.Lark(grammar, parser="lalr", g_regex_flags=flags)

    def is_text(text):
        try:
            judge.parse(text)
        except lark.exceptions.LarkError:
            return False
        return True

    artifact = maskc.compile_grammar(grammar, tokenizer="bytes")
    found = {}
    for text in TEXTS:
        matcher = artifact.matcher()
        found[text] = matcher.accept_bytes(text.encode()) and matcher.is_accepting
    assert found == {text: is_text(text) for text in TEXTS}
    old = lark.__version__.startswith("1.2")
    assert found["if\nx"] == (old and "flags" not in grammar)
    assert found["if\nabx"] == (old and "flags" in grammar)


@pytest.mark.parametrize(
    ("version", "flags", "tail"),
    [
        ("1.3.1", 0, ""),
        ("1.3.0", 8, ""),
        ("2.0", 0, ""),
        ("1.2.2", 0, r"\n?"),
        ("1.2.2", 8, r"(?:\n[\s\S]*)?"),
    ],
)
def test_what_may_follow_a_keyword(version, flags, tail, monkeypatch):
    monkeypatch.setattr("lark.__version__", version)
    assert keyword_tail(flags) == tail


def test_a_lark_older_than_those_we_are_held_against_is_refused(monkeypatch):
    monkeypatch.setattr("lark.__version__", "1.2.1")
    with pytest.raises(GrammarError, match=r"Lark 1\.2\.1 is installed, .* Lark 1\.2\.2 or newer"):
        check_version("x.lark")
    monkeypatch.setattr("lark.__version__", "1.2.2")
    check_version("x.lark")
