"""What a header says, for both parsers alike."""

import pytest

from maskc.emit.header import MAX_REPORTED
from tests.compiled import compile_text

COUNTS = {"terminals", "nonterminals", "productions", "scanner_states", "byte_classes"}
COUNTS |= {"boundaries", "lookaheads", "trie_nodes", "rows", "token_sets", "words", "masks"}
COUNTS |= {"word_classes", "nodes", "undecided_nodes", "answers", "questions", "not_lexed_apart"}


@pytest.mark.parametrize(
    ("parser", "own"),
    [
        ("lalr", {"lalr_states", "refined_states", "contexts"}),
        ("earley", {"rewritten_productions", "general_states"}),
    ],
)
def test_each_parser_adds_what_only_it_has(parser, own):
    header = compile_text('start: "a" | "b" start\n', parser=parser).header
    assert header["counts"].keys() == COUNTS | own


def test_pairs_that_are_not_lexed_apart_are_listed_up_to_a_bound():
    names = [f"T{n}" for n in range(12)]
    rules = [f"start: x*\nx: {' | '.join(names)}"]
    rules += [f"{name}: /{'a' * (n + 1)}+/" for n, name in enumerate(names)]
    header = compile_text("\n".join([*rules, ""])).header
    assert header["counts"]["not_lexed_apart"] > MAX_REPORTED
    assert len(header["not_lexed_apart"]) == MAX_REPORTED
