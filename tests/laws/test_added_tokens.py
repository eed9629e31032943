"""A mask over a vocabulary with added tokens that are text equals the walk of every token."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models
from tokenizers.pre_tokenizers import ByteLevel

import maskc
from maskc.verify.subject import unpack
from maskc.vocab import AddedTokens
from tests.examples import examples

VALUES = r"""
start: value
value: "{" [pair ("," pair)*] "}" | "[" [value ("," value)*] "]" | STRING | NUMBER | "null"
pair: STRING ":" value
STRING: /"([^"\\\x00-\x1f]|\\["n])*"/
NUMBER: /[0-9]+(\.[0-9]+)?/
WS: /[ \t\n]+/
%ignore WS
"""
LINES = r"""
start: line+
line: NAME _NEWLINE | "if" NAME ":" _NEWLINE _INDENT line+ _DEDENT
NAME: /[a-z]+/
_NEWLINE: /(\n[ ]*)+/
%ignore / +/
%declare _INDENT _DEDENT
"""
TEXTS = {
    "values": '{"a": [1,    2.5, "x\\n é   日本  "],\n    "bb": {"c": null}}',
    "lines": "a\nif x:\n    b\n    if y  :\n        c\n\nd\n",
}
BLANKS = [" " * n for n in range(2, 25)]
ADDED = [*BLANKS, "\n\n", "\n    ", '": ', "日本", " é", "null}", "<think>", "<|user|>", "[PAD]"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    """A file as GPT-NeoX's: bytes, a few merges, blanks as added tokens."""
    vocab = {piece: i for i, piece in enumerate(sorted(ByteLevel.alphabet()))}
    vocab |= {"ĠĠ": 256, "ĠĠĠĠ": 257}
    made = Tokenizer(models.BPE(vocab, [("Ġ", "Ġ"), ("ĠĠ", "ĠĠ")]))
    made.decoder, made.pre_tokenizer = decoders.ByteLevel(), ByteLevel(add_prefix_space=False)
    made.add_special_tokens(["<|endoftext|>"])
    made.add_tokens([AddedToken(text, special=False, normalized=False) for text in ADDED])
    path = tmp_path_factory.mktemp("neox") / "tokenizer.json"
    made.save(str(path))
    return str(path)


@pytest.fixture(scope="module")
def artifacts(tokenizer):
    return {
        "values": maskc.compile_grammar(VALUES, tokenizer=tokenizer),
        "lines": maskc.compile_grammar(
            LINES, tokenizer=tokenizer, postlex="lark.indenter:PythonIndenter"
        ),
    }


@pytest.mark.parametrize(("name", "text"), TEXTS.items())
@examples(10)
@given(st.data())
def test_a_mask_holds_just_the_tokens_that_can_be_walked(artifacts, name, text, data):
    artifact, written = artifacts[name], text.encode()
    matcher = artifact.matcher()
    assert matcher.accept_bytes(written[: data.draw(st.integers(0, len(written)))])
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = unpack(bitmask[0], artifact.vocab_size)
    for token in range(artifact.vocab_size):
        if token not in artifact.eos_ids:
            written = artifact.token_bytes(token)
            walks = written is not None and matcher.fork().accept_bytes(written)
            assert legal[token] == walks, written


def test_runs_of_blanks_are_legal_where_a_line_is_indented(artifacts, tokenizer):
    artifact = artifacts["lines"]
    ids = Tokenizer.from_file(tokenizer).encode(TEXTS["lines"]).ids
    assert {artifact.token_bytes(token) for token in ids} >= {b"\n    ", b"    ", b"  "}
    assert artifact.matcher().accept_tokens(ids) == len(ids)


def test_an_artifact_says_which_added_tokens_are_text(artifacts):
    added = artifacts["values"].header["tokenizer"]["added_tokens"]
    first = artifacts["values"].eos_ids[0] + 1
    n_text = len(ADDED) - 3
    assert added == {
        "text": [[first, first + n_text - 1]],
        "atoms": [[first + n_text, first + n_text + 2]],
    }


def test_a_choice_of_added_tokens_changes_the_masks(tokenizer):
    def legal(added_tokens):
        made = maskc.compile_grammar(
            'start: "<think>" | "    "\n', tokenizer=tokenizer, added_tokens=added_tokens
        )
        bitmask = maskc.allocate_bitmask(1, made.vocab_size)
        made.matcher().fill_bitmask(bitmask, 0)
        ids = np.flatnonzero(unpack(bitmask[0], made.vocab_size))
        return {made.token_bytes(int(token)) for token in ids if token >= 258}

    assert legal(None) == {b"  ", b"   ", b"    "}
    assert legal(AddedTokens("text")) == {b"  ", b"   ", b"    ", b"<think>"}
    assert legal(AddedTokens("atoms")) == set()
    assert legal(AddedTokens(text=("<think>",), atoms=("   ",))) == {b"  ", b"    ", b"<think>"}


def test_a_structural_tag_names_the_atoms_only(tokenizer):
    tag = {
        "type": "structural_tag",
        "format": {
            "type": "sequence",
            "elements": [{"type": "token", "token": "<think>"}, {"type": "regex", "pattern": "x"}],
        },
    }
    made = maskc.compile_structural_tag(json.dumps(tag), tokenizer=tokenizer)
    (think,) = made.header["link"]["tokens"].values()
    matcher = made.matcher()
    assert matcher.accept_token(think)
    assert matcher.accept_bytes(b"x")
