"""Tokenizers of every kind, trained small: the tokens of a text are its bytes."""

import json

import pytest
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from maskc.vocab import load_encoder, load_vocabulary

CORPUS = [
    "hello world, hello there",
    "def f(x):\n    return x + 1",
    "日本語 日本",
    "[1, 22, 333]",
] * 9
ADDED = ["        ", "    ", "<think>", "日本語"]
TEXT = "def f(日本語):\n        return [1, 22]\n    # <think> é ﬁ\n"


def byte_level(tokenizer, trainer):
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.normalizer = normalizers.NFKC()
    return trainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def metaspace(tokenizer, trainer):
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return trainer(initial_alphabet=sorted({*"".join(CORPUS), *TEXT} - {" "}))


def byte_fallback(tokenizer, trainer):
    bars = normalizers.Replace(" ", "▁")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), bars])
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return trainer(special_tokens=["<unk>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))])


def bpe(**more):
    return trainers.BpeTrainer(**{"vocab_size": 420, "special_tokens": ["<unk>", "</s>"], **more})


def unigram(**more):
    given = {"vocab_size": 400, "special_tokens": ["<unk>", "</s>"], "unk_token": "<unk>"}
    return trainers.UnigramTrainer(**{**given, **more})


KINDS = {
    "bpe, byte-level": (models.BPE, byte_level, bpe),
    "bpe, metaspace": (lambda: models.BPE(unk_token="<unk>"), metaspace, bpe),
    "bpe, byte-fallback": (
        lambda: models.BPE(unk_token="<unk>", byte_fallback=True),
        byte_fallback,
        bpe,
    ),
    "unigram, metaspace": (models.Unigram, metaspace, unigram),
    "unigram, byte-level": (models.Unigram, byte_level, unigram),
}


@pytest.fixture(scope="module", params=KINDS)
def trained(request, tmp_path_factory):
    """The path of a tokenizer."""
    model, set_up, trainer = KINDS[request.param]
    made = Tokenizer(model())
    how = set_up(made, trainer)
    made.train_from_iterator(CORPUS, how)
    made.add_tokens([AddedToken(text, special=False, normalized=False) for text in ADDED])
    folder = tmp_path_factory.mktemp("trained")
    contents = made.to_str()
    if request.param == "bpe, byte-fallback":
        # The trainer makes its 256 bytes special; files in use have them as plain pieces.
        read = json.loads(contents)
        rows = read["added_tokens"]
        read["added_tokens"] = [row for row in rows if not row["content"].startswith("<0x")]
        contents = json.dumps(read)
    (folder / "tokenizer.json").write_text(contents)
    return folder / "tokenizer.json"


def test_the_tokens_of_a_text_are_its_bytes(trained):
    vocabulary, encoder = load_vocabulary(str(trained)), load_encoder(str(trained))
    ids = encoder.encode(TEXT)
    assert b"".join(vocabulary.tokens[token] for token in ids) == TEXT.encode()
    assert {b"        ", "日本語".encode()} <= {vocabulary.tokens[token] for token in ids}
