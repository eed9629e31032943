"""What tokens write is what their package decodes: drawn tokenizers, and trained ones."""

import json
import string
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from tokenizers.pre_tokenizers import ByteLevel

from maskc.vocab import AddedTokens, load_encoder, load_vocabulary

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
PIECES = ["<unk>", "h", "▁", "▁▁", "▁h", "h▁", "é", "日", *string.ascii_letters[:3]]
REPLACE = decoders.Replace("▁", " ")
STRIP = decoders.Strip(" ", 1, 0)
# A decoder, and whether its model's pieces include bytes.
DECODERS = {
    "byte-level": decoders.ByteLevel(),
    "llama": decoders.Sequence([REPLACE, decoders.ByteFallback(), decoders.Fuse(), STRIP]),
    "gemma": decoders.Sequence([REPLACE, decoders.ByteFallback(), decoders.Fuse()]),
    "stripping": decoders.Sequence([REPLACE, STRIP, decoders.ByteFallback()]),
    "metaspace": decoders.Metaspace(),
    "unprefixed": decoders.Metaspace(prepend_scheme="never"),
    "bytes-then-metaspace": decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]),
    "replacing-twice": decoders.Sequence([REPLACE, decoders.Replace("a", "▁")]),
}
ADDED = [
    *("    ", "\n\n", "\t", "▁▁▁▁", "日本", "é", "õ", "Ġx", "a b", "Ġ日", "▁<PRE>"),
    *("<think>", "[PAD7]", "<0x0A>x", "hh", " h ", "ab"),
]
FLAGS = ("lstrip", "rstrip", "single_word", "normalized")


def write(folder, name, kind):
    """Write a tokenizer, and return its file and what the package makes of it."""
    if kind == "unigram":
        rows = [(piece, -1.0) for piece in [*PIECES, *BYTES]]
        model = models.Unigram(rows, 0, byte_fallback=True)
    elif name == "byte-level":
        alphabet = sorted(ByteLevel.alphabet())
        model = models.BPE({piece: i for i, piece in enumerate(alphabet)}, [])
    else:
        vocab = {piece: i for i, piece in enumerate([*PIECES, *BYTES])}
        model = models.BPE(vocab, [], byte_fallback=True, unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.decoder = DECODERS[name]
    tokenizer.add_special_tokens(["<|end|>"])
    for number, text in enumerate(ADDED):
        # Each flag is set somewhere: they are about finding a token, not about writing it.
        flags = {flag: bool(number >> bit & 1) for bit, flag in enumerate(FLAGS)}
        tokenizer.add_tokens([AddedToken(text, special=False, **flags)])
    path = folder / f"{name}.{kind}.json"
    tokenizer.save(str(path))
    (end,) = (row["id"] for row in json.loads(path.read_text())["added_tokens"] if row["special"])
    vocabulary = load_vocabulary(str(path), eos_ids=(end,), added_tokens=AddedTokens("text"))
    return tokenizer, vocabulary


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizers")
    return {case: write(folder, *case) for case in CASES}


CASES = [*((name, "bpe") for name in DECODERS), ("metaspace", "unigram"), ("llama", "unigram")]


@cache
def rows_of(tokens):
    """Tokens in a row, among them characters that are spelled by tokens of one byte."""
    by_bytes = {token: i for i, token in reversed([*enumerate(tokens)]) if token}

    def spell(character):
        ids = [by_bytes.get(bytes([byte])) for byte in character.encode()]
        return [] if None in ids else ids

    able = st.sampled_from([[i] for i, token in enumerate(tokens) if token])
    # A later step of one decoder reads the bytes of ▁ as one character again: see pieces.py.
    characters = st.characters(codec="utf-8", exclude_characters="▁").map(spell)
    return st.lists(characters | able, max_size=8).map(lambda parts: [i for p in parts for i in p])


@pytest.mark.parametrize("case", CASES, ids="-".join)
@given(st.data())
def test_the_package_decodes_the_bytes_of_the_tokens_in_a_row(written, case, data):
    tokenizer, vocabulary = written[case]
    ids = [tokenizer.token_to_id("h"), *data.draw(rows_of(vocabulary.tokens))]
    expected = b"".join(vocabulary.tokens[token] for token in ids)
    decoded = tokenizer.decode(ids, skip_special_tokens=False)
    try:
        assert decoded == expected.decode()
    except UnicodeDecodeError:
        # How much of it the package marks as no text differs from decoder to decoder.
        assert "\ufffd" in decoded


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_each_token_alone_is_decoded_to_its_bytes(written, case):
    tokenizer, vocabulary = written[case]
    h = tokenizer.token_to_id("h")
    for token, data in enumerate(vocabulary.tokens):
        if data is not None:
            decoded = tokenizer.decode([h, token], skip_special_tokens=False)
            assert decoded == "h" + data.decode(errors="replace"), token


def test_only_what_writes_nothing_and_specials_have_no_bytes(written):
    for tokenizer, vocabulary in written.values():
        for token in range(vocabulary.vocab_size):
            if vocabulary.tokens[token] is None:
                h = tokenizer.token_to_id("h")
                decoded = tokenizer.decode([h, token])
                assert decoded == "h" or tokenizer.id_to_token(token) == "<unk>"


CORPUS = [
    "hello world, hello there",
    "def f(x):\n    return x + 1",
    "日本語 日本",
    "[1, 22, 333]",
] * 9
TRAINED_ADDED = ["        ", "    ", "<think>", "日本語"]
CODE = "def f(日本語):\n        return [1, 22]\n    # <think> é ﬁ\n"


def byte_level(tokenizer, trainer):
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.normalizer = normalizers.NFKC()
    return trainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def metaspace(tokenizer, trainer):
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return trainer(initial_alphabet=sorted({*"".join(CORPUS), *CODE} - {" "}))


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
    made.add_tokens([AddedToken(text, special=False, normalized=False) for text in TRAINED_ADDED])
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
    ids = encoder.encode(CODE)
    assert b"".join(vocabulary.tokens[token] for token in ids) == CODE.encode()
    assert {b"        ", "日本語".encode()} <= {vocabulary.tokens[token] for token in ids}
