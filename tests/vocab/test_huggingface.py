"""tokenizer.json: tokens, added tokens, end ids from the neighbours, broken files."""

import json

import pytest
from tokenizers import Tokenizer

from maskc.vocab import load_vocabulary
from tests.vocab.conftest import added, refusal


@pytest.fixture
def save_byte_level(save, byte_level):
    """Writes the byte-level file, with neighbours beside it."""

    def write(**neighbours):
        for name, contents in neighbours.items():
            save(f"{name}.json", contents)
        return save("tokenizer.json", byte_level)

    return write


def test_a_byte_level_file_has_every_byte_and_its_merges(save_byte_level):
    vocabulary = load_vocabulary(save_byte_level())
    assert sorted(vocabulary.tokens[:256]) == [bytes([byte]) for byte in range(256)]
    # Special tokens and markers are never text.
    assert vocabulary.tokens[256:] == (b"hi", b" hi", None, None)
    assert vocabulary.name == "tokenizer.json"


@pytest.mark.parametrize(
    ("row", "data"),
    [
        (added(260, "    "), b"    "),
        (added(260, "日本") | {"lstrip": True, "single_word": True}, "日本".encode()),
        # The decoder reads a text of the alphabet's characters as bytes, wherever it comes from.
        (added(260, "õ"), b"\xf5"),
        (added(260, "  ", special=True), None),
        # It does not say that it is not special.
        ({"id": 260, "content": "    "}, None),
        (added(260, ""), None),
        # An added token wins over a piece of the same id.
        (added(256, "<think>"), None),
    ],
)
def test_an_added_token_that_is_no_marker_writes_its_text(save, byte_level, row, data):
    byte_level["added_tokens"].append(row)
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level))
    assert vocabulary.tokens[row["id"]] == data
    assert "" not in vocabulary.special_ids


def test_an_unknown_piece_is_no_text_even_if_it_is_an_added_token(save, byte_level):
    byte_level["model"]["unk_token"] = "hi"
    assert load_vocabulary(save("tokenizer.json", byte_level)).tokens[256] is None
    byte_level["added_tokens"].append(added(256, "hi"))
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level))
    assert vocabulary.tokens[256] is None
    assert 256 not in vocabulary.added


def test_an_end_that_is_an_added_token_is_no_text(save, byte_level):
    byte_level["added_tokens"].append(added(260, "    "))
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level), eos_ids=(260,))
    assert vocabulary.tokens[260] is None
    assert 260 not in vocabulary.added


def test_byte_pieces_and_spaces_are_read(save, byte_fallback):
    tokens = load_vocabulary(save("tokenizer.json", byte_fallback)).tokens
    assert tokens[:3] == (None, None, None)
    assert tokens[3:259] == tuple(bytes([byte]) for byte in range(256))
    assert tokens[259:] == (b" ", b"h", b"i", b"hi", b" hi", b"  ", b"\xc3\xa9")


def test_byte_fallback_tokens_agree_with_the_tokenizers_package(save, byte_fallback):
    path = save("tokenizer.json", byte_fallback)
    tokenizer = Tokenizer.from_file(path)
    tokens = load_vocabulary(path).tokens
    h = 260
    # Behind another token, as the decoder drops a space at the start of the text.
    decoded = [tokenizer.decode([h, i]).removeprefix("h") for i in range(3, len(tokens))]
    assert decoded == [token.decode("utf-8", "replace") for token in tokens[3:]]


def test_a_unigram_model_is_a_list_of_pieces(save, byte_fallback):
    byte_fallback["model"] = {"type": "Unigram", "unk_id": 1, "vocab": [["▁a", -1], ["<u>", 0]]}
    byte_fallback["added_tokens"] = []
    vocabulary = load_vocabulary(save("tokenizer.json", byte_fallback), vocab_size=3, eos_ids=(2,))
    assert vocabulary.tokens == (b" a", None, None)


def test_ids_that_no_piece_has_are_never_text(save, byte_level):
    byte_level["added_tokens"][1]["id"] = 300
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level))
    assert vocabulary.vocab_size == 301
    assert set(vocabulary.tokens[259:]) == {None}


@pytest.mark.parametrize(
    ("neighbours", "ends"),
    [
        # A usual name counts if no file names an end.
        ({}, (258,)),
        (
            {
                "generation_config": {"eos_token_id": [259, 257]},
                "tokenizer_config": {"eos_token": "<|endoftext|>"},
            },
            (257, 258, 259),
        ),
        ({"tokenizer_config": {"eos_token": {"content": "<think>"}}}, (259,)),
        (
            {
                "tokenizer_config": {"eos_token": None},
                "special_tokens_map": {"eos_token": "<think>"},
                "config": {"eos_token_id": 258},
            },
            (259,),
        ),
        ({"config": {"eos_token_id": 259}}, (259,)),
    ],
)
def test_end_ids_are_those_of_both_configurations_or_the_next_file(
    save_byte_level, neighbours, ends
):
    vocabulary = load_vocabulary(save_byte_level(**neighbours))
    assert vocabulary.eos_ids == ends
    # A piece, where it is an end.
    assert vocabulary.tokens[257] == (None if 257 in ends else b" hi")


def test_without_any_end_token_the_user_is_asked(save, byte_level):
    byte_level["added_tokens"] = []
    path = save("tokenizer.json", byte_level)
    said = refusal(load_vocabulary, path)
    assert "it names no end-of-sequence token; name it in a tokenizer_config.json" in said
    assert load_vocabulary(path, eos_ids=(10,)).eos_ids == (10,)


def test_given_end_ids_make_broken_neighbours_harmless(save_byte_level):
    path = save_byte_level(generation_config=b"{", tokenizer_config={"eos_token": "gone"})
    assert load_vocabulary(path, eos_ids=(258,)).eos_ids == (258,)


@pytest.mark.parametrize(
    ("neighbour", "contents", "reason"),
    [
        ("generation_config", b"{", "generation_config.json is not JSON"),
        ("generation_config", b"[]", "generation_config.json is not a JSON object"),
        ("generation_config", {"eos_token_id": "2"}, "eos_token_id in generation_config.json"),
        ("generation_config", {"eos_token_id": [True]}, "eos_token_id in generation_config.json"),
        ("tokenizer_config", {"eos_token": "gone"}, "eos_token 'gone' in tokenizer_config.json"),
        ("tokenizer_config", {"eos_token": 7}, "eos_token 7 in tokenizer_config.json"),
    ],
)
def test_a_broken_neighbour_is_refused_by_name(save_byte_level, neighbour, contents, reason):
    assert f": {reason}" in refusal(load_vocabulary, save_byte_level(**{neighbour: contents}))


def test_an_end_id_beyond_the_tokens_needs_the_padded_size(save_byte_level):
    path = save_byte_level(generation_config={"eos_token_id": 263})
    assert "give the model's padded vocabulary size" in refusal(load_vocabulary, path)
    assert load_vocabulary(path, vocab_size=264).eos_ids == (263,)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (None, "it has no model"),
        ({"type": "WordPiece", "vocab": {"a": 0}}, "tokenizer.json has a model of type WordPiece"),
        (
            {"type": "BPE", "vocab": {"a": 0}, "end_of_word_suffix": "</w>"},
            "tokenizer.json has pieces with a end_of_word_suffix",
        ),
        ({}, "tokenizer.json has a model of type BPE"),
        ({"type": "BPE", "vocab": []}, "tokenizer.json has a model of type BPE"),
        ({"type": "BPE", "vocab": {}}, "it has no tokens"),
        ({"type": "BPE", "vocab": {"a": "0"}}, "a token id is not a whole number"),
        ({"type": "BPE", "vocab": {"a": True}}, "a token id is not a whole number"),
        ({"type": "BPE", "vocab": {"a": -1}}, "a token id is not a whole number"),
        ({"type": "BPE", "vocab": {"a": 10**12}}, "token id 1000000000000 is not in 0"),
        ({"type": "BPE", "vocab": {"a": 0, "b": 0}}, "two pieces have id 0"),
        ({"type": "BPE", "vocab": {"\ud800": 0}}, "piece 0 is not Unicode text"),
        ({"type": "Unigram", "vocab": ["a"]}, "its vocabulary is not a list of pieces"),
        ({"type": "Unigram", "vocab": [["a", 0]], "unk_id": 1}, "the id of its unknown piece"),
        ({"type": "Unigram", "vocab": [["a", 0]], "unk_id": "0"}, "the id of its unknown piece"),
    ],
)
def test_a_broken_model_is_refused(save, byte_level, model, reason):
    byte_level |= {"model": model, "added_tokens": []}
    said = refusal(load_vocabulary, save("tokenizer.json", byte_level), eos_ids=(0,))
    assert f": {reason}" in said


@pytest.mark.parametrize(
    "rows",
    [[None], {"a": 1}, 3, ["a"], [{"id": 1}], [{"id": -1, "content": ""}], [added(260, "\ud800")]],
)
def test_broken_added_tokens_are_refused(save, byte_level, rows):
    byte_level["added_tokens"] = rows
    assert "added token" in refusal(load_vocabulary, save("tokenizer.json", byte_level))


def test_a_file_cut_off_anywhere_is_refused(save, byte_level):
    data = json.dumps(byte_level).encode()
    for end in range(1, len(data), 97):
        assert "is not JSON" in refusal(load_vocabulary, save("tokenizer.json", data[:end]))
