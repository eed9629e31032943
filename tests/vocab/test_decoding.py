"""What the ``tokenizers`` package decodes is the bytes of the tokens in a row.

Of the first token a decoder may drop a blank in front: so each sequence begins with ``h``.
"""

import json
import string
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models
from tokenizers.pre_tokenizers import ByteLevel

from maskc.vocab import AddedTokens, load_vocabulary

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
