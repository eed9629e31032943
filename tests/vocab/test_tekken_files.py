"""tekken.json: special ids first, the tokens in use, broken files."""

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import load_vocabulary


def test_ranks_follow_the_special_ids_up_to_the_vocabulary_size(save, tekken):
    vocabulary = load_vocabulary(save("tekken.json", tekken))
    assert vocabulary.vocab_size == 277
    assert set(vocabulary.tokens[:20]) == {None}
    assert vocabulary.tokens[20:276] == tuple(bytes([byte]) for byte in range(256))
    assert vocabulary.tokens[276] == b"hi"


def test_without_a_list_of_special_tokens_the_end_is_id_2(save, tekken):
    assert load_vocabulary(save("tekken.json", tekken)).eos_ids == (2,)


def test_the_list_of_special_tokens_names_the_end(save, tekken):
    tekken["special_tokens"] = [{"rank": 5, "token_str": "</s>", "is_control": True}]
    assert load_vocabulary(save("tekken.json", tekken)).eos_ids == (5,)


def test_a_real_file_agrees_with_mistrals_package(packaged):
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    path = packaged("mistral_common/data/tekken_240911.json")
    package = Tekkenizer.from_file(path)
    vocabulary = load_vocabulary(str(path))
    assert vocabulary.vocab_size == package.n_words == 131_072
    assert vocabulary.eos_ids == (package.eos_id,)
    assert set(vocabulary.tokens[:1000]) == {None}
    decode = package._model.decode_single_token_bytes
    assert vocabulary.tokens[1000:] == tuple(decode(i) for i in range(130_072))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pattern", None),
        ("default_vocab_size", 279),
        ("default_vocab_size", 20),
        ("default_vocab_size", "277"),
        ("default_vocab_size", 10**12),
        ("default_num_special_tokens", 0),
        ("default_num_special_tokens", -5),
        ("default_num_special_tokens", 400),
    ],
)
def test_sizes_that_do_not_agree_are_refused(save, tekken, key, value):
    tekken["config"][key] = value
    with pytest.raises(TokenizerError, match=r"tekken.json is broken: its sizes, its pattern"):
        load_vocabulary(save("tekken.json", tekken))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (None, "token 256 lacks its rank or its bytes"),
        ({"rank": 7, "token_bytes": "aGk="}, "token 256 lacks its rank or its bytes"),
        ({"rank": 256, "token_bytes": "aGk"}, "the bytes of token 256 are not base64"),
        ({"rank": 256, "token_bytes": "aé=="}, "the bytes of token 256 are not base64"),
        ({"rank": 256, "token_bytes": "YQ=="}, "its tokens do not begin with the 256 bytes"),
    ],
)
def test_a_broken_token_is_refused(save, tekken, row, reason):
    tekken["vocab"][256] = row
    with pytest.raises(TokenizerError, match=reason):
        load_vocabulary(save("tekken.json", tekken))


@pytest.mark.parametrize("rows", [[], [{"token_str": "</s>", "rank": 20}], [None]])
def test_special_tokens_without_an_end_are_refused(save, tekken, rows):
    tekken["special_tokens"] = rows
    with pytest.raises(TokenizerError, match="it has no special token </s>"):
        load_vocabulary(save("tekken.json", tekken))
