"""What a header says of where an artifact comes from."""

from maskc.emit.provenance import describe_grammar, describe_tokenizer
from maskc.frontends.source import load_source
from maskc.vocab.vocabulary import Vocabulary

TEXT = 'start: "a"\n'


def test_equal_grammars_with_equal_settings_have_equal_hashes():
    hashes = [describe_grammar(load_source(TEXT))["sha256"] for _ in range(2)]
    assert hashes[0] == hashes[1]


def test_what_changes_the_language_changes_the_hash():
    sources = [
        load_source(TEXT),
        load_source('start: "b"\n'),
        load_source(TEXT, lexer="basic"),
        load_source(TEXT, parser="earley"),
    ]
    assert len({describe_grammar(source)["sha256"] for source in sources}) == len(sources)


def test_the_parser_is_named_where_it_is_not_larks_lalr():
    assert "parser" not in describe_grammar(load_source(TEXT))
    assert describe_grammar(load_source(TEXT, parser="earley"))["parser"] == "earley"


def test_an_indenter_is_told_by_its_attributes():
    text = f"{TEXT}_NL: /\\n */\n%declare _INDENT _DEDENT\n"
    found = describe_grammar(load_source(text, postlex="tests.indenters:TwoColumns"))["postlex"]
    assert found["tab_len"] == 2
    assert "class" not in found
    assert describe_grammar(load_source(TEXT))["postlex"] is None


def test_a_translated_grammar_carries_its_original():
    found = describe_grammar(load_source('root ::= "a"\n', dialect="gbnf"))
    assert found["dialect"] == "gbnf"
    assert found["original"] == 'root ::= "a"\n'


def test_tokens_that_write_a_text_are_counted():
    vocabulary = Vocabulary(tokens=(b"a", None, b"b", None), eos_ids=(3,), name="test")
    found = describe_tokenizer(vocabulary)
    assert (found["vocab_size"], found["n_tokens"], found["eos_ids"]) == (4, 2, [3])
    assert found["fingerprint"] == vocabulary.fingerprint
