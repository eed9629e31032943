"""Small tokenizers in every format, and the real ones that the dev extra installs."""

import base64
import importlib.util
import io
import json
from pathlib import Path

import pytest
import sentencepiece
from tokenizers.pre_tokenizers import ByteLevel

from maskc.errors import TokenizerError
from maskc.vocab import load_encoder, load_vocabulary

LEVEL = {
    "type": "ByteLevel",
    **dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), True),
}
REAL = ("llama3", "mistral", "deepseek", "qwen")


@pytest.fixture(scope="session")
def packaged():
    """Path of a file inside an installed package."""

    def find(file):
        module, _, inner = file.partition("/")
        return Path(importlib.util.find_spec(module).submodule_search_locations[0]) / inner

    return find


@pytest.fixture(scope="session")
def real_vocabularies():
    return {name: load_vocabulary(name) for name in REAL}


@pytest.fixture(scope="session")
def real_encoders():
    return {name: load_encoder(name) for name in REAL}


@pytest.fixture
def no_hub(monkeypatch, tmp_path):
    """An empty hub cache and no network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def byte_level():
    """Contents of a byte-level ``tokenizer.json``: 256 bytes, ``hi``, `` hi``, two added."""
    vocab = {character: i for i, character in enumerate(sorted(ByteLevel.alphabet()))}
    vocab |= {"hi": 256, "Ġhi": 257}
    return {
        "version": "1.0",
        "added_tokens": [
            added(258, "<|endoftext|>", special=True),
            added(259, "<think>", special=False),
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {**LEVEL},
        "post_processor": None,
        "decoder": {**LEVEL},
        "model": bpe(vocab, ["h i", "Ġ hi"]),
    }


@pytest.fixture
def byte_fallback():
    """Contents of a ``tokenizer.json`` as Llama 2's: ``▁`` for a space, bytes as ``<0x0A>``."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += ["▁", "h", "i", "hi", "▁hi", "▁▁", "é"]
    model = bpe({piece: i for i, piece in enumerate(pieces)}, ["h i", "▁ hi", "▁ ▁"])
    return {
        "version": "1.0",
        "added_tokens": [added(n, text, special=True) for n, text in enumerate(pieces[:3])],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "model": model | {"byte_fallback": True, "unk_token": "<unk>", "fuse_unk": True},
    }


@pytest.fixture
def tekken():
    """Contents of a ``tekken.json``: 20 special ids, 256 bytes, ``hi``, and one token cut off."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"hi", b"left out"]
    return {
        "config": {
            "pattern": r"\s+|\S+",
            "num_vocab_tokens": 258,
            "default_vocab_size": 277,
            "default_num_special_tokens": 20,
            "version": "v3",
        },
        "vocab": [
            {"rank": i, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for i, token in enumerate(tokens)
        ],
    }


@pytest.fixture(scope="session")
def sentencepiece_model():
    """A sentencepiece model that normalises (NFKC), with pieces of every type."""
    sentences = ["hello world, hello there", "def f(x): return x + 1", "日本語"] * 20
    return train(
        sentences,
        vocab_size=320,
        model_type="bpe",
        byte_fallback=True,
        user_defined_symbols=["<think>", "\n\n"],
        control_symbols=["<ctl>"],
    )


@pytest.fixture(scope="session")
def byteless_model():
    """A sentencepiece model without byte pieces: it cannot write every character."""
    return train(["hello world, hello there"] * 20, vocab_size=15, model_type="unigram")


@pytest.fixture
def save(tmp_path):
    """Writes a file (an object as JSON) into a folder of its own; its path as text."""

    def write(file_name, contents):
        path = tmp_path / "model" / file_name
        path.parent.mkdir(exist_ok=True)
        data = contents if isinstance(contents, bytes) else json.dumps(contents).encode()
        path.write_bytes(data)
        return str(path)

    return write


def refusal(call, *arguments, **options):
    """Return what a call is refused with."""
    with pytest.raises(TokenizerError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def added(token_id, content, *, special=False):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": content, "special": special} | flags


def bpe(vocab, merges):
    nothing = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
    flags = {"fuse_unk": False, "byte_fallback": False}
    return {"type": "BPE", **dict.fromkeys(nothing), **flags, "vocab": vocab, "merges": merges}


def train(sentences, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, minloglevel=2, **options
    )
    return model.getvalue()
