"""tokenizer.json: tokens, added tokens, end ids from the neighbours, broken files."""

import json

import pytest
from tokenizers import Tokenizer

from maskc.errors import TokenizerError
from maskc.vocab import load_vocabulary
from tests.vocab.conftest import added


@pytest.fixture
def save_byte_level(save, byte_level):
    """Writes the byte-level file, with neighbours beside it."""

    def write(**neighbours):
        for name, contents in neighbours.items():
            save(f"{name}.json", contents)
        return save("tokenizer.json", byte_level)

    return write


def refusal(spec, **options):
    with pytest.raises(TokenizerError) as caught:
        load_vocabulary(spec, **options)
    return str(caught.value).removeprefix(f"tokenizer {spec}: ")


def test_a_byte_level_file_has_every_byte_and_its_merges(save_byte_level):
    tokens = load_vocabulary(save_byte_level()).tokens
    assert sorted(tokens[:256]) == [bytes([byte]) for byte in range(256)]
    assert tokens[256:258] == (b"hi", b" hi")


def test_special_tokens_and_markers_are_never_text(save_byte_level):
    assert load_vocabulary(save_byte_level()).tokens[258:] == (None, None)


def test_an_added_token_that_is_no_marker_writes_its_text(save, byte_level):
    byte_level["added_tokens"] += [
        added(260, "    ", special=False),
        added(261, "日本", special=False) | {"lstrip": True, "single_word": True},
        # The decoder reads a text of the alphabet's characters as bytes, wherever it comes from.
        added(262, "õ", special=False),
        added(263, "  ", special=True),
    ]
    tokens = load_vocabulary(save("tokenizer.json", byte_level)).tokens
    assert tokens[258:] == (None, None, b"    ", "日本".encode(), b"\xf5", None)


def test_an_added_token_that_does_not_say_that_it_is_not_special_is(save, byte_level):
    byte_level["added_tokens"].append({"id": 260, "content": "    "})
    assert load_vocabulary(save("tokenizer.json", byte_level)).tokens[260] is None


def test_an_added_token_without_text_is_never_text(save, byte_level):
    byte_level["added_tokens"].append(added(260, "", special=False))
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level))
    assert vocabulary.tokens[260] is None
    assert "" not in vocabulary.special_ids


def test_an_unknown_piece_that_is_an_added_token_is_no_text(save, byte_level):
    byte_level["model"]["unk_token"] = "hi"
    byte_level["added_tokens"].append(added(256, "hi", special=False))
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level))
    assert vocabulary.tokens[256] is None
    assert 256 not in vocabulary.added


def test_an_added_token_that_is_no_unicode_text_is_refused(save, byte_level):
    byte_level["added_tokens"].append(added(260, "\ud800", special=False))
    assert "added token 260 is not Unicode text" in refusal(save("tokenizer.json", byte_level))


def test_an_end_that_is_an_added_token_is_no_text(save, byte_level):
    byte_level["added_tokens"].append(added(260, "    ", special=False))
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level), eos_ids=(260,))
    assert vocabulary.tokens[260] is None
    assert 260 not in vocabulary.added


def test_an_added_token_wins_over_a_piece_of_the_same_id(save, byte_level):
    byte_level["added_tokens"][1]["id"] = 256
    assert load_vocabulary(save("tokenizer.json", byte_level)).tokens[256] is None


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


def test_the_unknown_piece_is_never_text(save, byte_level):
    byte_level["model"]["unk_token"] = "hi"
    assert load_vocabulary(save("tokenizer.json", byte_level)).tokens[256] is None


def test_ids_that_no_piece_has_are_never_text(save, byte_level):
    byte_level["added_tokens"][1]["id"] = 300
    vocabulary = load_vocabulary(save("tokenizer.json", byte_level))
    assert vocabulary.vocab_size == 301
    assert set(vocabulary.tokens[259:]) == {None}


def test_end_ids_are_those_of_both_configurations(save_byte_level):
    path = save_byte_level(
        generation_config={"eos_token_id": [259, 257]},
        tokenizer_config={"eos_token": "<|endoftext|>"},
    )
    assert load_vocabulary(path).eos_ids == (257, 258, 259)


def test_an_end_token_has_no_bytes_even_if_it_is_a_piece(save_byte_level):
    path = save_byte_level(generation_config={"eos_token_id": 257})
    assert load_vocabulary(path).tokens[257] is None


def test_an_end_token_may_be_an_object(save_byte_level):
    path = save_byte_level(tokenizer_config={"eos_token": {"content": "<think>"}})
    assert load_vocabulary(path).eos_ids == (259,)


def test_the_map_of_special_tokens_counts_if_no_configuration_names_an_end(save_byte_level):
    path = save_byte_level(
        tokenizer_config={"eos_token": None},
        special_tokens_map={"eos_token": "<think>"},
        config={"eos_token_id": 258},
    )
    assert load_vocabulary(path).eos_ids == (259,)


def test_the_models_configuration_counts_if_nothing_else_names_an_end(save_byte_level):
    assert load_vocabulary(save_byte_level(config={"eos_token_id": 259})).eos_ids == (259,)


def test_a_usual_name_counts_if_no_file_names_an_end(save_byte_level):
    assert load_vocabulary(save_byte_level()).eos_ids == (258,)


def test_without_any_end_token_the_user_is_asked(save, byte_level):
    byte_level["added_tokens"] = []
    path = save("tokenizer.json", byte_level)
    assert refusal(path).endswith(
        "it names no end-of-sequence token; name it in a tokenizer_config.json beside a "
        "tokenizer.json, or give its id with --eos ID (eos_ids= in Python)"
    )
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
    assert refusal(save_byte_level(**{neighbour: contents})).startswith(reason)


def test_an_end_id_beyond_the_tokens_needs_the_padded_size(save_byte_level):
    path = save_byte_level(generation_config={"eos_token_id": 263})
    assert "give the model's padded vocabulary size" in refusal(path)
    assert load_vocabulary(path, vocab_size=264).eos_ids == (263,)


def test_a_model_without_exact_bytes_is_refused_by_its_type(save, byte_level):
    byte_level["model"] = {"type": "WordPiece", "vocab": {"a": 0}}
    assert refusal(save("tokenizer.json", byte_level)).startswith("its model is of type WordPiece")


def test_pieces_with_an_end_of_word_mark_are_refused(save, byte_level):
    byte_level["model"]["end_of_word_suffix"] = "</w>"
    assert "its pieces carry a end_of_word_suffix" in refusal(save("tokenizer.json", byte_level))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (None, "it has no model"),
        ({}, "its model is of type BPE"),
        ({"type": "BPE", "vocab": []}, "its model is of type BPE"),
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
    path = save("tokenizer.json", byte_level)
    assert refusal(path, eos_ids=(0,)).removeprefix("tokenizer.json is broken: ").startswith(reason)


@pytest.mark.parametrize("rows", [{}, {"a": 1}, 3, ["a"], [{"id": 1}], [{"id": -1, "content": ""}]])
def test_broken_added_tokens_are_refused(save, byte_level, rows):
    byte_level["added_tokens"] = rows or [None]
    assert "added token" in refusal(save("tokenizer.json", byte_level))


def test_a_file_cut_off_anywhere_is_refused(save, byte_level):
    data = json.dumps(byte_level).encode()
    for end in range(1, len(data), 97):
        assert "is not JSON" in refusal(save("tokenizer.json", data[:end]))
