"""What the compiler does for a general grammar, pass by pass."""

from maskc.frontends.source import load_source
from maskc.glr.pipeline import build_general_language, rewrite_productions
from maskc.pipeline import compile_stages
from maskc.vocab import load_vocabulary

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


def test_no_production_is_empty_after_the_rewrites():
    lexed = language_of(TEXT).lexed
    found = rewrite_productions(lexed.grammar.bnf, lexed.scanner, lexed.boundaries).cfg
    assert found.has_empty
    assert all(production.rhs for production in found.productions)


def test_terminals_with_the_same_places_are_merged_for_the_dynamic_lexer_only():
    text = "start: (A | B)+\nA: /a+/\nB: /[ab]+/\n"
    assert len(language_of(text).merged) == 1
    basic = build_general_language(load_source(text, parser="earley", lexer="basic"))
    assert basic.merged == {}


def test_an_artifact_has_the_table_of_the_language():
    stages = compile_stages(load_source(TEXT, parser="earley"), load_vocabulary("bytes"))
    table, arrays = stages.language.table, stages.contents.arrays
    assert len(arrays["general_taken"]) == len(table.shifts) == len(arrays["profile_of"])
    assert len(arrays["general_reduce_length"]) == sum(map(len, table.reduces))
    assert stages.contents.header["counts"]["general_states"] == len(table.shifts)
