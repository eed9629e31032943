"""Tokenizers in memory have the tokens of their files."""

import numpy as np
import pytest

import maskc
from maskc.errors import TokenizerError
from maskc.vocab import load_vocabulary


class TestHuggingFace:
    def make(self, tmp_path):
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers

        tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "Ġa": 2}, []))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.add_special_tokens(["</s>"])
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        return tokenizer

    def test_a_tokenizer_has_the_tokens_of_its_file(self, tmp_path):
        tokenizer = self.make(tmp_path)
        from_file = load_vocabulary(str(tmp_path), eos_ids=(3,))
        in_memory = load_vocabulary(tokenizer, eos_ids=(3,))
        assert in_memory.tokens == from_file.tokens == (b"a", b"b", b" a", None)
        assert in_memory.fingerprint == from_file.fingerprint

    def test_it_says_when_nothing_ends_a_text(self, tmp_path):
        with pytest.raises(TokenizerError, match="names no end-of-sequence token"):
            load_vocabulary(self.make(tmp_path))


def test_tiktoken_has_the_tokens_of_its_ranks():
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    encoding = tiktoken.Encoding(
        "small", pat_str=".", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 300}
    )
    found = load_vocabulary(encoding)
    assert found.tokens == (*(bytes([b]) for b in range(256)), b"ab", *[None] * 44)
    assert found.eos_ids == (300,)
    artifact = maskc.compile_grammar('start: "ab"', tokenizer=encoding, eos_ids=[299])
    assert artifact.eos_ids == (299,)
    assert artifact.matcher().legal_tokens().tolist() == [97, 256]
    assert artifact.matcher().legal_tokens().dtype == np.intp


def test_sentencepiece_has_the_tokens_of_its_model(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece")
    (tmp_path / "text").write_text("ab ba abba\n" * 50)
    prefix = str(tmp_path / "model")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"),
        model_prefix=prefix,
        vocab_size=12,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    assert load_vocabulary(processor).tokens == load_vocabulary(f"{prefix}.model").tokens


def test_anything_else_is_refused_by_name():
    with pytest.raises(TokenizerError, match="a dict does not give its tokens' bytes"):
        load_vocabulary({})
