import pytest

from maskc import Artifact
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.compiled import legal_tokens


@pytest.mark.parametrize(
    ("text", "legal"),
    [("[", {b" 1", b"1", b" 2", b"2"}), ("[1", {b", 2", b",2"}), ("[1,", {b" 2", b"2"})],
)
def test_a_number_that_must_differ_may_stand_after_a_blank(text, legal):
    schema = {"type": "array", "items": {"type": "integer", "enum": [1, 2]}, "uniqueItems": True}
    tokens = [b" 1", b"1", b" 2", b"2", b", 1", b",1", b", 2", b",2", b"["]
    vocabulary = build_vocabulary("small", TokenizerTokens((*tokens, None), (len(tokens),)))
    assert legal_tokens(Artifact(compile_schema(schema, vocabulary)), text) == legal
