"""What a header says, for both parsers alike, and the arrays below it."""

import numpy as np
import pytest

from maskc.artifact.model import Contents, check
from maskc.compiler.emit import find_contexts
from maskc.compiler.emit.assemble import MAX_REPORTED
from maskc.compiler.pipeline import compile_contents
from maskc.frontends.source import load_source
from maskc.ids import DEAD
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import accepts, compile_text
from tests.languages import language_of

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


TEXT = 'start: "a"\n'


def test_equal_grammars_with_equal_settings_have_equal_hashes():
    hashes = [load_source(TEXT).describe()["sha256"] for _ in range(2)]
    assert hashes[0] == hashes[1]


def test_what_changes_the_language_changes_the_hash():
    sources = [
        load_source(TEXT),
        load_source('start: "b"\n'),
        load_source(TEXT, lexer="basic"),
        load_source(TEXT, parser="earley"),
    ]
    assert len({source.describe()["sha256"] for source in sources}) == len(sources)


def test_the_parser_is_named_where_it_is_not_larks_lalr():
    assert "parser" not in load_source(TEXT).describe()
    assert load_source(TEXT, parser="earley").describe()["parser"] == "earley"


def test_an_indenter_is_told_by_its_attributes():
    text = f"{TEXT}_NL: /\\n */\n%declare _INDENT _DEDENT\n"
    found = load_source(text, postlex="tests.indenters:TwoColumns").describe()["postlex"]
    assert found["tab_len"] == 2
    assert "class" not in found
    assert load_source(TEXT).describe()["postlex"] is None


def test_a_translated_grammar_carries_its_original():
    found = load_source('root ::= "a"\n', dialect="gbnf").describe()
    assert found["dialect"] == "gbnf"
    assert found["original"] == 'root ::= "a"\n'


def test_tokens_that_write_a_text_are_counted():
    vocabulary = Vocabulary(tokens=(b"a", None, b"b", None), eos_ids=(3,), name="test")
    found = vocabulary.describe()
    assert (found["vocab_size"], found["n_tokens"], found["eos_ids"]) == (4, 2, [3])
    assert found["fingerprint"] == vocabulary.fingerprint


def test_an_artifact_with_32_bits_a_state_is_right_and_used_as_one_with_16():
    """More than 65,536 states once wrapped, and a text of the grammar was refused in silence."""
    source = load_source('start: (NAME | "if")+\nNAME: /[a-z]+/\n%ignore " "\n')
    contents, _ = compile_contents(source, load_vocabulary("bytes"))
    arrays = dict(contents.arrays)
    narrow_ones = [name for name, array in arrays.items() if array.dtype == np.uint16]
    assert {"scanner_piece", "scanner_next", "scanner_enter", "rest"} < {*narrow_ones}
    for name in narrow_ones:
        arrays[name] = arrays[name].astype(np.uint32)
    wide = Contents(contents.header, arrays)
    assert check(wide) is None
    assert accepts(Artifact(wide), "if x if")
    assert not accepts(Artifact(wide), "if 1")


GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "if" NAME | NAME "." NAME\nNAME: /[a-z]+/\n%ignore " "\n',
)


@pytest.mark.parametrize("text", GRAMMARS)
def test_a_context_stays_until_the_lexeme_ends(text):
    lexed = language_of(text).lexed
    found = find_contexts(lexed.grammar.lexer, lexed.scanner)
    for state, row in enumerate(lexed.scanner.next.tolist()):
        for target in set(row) - {DEAD}:
            assert state == DEAD or found[state] & ~found[target] == 0
