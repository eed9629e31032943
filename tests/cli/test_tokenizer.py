import json

import pytest

import maskc
from maskc.artifact.container import encode
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.errors import ArtifactError, VocabularyMismatchError


def test_the_tokenizer_that_it_was_compiled_for_is_accepted(artifact):
    check_tokenizer("a", maskc.load(artifact), "bytes")


def test_padding_makes_no_other_tokenizer(tmp_path):
    maskc.compile_grammar('start: "a"\n', tokenizer="bytes", vocab_size=300).save(tmp_path / "a")
    check_tokenizer("a", maskc.load(tmp_path / "a"), "bytes")


def test_another_tokenizer_is_refused_with_both_names(artifact, tokenizer_file):
    with pytest.raises(VocabularyMismatchError, match="compiled for tokenizer bytes"):
        check_tokenizer("a", maskc.load(artifact), str(tokenizer_file))


def test_a_header_that_claims_other_tokens_is_refused(artifact):
    loaded = maskc.load(artifact)
    check_fingerprint("a", loaded)
    header = json.loads(json.dumps(loaded.header))
    header["tokenizer"]["fingerprint"] = "0" * 64
    artifact.write_bytes(encode(header, loaded.contents.arrays))
    with pytest.raises(ArtifactError, match="its header claims tokens with the fingerprint 000"):
        check_fingerprint("a", maskc.load(artifact))
