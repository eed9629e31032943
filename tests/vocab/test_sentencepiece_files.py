"""sentencepiece models: bytes by type of piece, the end id, broken files."""

import random

import pytest
import sentencepiece

from maskc.errors import TokenizerError
from maskc.vocab import load_vocabulary


def piece(text, kind=None):
    """Encode one piece of a model by hand: text, score 0, and its type."""
    body = b"\x0a" + bytes([len(text)]) + text + b"\x15\0\0\0\0"
    body += b"" if kind is None else bytes([0x18, kind])
    return b"\x0a" + bytes([len(body)]) + body


HANDMADE = piece(b"<unk>", 2) + piece(b"</s>", 3) + piece("▁a".encode()) + piece(b"b", 5)
HANDMADE += piece(b"<0x0A>", 6) + piece(b"<think>", 4)


def test_each_type_of_piece_has_its_bytes(save):
    tokens = load_vocabulary(save("tokenizer.model", HANDMADE)).tokens
    assert tokens == (None, None, b" a", None, b"\n", None)


def test_the_end_is_the_control_piece_of_the_usual_name(save):
    assert load_vocabulary(save("tokenizer.model", HANDMADE)).eos_ids == (1,)


def test_the_end_is_the_control_piece_that_the_training_named(save):
    trainer = b"\xfa\x02\x04<eo>"
    model = HANDMADE + piece(b"<eo>", 3) + b"\x12" + bytes([len(trainer)]) + trainer
    assert load_vocabulary(save("tokenizer.model", model)).eos_ids == (6,)


def test_a_model_without_an_end_piece_needs_its_id(save):
    path = save("tokenizer.model", piece(b"<unk>", 2) + piece(b"</s>"))
    with pytest.raises(TokenizerError, match="names no end-of-sequence token"):
        load_vocabulary(path)
    assert load_vocabulary(path, eos_ids=(0,)).tokens == (None, b"</s>")


def test_mistral_has_32000_pieces(real_vocabularies):
    vocabulary = real_vocabularies["mistral"]
    assert vocabulary.vocab_size == 32_000
    assert vocabulary.eos_ids == (2,)
    assert vocabulary.tokens[:3] == (None, None, None)
    assert vocabulary.tokens[3:259] == tuple(bytes([byte]) for byte in range(256))
    assert None not in vocabulary.tokens[3:]


@pytest.mark.parametrize(
    "file", ["tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"]
)
def test_mistrals_tokens_agree_with_the_sentencepiece_package(packaged, file):
    path = packaged(f"mistral_common/data/{file}")
    package = sentencepiece.SentencePieceProcessor(model_file=str(path))
    vocabulary = load_vocabulary(str(path))
    ids = [i for i, token in enumerate(vocabulary.tokens) if token is not None]
    # Behind another token, as a space at the start of the text is dropped.
    a = package.piece_to_id("a")
    decoded = [text.removeprefix("a") for text in package.decode([[a, i] for i in ids])]
    assert decoded == [vocabulary.tokens[i].decode("utf-8", "replace") for i in ids]
    assert vocabulary.vocab_size == package.get_piece_size()
    assert vocabulary.eos_ids == (package.eos_id(),)


def test_control_unknown_and_user_defined_pieces_of_mistral_v3_are_never_text(packaged):
    path = packaged("mistral_common/data/mistral_instruct_tokenizer_240323.model.v3")
    package = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokens = load_vocabulary(str(path)).tokens
    silent = [i for i, token in enumerate(tokens) if token is None]
    assert silent == [*range(771)]
    assert package.id_to_piece(770) == "[REFERENCE_DOC_0]"


def outcome(path):
    """Return the number of tokens, or the message of the refusal."""
    try:
        return load_vocabulary(path, eos_ids=(0,)).vocab_size
    except TokenizerError as error:
        return str(error)


def test_a_model_cut_between_pieces_has_fewer_of_them(save):
    ends = (16, 31, 44, 56, 73, 91)
    sizes = [outcome(save("tokenizer.model", HANDMADE[:end])) for end in ends]
    assert sizes == [1, 2, 3, 4, 5, 6]


def test_a_model_cut_inside_a_piece_is_refused(save):
    ends = set(range(2, 91)) - {16, 31, 44, 56, 73}
    outcomes = {outcome(save("tokenizer.model", HANDMADE[:end])) for end in ends}
    assert len(outcomes) == 1
    assert "tokenizer.model is broken: it is cut off" in outcomes.pop()


def test_a_model_with_changed_bytes_is_refused_or_loads(save, sentencepiece_model):
    chance = random.Random(5)
    for _ in range(150):
        data = bytearray(sentencepiece_model[:3000])
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        assert "\n" not in str(outcome(save("tokenizer.model", bytes(data))))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (b"\n\x01", "it is cut off"),
        (b"\n\x02\x0a\x05", "it is cut off"),
        (b"\n" + b"\xff" * 11, "a number in it has more than ten bytes"),
        (HANDMADE + b"\x0b", "byte 91 begins no field"),
        (HANDMADE + b"\x08\x01", "a message field holds a number"),
        (HANDMADE + b"\n\x02\x08\x01", "a text field holds a number"),
        (HANDMADE + piece(b""), "piece 6 has no text"),
        (HANDMADE + b"\n\x02\x18\x01", "piece 6 has no text"),
        (HANDMADE + piece(b"\xff"), "a piece is not UTF-8"),
        (HANDMADE + piece(b"x", 9), "piece 6 is of no known type"),
        (HANDMADE + piece(b"<0x0>", 6), "byte piece '<0x0>' names no byte"),
    ],
)
def test_a_broken_model_is_refused(save, model, reason):
    with pytest.raises(TokenizerError) as caught:
        load_vocabulary(save("tokenizer.model", model))
    assert f"tokenizer.model is broken: {reason}; give" in str(caught.value)
