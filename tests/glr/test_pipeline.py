"""What the compiler does for a general grammar, pass by pass."""

from maskc.frontends.source import load_source
from maskc.glr.pipeline import build_general_language

TEXT = 'start: start x | x |\nx: A | "b"\nA: /a+/\n'


def language_of(text):
    return build_general_language(load_source(text, parser="earley"))


def test_passes_run_in_the_order_of_the_page():
    names = []

    def run(name, work):
        names.append(name)
        return work()

    build_general_language(load_source(TEXT, parser="earley"), run)
    assert names == ["grammar", "scanner", "boundaries", "parser"]


def test_terminals_with_the_same_places_are_merged_for_the_dynamic_lexer_only():
    text = "start: (A | B)+\nA: /a+/\nB: /[ab]+/\n"
    assert len(language_of(text).merged) == 1
    basic = build_general_language(load_source(text, parser="earley", lexer="basic"))
    assert basic.merged == {}
