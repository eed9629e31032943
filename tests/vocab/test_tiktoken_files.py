"""tiktoken rank files: ranks, the special ids of known models, broken lines."""

import pytest

from maskc.errors import TokenizerError
from maskc.vocab import load_vocabulary

RANKS = b"IQ== 0\nIg== 1\n\nISI= 2\n"


def test_a_line_is_a_token_and_its_id(save):
    vocabulary = load_vocabulary(save("x.tiktoken", RANKS), vocab_size=4, eos_ids=(3,))
    assert vocabulary.tokens == (b"!", b'"', b'!"', None)


def test_windows_line_ends_change_nothing(save):
    path = save("x.tiktoken", RANKS.replace(b"\n", b"\r\n"))
    assert load_vocabulary(path, vocab_size=4, eos_ids=(3,)).tokens[2] == b'!"'


def test_ranks_that_are_left_out_are_never_text(save):
    path = save("x.tiktoken", b"IQ== 0\nIg== 2\n")
    assert load_vocabulary(path, vocab_size=4, eos_ids=(3,)).tokens == (b"!", None, b'"', None)


def test_the_file_of_an_unknown_model_names_no_end(save):
    with pytest.raises(TokenizerError, match="names no end-of-sequence token"):
        load_vocabulary(save("x.tiktoken", RANKS))


def test_llama3_has_256_special_ids(real_vocabularies):
    vocabulary = real_vocabularies["llama3"]
    assert vocabulary.vocab_size == 128_256
    assert set(vocabulary.tokens[128_000:]) == {None}
    assert None not in vocabulary.tokens[:128_000]


def test_llama3_ends_with_end_of_text_of_message_or_of_turn(real_vocabularies):
    assert real_vocabularies["llama3"].eos_ids == (128_001, 128_008, 128_009)


def test_llama3_tokens_and_ends_agree_with_its_package(real_vocabularies):
    from llama_models.llama3.tokenizer import Tokenizer

    package = Tokenizer.get_instance()
    vocabulary = real_vocabularies["llama3"]
    decode = package.model.decode_single_token_bytes
    assert vocabulary.tokens[:128_000] == tuple(decode(i) for i in range(128_000))
    assert vocabulary.vocab_size == package.n_words
    assert vocabulary.eos_ids == tuple(sorted(package.stop_tokens))


def test_llama4_agrees_with_its_package(packaged):
    from llama_models.llama4.tokenizer import Tokenizer

    package = Tokenizer.get_instance()
    vocabulary = load_vocabulary(str(packaged("llama_models/llama4/tokenizer.model")))
    decode = package.model.decode_single_token_bytes
    assert vocabulary.tokens[:200_000] == tuple(decode(i) for i in range(200_000))
    assert set(vocabulary.tokens[200_000:]) == {None}
    assert vocabulary.vocab_size == package.n_words
    assert vocabulary.eos_ids == tuple(sorted(package.stop_tokens))


def test_qwen_agrees_with_its_package(real_vocabularies, packaged):
    from dashscope.tokenizers.qwen_tokenizer import QwenTokenizer

    package = QwenTokenizer(str(packaged("dashscope/resources/qwen.tiktoken")))
    vocabulary = real_vocabularies["qwen"]
    decode = package._tokenizer.decode_single_token_bytes
    assert vocabulary.tokens[:151_643] == tuple(decode(i) for i in range(151_643))
    assert set(vocabulary.tokens[151_643:]) == {None}
    assert vocabulary.vocab_size == package._tokenizer.n_vocab == 151_851
    assert vocabulary.eos_ids == (package.eod_id, package.im_end_id) == (151_643, 151_645)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"IQ", "line 4 is not a base64 token and its rank"),
        (b"IQ== x", "line 4 is not a base64 token and its rank"),
        (b"IQ= 3", "line 4 is not a base64 token and its rank"),
        (b"I!== 3", "line 4 is not a base64 token and its rank"),
        (b"Iw== 3 4", "line 4 is not a base64 token and its rank"),
        (b"Iw== " + b"9" * 5000, "line 4 is not a base64 token and its rank"),
        (b"\xff\xfe\x00", "line 4 is not a base64 token and its rank"),
        (b"IQ== 3", "line 4 has an empty or repeated token"),
        (b"Iw== 2", "two tokens have the same rank"),
    ],
)
def test_a_broken_line_is_refused_by_its_number(save, line, reason):
    with pytest.raises(TokenizerError) as caught:
        load_vocabulary(save("x.tiktoken", RANKS.replace(b"\n\n", b"\n") + line))
    assert f"x.tiktoken is broken: {reason}; give" in str(caught.value)


@pytest.mark.parametrize("rank", [b"-1", b"99999999999"])
def test_an_absurd_rank_is_refused(save, rank):
    with pytest.raises(TokenizerError, match=f"token id {int(rank)} is not in 0"):
        load_vocabulary(save("x.tiktoken", RANKS + b"Iw== " + rank))


def test_a_file_cut_inside_a_token_is_refused(save):
    with pytest.raises(TokenizerError, match="line 4 is not"):
        load_vocabulary(save("x.tiktoken", RANKS[:-4]))
